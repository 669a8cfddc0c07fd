"""E, in TPTP."""

from __future__ import annotations

import math
import re
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.tptp import write_problem
from threesil.provers import szs
from threesil.provers.base import ExternalProver, Reading, Task


class E(ExternalProver):
    """`options` are its own, for the strategy."""

    program: ClassVar = "E"
    install: ClassVar = "apt-get install eprover"
    suffix: ClassVar = ".p"

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        # One second more than it has: in its last one a schedule would not start anything.
        limits = [f"--cpu-limit={math.ceil(seconds) + 1}", f"--memory-limit={memory}"]
        return [*self.options, "--proof-object", "-s", *limits, file]

    def read(self, output: str) -> Reading:
        status = szs.status(output)
        if status is SZS.RESOURCE_OUT:
            memory = "Out of Memory" in output or "exceeded (memory)" in output
            return Reading(SZS.RESOURCE_OUT if memory else SZS.TIMEOUT)
        if status is None and re.search(r"^eprover\S*: .*:\d+:.*\(just read", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(status, szs.proof(output))

    def read_version(self, output: str) -> str | None:
        found = re.search(r"^E (\S+)", output, re.MULTILINE)
        return found.group(1) if found else None
