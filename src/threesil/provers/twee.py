"""Twee, in TPTP. It has no limits of its own; those around its process end it."""

from __future__ import annotations

import re
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.tptp import write_problem
from threesil.provers import szs
from threesil.provers.base import ExternalProver, Reading, Task
from threesil.provers.proofs.syntax import between

_RESULT = re.compile(r"^RESULT: (\w+)", re.MULTILINE)
_BEGIN = re.compile(r"^The conjecture is true!.*\n", re.MULTILINE)
_END = re.compile(r"^RESULT:", re.MULTILINE)


class Twee(ExternalProver):
    """`options` are its own, for the strategy."""

    program: ClassVar = "Twee"
    install: ClassVar = "cabal install twee, or a binary from its home page"
    suffix: ClassVar = ".p"

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return [*self.options, "--quiet", file]

    def read(self, output: str) -> Reading:
        found = _RESULT.search(output)
        if found is not None:
            proof = between(_BEGIN, _END, output)
            text = output[slice(*proof)].strip() if proof else None
            return Reading(szs.meaning(found.group(1)), text)
        if re.search(r"^Error in .* \(line \d+", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)

    def read_version(self, output: str) -> str | None:
        found = re.search(r"\b(\d+(?:\.\d+)+)", output)
        return found.group(1) if found else None
