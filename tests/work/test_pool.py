"""Processes that do tasks: bounded in number, time and memory, and replaced when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import psutil
import pytest

from threesil.work.pool import Busy, Limits, Pool, Wrong

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
        await pool.ask(CHECK, 60)
        (before,) = pool.processes
        with pytest.raises(Wrong, match="longer than 1 s"):
            await pool.ask(ENDLESS, 1)
        assert (await pool.ask(CHECK, 60))["theory"] == "groups"
        assert before not in pool.processes

    with_pool(Limits(processes=1), do)


def test_a_process_that_is_killed_is_replaced() -> None:
    async def do(pool: Pool) -> None:
        await pool.ask(CHECK, 60)
        psutil.Process(pool.processes[0]).kill()
        await asyncio.sleep(0.5)
        assert (await pool.ask(CHECK, 60))["theory"] == "groups"

    with_pool(Limits(processes=1), do)


def test_memory_is_bounded() -> None:
    many = "".join(f"Axiom a{n}: f(x,g{n}(y,z)) = f(g{n}(x,y),z).\n" for n in range(20_000))
    task: dict[str, Any] = {"task": "check", "text": f"{many}Theorem t: f(x,y) = f(y,x)."}

    async def do(pool: Pool) -> None:
        with pytest.raises(Wrong, match="memory"):
            await pool.ask(task, 120)
        assert (await pool.ask(CHECK, 60))["theory"] == "groups"

    with_pool(Limits(processes=1, megabytes=32), do)


def test_only_so_many_wait() -> None:
    async def do(pool: Pool) -> None:
        waiting = [asyncio.create_task(pool.ask(CHECK, 60)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await pool.ask(CHECK, 60)
        assert all(answer["theory"] == "groups" for answer in await asyncio.gather(*waiting))

    with_pool(Limits(processes=1, waiting=3), do)
