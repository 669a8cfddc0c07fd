"""Twee, in TPTP. It has no limits of its own; those around its process end it."""

from __future__ import annotations

import re
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.tptp import write_problem
from threesil.provers import szs
from threesil.provers.base import ExternalProver, Reading, Task

_RESULT = re.compile(r"^RESULT: (\w+)", re.MULTILINE)
_PROOF = re.compile(r"^The conjecture is true!.*?\n(.*)^RESULT:", re.MULTILINE | re.DOTALL)


class Twee(ExternalProver):
    """`options` are its own, for the strategy."""

    program: ClassVar = "Twee"
    executables: ClassVar = ("twee",)
    install: ClassVar = "cabal install twee, or a binary from its home page"
    suffix: ClassVar = ".p"

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return [*self.options, "--quiet", file]

    def read(self, output: str) -> Reading:
        found = _RESULT.search(output)
        if found is not None:
            proof = _PROOF.search(output)
            text = proof.group(1).strip() if proof else None
            return Reading(szs.meaning(found.group(1)), text)
        if re.search(r"^Error in .* \(line \d+", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)

    def read_version(self, output: str) -> str | None:
        found = re.search(r"\b(\d+(?:\.\d+)+)", output)
        return found.group(1) if found else None
