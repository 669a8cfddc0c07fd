"""How random inputs are made: real ones cut, doubled and mixed; values of JSON with others in them.

Numbers that are too large, brackets nested too deep, one piece many times over, and bytes that are
no text are among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

_NUMBERS = ["0", "-1", "1", "2", "255", "256", "65536", "1000000", "10000000000", "9" * 30, "1e400"]
_NUMBERS += ["1.5", "1e308", "-0", "007", "9" * 5000, "NaN", "Infinity", "true", "null", '""']
_BYTES = [b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\t", b" ", b"\xc3\xa4", b"\\"]
_BYTES += [b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\x1b[2J", b"\\ud800", b'"', b"'", b"(", b")", b"["]
_BYTES += [b"]", b"{", b"}", b",", b".", b":", b"=", b"!=", b"#", b"%", b"/*", b"*/", b"x", b"X"]
_VALUES: list[Any] = [None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, 0.5, 1e308, "", "x", "é"]
_VALUES += ["\0", "\ud800", [], {}, [[]], [0], ["x"], {"x": 0}, "9" * 100, "x" * 300, [None] * 300]
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")


def mutated(content: bytes, random: Random, pieces: Sequence[bytes] = ()) -> bytes:
    """The content with some parts cut, doubled, moved, exchanged or put in."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        content = random.choice(_WAYS)(content, random, pieces)
    return content


def _bytes(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    start = random.randint(0, len(content))
    end = min(len(content), start + random.choice((0, 0, 1, 1, 2, 5, 40)))
    part = random.choice((b"", content[start:end], random.choice(_BYTES), random.randbytes(2)))
    if pieces and random.random() < 0.5:
        part = random.choice(pieces)
    where = start if random.random() < 0.7 else random.randint(0, len(content))
    if where == start:
        return content[:start] + part + content[end:]
    return content[:where] + part + content[where:]


def _token(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    """A token becomes another one of the same content."""
    tokens = [found.span() for found in _TOKEN.finditer(content[:20_000])]
    if not tokens:
        return content
    (a, b), (c, d) = random.choice(tokens), random.choice(tokens)
    return content[:a] + content[c:d] + content[b:]


def _number(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    found = [number.span() for number in re.finditer(rb"[0-9]+", content[:20_000])]
    if not found:
        return _bytes(content, random, pieces)
    start, end = random.choice(found)
    return content[:start] + random.choice(_NUMBERS).encode() + content[end:]


def _cut(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    return content[: random.randint(0, len(content))]


def _line(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    """A line twice, elsewhere, or not at all."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randint(0, len(lines)), line)
    return b"".join(lines)


def _nested(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    where = random.randint(0, len(content))
    left, right = random.choice(((b"(", b")"), (b"[", b"]"), (b'{"a":', b"}"), (b"f(", b")")))
    depth = random.choice((3, 50, 90, 200, 1100, 5000))
    inner = random.choice((b"", b"x", b"0"))
    return content[:where] + left * depth + inner + right * depth + content[where:]


def _repeated(content: bytes, random: Random, pieces: Sequence[bytes]) -> bytes:
    """A short piece over and over, sometimes so often that only linear work ends in time."""
    start = random.randint(0, len(content))
    piece = content[start : start + random.randint(1, 12)]
    if pieces and random.random() < 0.3:
        piece = random.choice(pieces)
    times = random.choice((5, 5, 30, 30, 300)) if random.random() < 0.98 else 20_000
    return content[:start] + piece * times + content[start:]


_WAYS = (_bytes, _bytes, _bytes, _token, _token, _token, _number, _cut, _line, _nested, _repeated)


def value_mutated(value: Any, random: Random) -> Any:
    """A value of JSON in which some parts are others, missing, or there twice."""
    value = deepcopy(value)
    for _ in range(random.choice((1, 1, 2, 4))):
        places = list(_places(value))
        if not places:
            return random.choice(_VALUES)
        of, key = random.choice(places)
        way = random.random()
        if way < 0.15:
            del of[key]
        elif way < 0.35:
            other, place = random.choice(places)
            if place in other if isinstance(other, dict) else place < len(other):
                of[key] = deepcopy(other[place])
        elif way < 0.45 and isinstance(of, list):
            of.insert(key, deepcopy(of[key]))
        elif type(of[key]) is int and way < 0.8:
            of[key] += random.choice((-1, 1, 2, 100, 2**31, 10**9, -of[key]))
        else:
            of[key] = deepcopy(random.choice(_VALUES))
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (object, key) and (list, index) in a value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        of = waiting.pop()
        if isinstance(of, dict | list):
            keys = list(of) if isinstance(of, dict) else range(len(of))
            found += [(of, key) for key in keys]
            waiting += [of[key] for key in keys]
    return found


def json_mutated(value: Any, random: Random) -> bytes:
    """The text of a value, after it or the value was changed."""
    if random.random() < 0.5:
        return mutated(json.dumps(value).encode(), random)
    changed = value_mutated(value, random)
    text = json.dumps(changed)
    if random.random() < 0.05 and text.startswith("{") and len(text) > 2:
        key = random.choice(list(changed))
        text = f"{{{json.dumps(key)}: 0, {text[1:]}"
    return text.encode()


def lines_mutated(lines: Sequence[Any], random: Random) -> bytes:
    """Values as lines, one of them changed."""
    texts = [json.dumps(line).encode() for line in lines]
    if texts and random.random() < 0.7:
        number = random.randrange(len(texts))
        texts[number] = json_mutated(lines[number], random)
        return b"\n".join(texts) + b"\n"
    return mutated(b"\n".join(texts) + b"\n", random)
