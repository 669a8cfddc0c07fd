"""Parts of requests: good ones to begin with, odd values, paths and headers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, Final

from threesil.web.examples import EXAMPLES

_TEXTS: Final = [
    *(example["text"] for example in EXAMPLES),
    "x = x",
    "x * (y",
    "exists z. x * z = y",
    "formulas(assumptions). f(x) = x. end_of_list. formulas(goals). f(f(x)) = x. end_of_list.",
    "include('/etc/passwd').",
    "include('../../outside/files/secret.p').\ncnf(g, negated_conjecture, a != b).",
    "fof(a, conjecture, ! [X] : ? [Y] : f(X) = Y).",
    "Axiom a: f(x) = x.\nTheorem t: f(f(x)) = x.",
]
NAMES: Final = [
    "groups",
    "aim",
    "robinson",
    "milk.thy",
    "more.p",
    "out.p",
    "folder/secret.p",
    "r",
    "c",
    "out",
    "leaky",
    "best",
    "",
    ".",
    "..",
    "../outside/files/secret.p",
    "/etc/passwd",
    "aim:../../etc/passwd",
    "milk.thy:a",
    "milk.thy/../../../outside/files/secret.p",
    "r/../../../outside/runs/r",
    "\0",
    "r\0",
]
BODIES: Final[dict[str, list[dict[str, Any]]]] = {
    "/api/check": [{"text": text, "theory": "groups"} for text in _TEXTS]
    + [{"text": text, "assume": ["x * x = x"]} for text in _TEXTS],
    "/api/prove": [{"text": text, "theory": "groups", "seconds": 1} for text in _TEXTS]
    + [{"text": text, "solver": "plain", "expansions": 9, "seed": 3} for text in _TEXTS]
    + [{"text": "2 * S(1 + 0)", "theory": "robinson", "weights": "r", "from_axioms": True}],
    "/api/train": [{"text": text, "theory": "groups", "minutes": 1} for text in _TEXTS]
    + [{"text": "", "theory": name, "minutes": 0.5} for name in ("milk.thy", "more.p", "aim")],
    "/api/train/resume": [{"name": "r"}, {"name": "out"}, {"name": "leaky"}],
    "/api/train/stop": [{"name": "r"}, {"name": "out"}],
    "/api/play": [
        {"theory": "robinson", "text": "1 + 0", "actions": [0, 1], "seed": 1},
        {"theory": "robinson", "go": "best"},
        {"theory": "aim", "text": "x * e = x", "actions": [], "go": "chance", "seed": 5},
        {"theory": "polynomial", "seed": 7},
        {"theory": "milk.thy", "text": "f(f(f(x))) = f(x)", "actions": [0] * 9},
        {"theory": "robinson", "weights": "leaky", "text": "2 * 2"},
    ],
}
_STRINGS: Final = [
    "",
    " ",
    "\0",
    "\ud800",
    "a\udfffb",
    "\U0010ffff",
    "‮x = x",
    "ｘ＝ｘ",
    "²",
    "x\u2028=\u2029x",
    "\x1b[2J",
    "<script>",
    "%s%n{}",
    "nan",
    "1e999",
    "٣",
    "x" * 100_000,
    "(" * 20_000,
    "f(" * 3_000 + "x" + ")" * 3_000,
    "x = y\n" * 300,
]
_HEAD: Final = b"host: 127.0.0.1:8000\r\ncontent-type: application/json\r\n"
RAW: Final = [
    b"GET /icon.svg HTTP/1.1\r\nhost: localhost\r\n\r\n" * 3,
    b"GET /api/about HTTP/1.0\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    b"POST /api/check HTTP/1.1\r\n" + _HEAD + b'content-length: 15\r\n\r\n{"text":"x = x"}',
    b"POST /api/check HTTP/1.1\r\n" + _HEAD + b'transfer-encoding: chunked\r\n\r\n5\r\n{"tex'
    b'\r\nb\r\nt":"x = x"}\r\n0\r\n\r\n',
    b"POST /api/check HTTP/1.1\r\n"
    + _HEAD
    + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}",
    b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    b"HEAD /main.js HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\n\r\n",
]
ODD_KEY: Final = "\ud800"
_NUMBERS: Final = [0, -1, 1, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30, 0.5, 1e308]
_NUMBERS += [-0.0, 1e-320, float("inf"), float("-inf"), float("nan"), 10**400]


def odd_value(random: Random, value: Any) -> Any:
    """Another value than is expected, or one that is a little wrong."""
    kind = random.randrange(8)
    if kind == 0:
        return random.choice(_STRINGS)
    if kind == 1:
        return random.choice(_NUMBERS)
    if kind == 2:
        return random.choice((None, True, False, [], {}, [[]], [None], {"": {}}))
    if kind == 3:
        return random.choice(NAMES)
    if kind == 4:
        return [odd_value(random, value) for _ in range(random.randrange(4))]
    if kind == 5:
        return [random.randrange(-2, 60) for _ in range(random.choice((1, 5, 60)))]
    if kind == 6 and isinstance(value, str):
        return mutated(random, value.encode("utf-8", "replace")).decode("utf-8", "replace")
    return random.choice(_TEXTS)


def mutated(random: Random, content: bytes) -> bytes:
    """The same with a few bytes changed, left out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8))):
        place = random.randrange(len(changed) + 1)
        kind = random.randrange(6)
        if kind == 0:
            changed[place : place + 1] = bytes([random.randrange(256)])
        elif kind == 1:
            del changed[place : place + random.choice((1, 1, 10, 100))]
        elif kind == 2:
            changed[place:place] = changed[place : place + random.choice((1, 10, 100))] * 2
        elif kind == 3:
            changed[place:place] = random.choice((b"(", b'"', b"\\ud800", b"\0", b"=", b"1e999"))
        elif kind == 4:
            changed[place:place] = random.choice((b"[", b"{", b"-", b"9", b"(")) * 6_000
        else:
            changed[place : place + 1] = random.choice("²ｘ\u202e\U0001f600é").encode()
    return bytes(changed)


_PARTS: Final = ["api", "run", "runs", "play", "jobs", "x", "theory", "check", "index.html", ".."]
_PARTS += ["%2e%2e", "..%2f..%2f", "%00", "%ff", "%", "%2", "", ".", "%c0%ae", "%25%30", "main.js"]
_PARTS += ["etc", "passwd", "openapi.json", "static", "certificates", "1", "lean", "\\..", "é"]
_PATHS: Final = ["/", "/main.js", "/api/about", "/api/runs", "/api/theories", "/api/openapi.json"]
_PATHS += ["/api/check", "/api/prove", "/api/play", "/docs", "/api/theory?name=aim", "/icon.svg"]
_PATHS += ["/api/jobs/x/cancel", "/api/jobs/x/certificates/1/lean", "*", "", "//", "http://a/b"]


def odd_path(random: Random, root: Path) -> str:
    """A path with a query: one of ours, one put together of parts, or one of a file outside."""
    kind = random.randrange(4)
    if kind == 0:
        path = random.choice(_PATHS)
    elif kind == 1:
        path = f"{random.choice(('/', '//', '/../', '/..%2f'))}{root}/outside/files/secret.p"
    else:
        path = "/" + "/".join(random.choice(_PARTS) for _ in range(random.randrange(1, 7)))
    if random.random() < 0.3:
        query = mutated(random, b"name=aim&size=2&token=&after=1").decode("latin-1")
        path += "&" + query if "?" in path else "?" + query
    return path


def headers_of(random: Random, token: str) -> list[str]:
    """Headers, most often with a host that is let in."""
    odd = json.dumps(random.choice(_STRINGS)[:200])
    host = "127.0.0.1:8000" if random.random() < 0.8 else _odd_host(random, odd)
    headers = [f"host: {host}"]
    for _ in range(random.randrange(4)):
        headers.append(
            random.choice(
                (
                    f"origin: {random.choice(('null', 'http://127.0.0.1:8000', 'http://[', odd))}",
                    f"cookie: {random.choice(('threesil', 'threesil=', odd, '=;=', token))}",
                    f"cookie: threesil={random.choice((token[:-1], token + 'x', odd))}",
                    f"authorization: {random.choice(('Bearer', 'Bearer ', 'Basic x', odd))}",
                    f"sec-fetch-site: {random.choice(('cross-site', 'none', odd))}",
                    f"content-length: {random.choice(('-1', '1', '²', '9' * 5000, '1e9', odd))}",
                    f"content-type: {random.choice(('application/json', 'a;b', odd))}",
                    f"range: {random.choice(('bytes=0-1', 'bytes=5-1', 'bytes=-', 'x=1', odd))}",
                    f"if-modified-since: {random.choice(('x', 'Mon, 32 Foo 9999 99:99:99', odd))}",
                    f"if-none-match: {odd}",
                    f"accept-encoding: {odd}",
                    f"x-forwarded-for: {odd}",
                    "upgrade: websocket",
                    "transfer-encoding: chunked",
                )
            )
        )
    return headers


def _odd_host(random: Random, odd: str) -> str:
    hosts = ("evil.example", "", "[::1]:8000", "[", "127.0.0.1.evil.example", "127.0.0.1:x", "a@b")
    return random.choice((*hosts, odd, "localhost:99999999", "127.1", "2130706433", "[::1"))
