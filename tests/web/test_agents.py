"""The server for agents, asked by the client of the protocol's own kit."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any

import psutil
import pytest

from threesil.errors import MissingTool
from threesil.theories import NAMES
from waiting import HANG, wait_until

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from threesil.web.agents import NOTATION, make_server
from web.serving import ENDLESS

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "threesil", "mcp"])
MAGMA = "Theory magma: Magmas.\nAxiom milk: x * (y * y) = y.\n"


def ask(do: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    """Lets a client in this process ask a server in this process."""

    async def main() -> None:
        async with Client(make_server(**options)) as client:
            await asyncio.wait_for(do(client), HANG)

    asyncio.run(main())


async def value(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


async def refusal(client: Client, tool: str, **given: Any) -> str:
    answer = await client.call_tool(tool, given)
    assert answer.is_error
    return str(answer.content[0].text)


def test_what_there_is() -> None:
    async def do(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"prove", "refute", "show", "check", "export", "lemmas", "theories"}
        assert all(tool.description and tool.output_schema for tool in tools.values())
        listed = await value(client, "theories")
        assert [theory["name"] for theory in listed["result"]] == list(NAMES)
        resources = {str(one.uri) for one in (await client.list_resources()).resources}
        assert resources == {"threesil://notation", *(f"threesil://theories/{n}" for n in NAMES)}
        (notation,) = (await client.read_resource("threesil://notation")).contents
        assert notation.text == NOTATION
        (groups,) = (await client.read_resource("threesil://theories/groups")).contents
        read = await value(client, "show", goals=groups.text)
        assert read["theory"] == "groups" and len(read["goals"]) == 10

    ask(do)


@pytest.mark.parametrize(
    ("goals", "theory", "expected"),
    [
        ("x * T(y,x) = y * x\nx * y = y * x", "aim", ["Theorem", "CounterSatisfiable"]),
        ("i(i(x)) = x", "groups", ["Theorem"]),
        ("x * (y * y) = z * (y * y)\nx = y", MAGMA, ["Theorem", "CounterSatisfiable"]),
        ("exists z: x * z = y", "groups", ["Theorem"]),
        ("2 * S(1 + 0)", "robinson", ["Theorem"]),
    ],
)
def test_what_is_proved_and_refuted_is_certified_and_can_be_checked(
    goals: str, theory: str, expected: list[str]
) -> None:
    async def do(client: Client) -> None:
        found = await value(client, "prove", goals=goals, theory=theory)
        assert [one["status"] for one in found["answers"]] == expected
        assert found["proved"] + found["refuted"] == len(expected) and found["open"] == 0
        for one in found["answers"]:
            assert one["certified"] and one["text"]
            given = {"certificate": one["certificate"], "theory": theory}
            checked = await value(client, "check", **given)
            assert checked["certified"] and checked["facts"]
            for form in ("text", "lean"):
                assert (await value(client, "export", **given, form=form))["result"]

    ask(do)


def test_a_forged_certificate_is_refused() -> None:
    async def do(client: Client) -> None:
        found = await value(client, "prove", goals="i(i(x)) = x", theory="groups")
        certificate = found["answers"][0]["certificate"]
        forged = certificate.replace('["*", 1, 0]', '["*", 0, 1]')  # a term of a step
        assert forged != certificate
        checked = await value(client, "check", certificate=forged)
        assert not checked["certified"] and checked["reason"]
        assert "refused" in await refusal(client, "export", certificate=forged, form="lean")

    ask(do)


def test_refute_and_lemmas() -> None:
    async def do(client: Client) -> None:
        found = await value(client, "refute", goals="x * y = y * x", theory="groups", size=6)
        assert found["refuted"] == 1 and "S_3" in found["answers"][0]["text"]
        small = await value(client, "refute", goals="x * y = y * x", theory="groups", size=4)
        assert small["open"] == 1 and "at most 4 elements" in small["answers"][0]["reason"]
        lemmas = await value(client, "lemmas", goal="T(x / (y \\ x),y) = y", count=3)
        assert 1 <= len(lemmas["lemmas"]) <= 3
        for lemma in lemmas["lemmas"]:
            assert (await value(client, "check", certificate=lemma["certificate"]))["certified"]

    ask(do)


LEAN = """variable {M : Type u} (f : M → M)
theorem same (h : ∀ x, f x = x) (a : M) : f (f a) = a := sorry
theorem twice (h : ∀ x, f (f x) = x) (a : M) : f (f (f a)) = f a := sorry
theorem wrong (h : ∀ x, f (f x) = f x) (a : M) : f a = a := sorry
"""


def test_a_lean_file_whose_theorems_have_hypotheses_of_their_own() -> None:
    async def do(client: Client) -> None:
        found = await value(client, "prove", goals=LEAN)
        assert (found["proved"], found["refuted"]) == (2, 1)
        for answer in found["answers"]:
            shown = await value(client, "check", certificate=answer["certificate"])
            assert shown["certified"] and answer["text"]

    ask(do)


def test_a_server_that_allows_little_time() -> None:
    async def do(client: Client) -> None:
        assert (await value(client, "prove", goals="x = x", theory="groups"))["proved"] == 1

    ask(do, seconds=2)


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("prove", {"goals": "x = x", "seconds": 1e9}, "at most 60 seconds"),
        ("prove", {"goals": "x = x", "seconds": -1}, "greater than 0"),
        ("prove", {"goals": "x" * 2_000_000}, "at most 1000000 characters"),
        ("prove", {"goals": "x * T(y,x = y"}, r"line 1: .*\n.*T\(y,x = y\n *\^"),
        ("prove", {"goals": "x = y", "theory": "gruops"}, "no bundled theory 'gruops'"),
        ("prove", {"goals": "x = y", "theory": "Axiom a: x = "}, "line 1"),
        ("prove", {"goals": "/etc/passwd"}, "."),
        ("show", {"goals": ""}, "."),
        ("refute", {"goals": "x = y", "size": 1}, "greater than or equal to 2"),
        ("check", {"certificate": "{}"}, "."),
        ("check", {"certificate": "[" * 100_000}, "."),
        ("export", {"certificate": "{}", "form": "word"}, "lean"),
        ("lemmas", {"goal": "x = y\ny = x"}, "single goal"),
        ("cook", {}, "cook"),
    ],
)
def test_bad_calls_get_a_message_and_the_next_is_answered(
    tool: str, given: Mapping[str, Any], message: str
) -> None:
    async def do(client: Client) -> None:
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(await refusal(client, tool, **given))
        assert (await value(client, "prove", goals="x * e = x"))["proved"] == 1

    ask(do)


async def endless(client: Client) -> asyncio.Future[Any]:
    """A call that goes on, and of which the client has heard something."""
    heard = asyncio.Event()

    async def progress(*_: object) -> None:
        heard.set()

    call = client.call_tool("prove", {"goals": ENDLESS, "seconds": 60}, None, progress)
    task = asyncio.ensure_future(call)
    await heard.wait()
    return task


def test_a_call_that_is_cancelled_ends() -> None:
    async def do(client: Client) -> None:
        task = await endless(client)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await value(client, "prove", goals="x * e = x"))["proved"] == 1

    ask(do, workers=1)


def _is_at_work(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_a_client_that_goes_away_leaves_no_process() -> None:
    before = set(psutil.Process().children(recursive=True))
    children: list[psutil.Process] = []

    async def main() -> None:
        async with Client(stdio_client(SERVER)) as client:
            task = await endless(client)
            children.extend(set(psutil.Process().children(recursive=True)) - before)
            assert len(children) >= 2
            task.cancel()

    asyncio.run(asyncio.wait_for(main(), HANG))
    wait_until(lambda: not any(map(_is_at_work, children)), "processes are left")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_its_processes(number: signal.Signals) -> None:
    command = [SERVER.command, *SERVER.args]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        process = psutil.Process(server.pid)
        wait_until(lambda: len(process.children(recursive=True)) >= 2, "no workers")
        children = process.children(recursive=True)
        server.send_signal(number)
        assert server.wait(HANG) == 128 + number
    wait_until(lambda: not any(map(_is_at_work, children)), "processes are left")


def test_random_calls() -> None:
    """Whatever is asked gets an answer or a message, and nothing false is certified."""
    random = Random(1)
    pieces = [
        "x",
        "y",
        "e",
        " * ",
        " = ",
        "i(",
        ")",
        "T(x,y)",
        "\n",
        "exists z: ",
        "◇",
        "cnf(",
        "{",
    ]

    def text() -> str:
        return "".join(random.choices(pieces, k=random.randrange(1, 12)))

    async def do(client: Client) -> None:
        for _ in range(1000):
            tool = random.choice(["prove", "refute", "show", "check", "export", "lemmas"])
            given: dict[str, Any] = {"seconds": 0.01, "theory": random.choice(["", *NAMES, text()])}
            names = ("goals", "certificate", "goal") if random.random() < 0.9 else ("size", "form")
            given |= {name: text() for name in names}
            answer = await client.call_tool(tool, given)
            assert answer.content
        assert (await value(client, "prove", goals="x * e = x"))["proved"] == 1

    ask(do)


def test_without_the_kit(monkeypatch: pytest.MonkeyPatch) -> None:
    from threesil.cli.agents import mcp

    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "threesil.web.agents")
    with pytest.raises(MissingTool, match=r"threesil\[mcp\]"):
        mcp()
