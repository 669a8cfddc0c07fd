"""Vampire, in TPTP."""

from __future__ import annotations

import math
import re
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.tptp import write_problem
from threesil.provers import szs
from threesil.provers.base import ExternalProver, Reading, Task

_BAD_INPUT = re.compile(r"^(?:% )?(?:User error|Parser exception|Parsing Error)", re.MULTILINE)


class Vampire(ExternalProver):
    """`options` are its own, for the strategy."""

    program: ClassVar = "Vampire"
    install: ClassVar = "a binary from the releases of github.com/vprover/vampire, as `vampire`"
    suffix: ClassVar = ".p"

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        limits = ["-t", str(math.ceil(seconds)), "-m", str(memory)]
        return [*self.options, "--cores", "1", *limits, "-p", "tptp", file]

    def read(self, output: str) -> Reading:
        status = szs.status(output)
        if status is None and _BAD_INPUT.search(output):
            status = SZS.INPUT_ERROR
        if status is None and "Termination reason: Memory limit" in output:
            status = SZS.RESOURCE_OUT
        return Reading(status, szs.proof(output))

    def read_version(self, output: str) -> str | None:
        found = re.search(r"^Vampire (\S+)", output, re.MULTILINE)
        return found.group(1) if found else None
