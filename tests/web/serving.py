"""A server in a process of its own, and a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

from waiting import HANG, wait_until

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


# Each request has a connection of its own, and waits for as long as a busy machine takes.
http = httpx.Client(timeout=HANG, limits=httpx.Limits(max_keepalive_connections=0))

# All finite models are trivial, and no set of rules is convergent: neither proved nor refuted.
ENDLESS = """Axiom left: l(pair(x,y)) = x.
Axiom right: r(pair(x,y)) = y.
Axiom both: pair(l(x),r(x)) = x.
Axiom comm: x + y = y + x.
Axiom assoc: (x + y) + z = x + (y + z).
Theorem endless: l(x) + y = r(x) + y.
"""


class Server:
    """Where it is, and the processes that work for it."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self.process = psutil.Process(pid)

    def workers(self) -> set[int]:
        return {child.pid for child in self._children()}

    def busy(self) -> float:
        """CPU seconds that its workers have used, those that have ended left out."""
        used = 0.0
        for child in self._children():
            try:
                used += sum(child.cpu_times()[:2])
            except psutil.Error:
                continue
        return used

    def _children(self) -> list[psutil.Process]:
        """All but the one with which Python itself keeps account of its resources."""
        found = []
        for child in self.process.children(recursive=True):
            try:
                if "resource_tracker" not in " ".join(child.cmdline()):
                    found.append(child)
            except psutil.Error:
                continue
        return found


def answers(url: str) -> bool:
    """Whether something is there that answers."""
    try:
        http.get(url)
    except httpx.TransportError:
        return False
    return True


def type_text(page: Any, text: str) -> None:
    """Writes a text in the place of the one on the page Prove, as the keyboard does."""
    page.focus("#text")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


@contextmanager
def serving(*options: str, where: Path) -> Iterator[Server]:
    """`threesil serve` on a free port, until the block ends."""
    command = [sys.executable, "-m", "threesil", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=where) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, line
            url = found.group().partition("?")[0]
            wait_until(lambda: answers(f"{url}icon.svg"), "it does not answer")
            yield Server(url, process.pid)
        finally:
            process.terminate()
            process.wait(HANG)
