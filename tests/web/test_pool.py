"""Processes that do tasks: bounded in number, time and memory, and replaced when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psutil
import pytest

from threesil.web.pool import Busy, Limits, Pool, Wrong
from waiting import wait_for_work

ENDLESS = {
    "task": "prove",
    "seconds": 100,
    "text": "Axiom a: l(p(x,y)) = x.\nAxiom b: r(p(x,y)) = y.\nAxiom c: p(l(x),r(x)) = x.\n"
    "Axiom d: x + y = y + x.\nAxiom e: (x + y) + z = x + (y + z).\nTheorem t: l(x) + y = r(x) + y.",
}
CHECK = {"task": "check", "text": "x * e = x", "theory": "groups"}


def with_pool(limits: Limits, do: Callable[[Pool], Awaitable[None]]) -> None:
    async def main() -> None:
        pool = Pool(limits)
        pool.start()
        try:
            await do(pool)
        finally:
            ids = pool.processes
            await pool.close()
            assert not any(psutil.pid_exists(pid) for pid in ids)

    asyncio.run(main())


def test_a_task_that_takes_too_long_is_killed_and_others_go_on() -> None:
    async def do(pool: Pool) -> None:
        await pool.ask(CHECK)
        (before,) = pool.processes
        with pytest.raises(Wrong, match="longer than 8 s"):
            await pool.ask(ENDLESS)
        assert (await pool.ask(CHECK))["theory"] == "groups"
        assert before not in pool.processes

    with_pool(Limits(processes=1, seconds=8.0), do)


def test_a_process_that_is_killed_is_replaced() -> None:
    async def do(pool: Pool) -> None:
        await pool.ask(CHECK)
        process = psutil.Process(pool.processes[0])
        process.kill()
        await asyncio.to_thread(process.wait)
        assert (await pool.ask(CHECK))["theory"] == "groups"

    with_pool(Limits(processes=1), do)


def test_memory_is_bounded() -> None:
    many = "".join(f"Axiom a{n}: f(x,g{n}(y,z)) = f(g{n}(x,y),z).\n" for n in range(20_000))
    task: dict[str, Any] = {"task": "check", "text": f"{many}Theorem t: f(x,y) = f(y,x)."}

    async def do(pool: Pool) -> None:
        with pytest.raises(Wrong, match="memory"):
            await pool.ask(task)
        assert (await pool.ask(CHECK))["theory"] == "groups"

    with_pool(Limits(processes=1, megabytes=32), do)


def test_only_so_many_wait() -> None:
    async def do(pool: Pool) -> None:
        waiting = [asyncio.create_task(pool.ask(CHECK)) for _ in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await pool.ask(CHECK)
        assert all(answer["theory"] == "groups" for answer in await asyncio.gather(*waiting))

    with_pool(Limits(processes=1, waiting=3), do)


def test_who_stops_listening_ends_his_task() -> None:
    async def do(pool: Pool) -> None:
        await pool.ask(CHECK)
        (before,) = pool.processes
        task = asyncio.create_task(pool.ask(ENDLESS))
        await asyncio.to_thread(wait_for_work, before)
        task.cancel()
        assert (await pool.ask(CHECK))["theory"] == "groups"
        assert before not in pool.processes

    with_pool(Limits(processes=1), do)


def test_what_no_text_can_hold_is_replaced() -> None:
    async def do(pool: Pool) -> None:
        with pytest.raises(Wrong) as caught:
            await pool.ask({"task": "check", "text": "f(\ud800) = x"})
        str(caught.value).encode()

    with_pool(Limits(processes=1), do)
