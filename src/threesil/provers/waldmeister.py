"""Waldmeister, in its own language.

It exits with 0, and prints the end of a proof, for a refuted goal too: only the line in which it
states something counts. `--noproof` keeps it from looking for a separate program that prints proofs
for people, without which it would exit with 1. The steps of the proof, from the axioms to a trivial
equation, it prints all the same, between the lines that mark them: they are its proof. `--expert`
must follow the name of the file.
"""

from __future__ import annotations

import math
import re
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.waldmeister import write_problem
from threesil.provers.base import ExternalProver, Reading, Task
from threesil.provers.proofs.syntax import between

_STATED = re.compile(r"^Waldmeister (?:states: (.*?)\.?|hates (SIG\w+).*)\s*$", re.MULTILINE)
_MEANING = {
    "Goal proved": SZS.THEOREM,
    "Run out of time": SZS.TIMEOUT,
    "System completed": SZS.COUNTER_SATISFIABLE,
    "SIGXCPU": SZS.TIMEOUT,
}
_BEGIN = re.compile(r"^#START OF PROOF\n", re.MULTILINE)
_END = re.compile(r"^#END OF PROOF", re.MULTILINE)


class Waldmeister(ExternalProver):
    """`options` are its own, for the strategy."""

    program: ClassVar = "Waldmeister"
    install: ClassVar = "its source from the Max Planck Institute, built as `waldmeister`"
    suffix: ClassVar = ".wm"
    version_options: ClassVar = ("--help",)

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return ["--noproof", *self.options, file, "--expert", "-tl", str(math.ceil(seconds))]

    def read(self, output: str) -> Reading:
        stated = _STATED.search(output)
        if stated is not None:
            words = stated.group(1) or stated.group(2)
            if "memory" in words.lower():
                return Reading(SZS.RESOURCE_OUT)
            proof = between(_BEGIN, _END, output)
            text = output[slice(*proof)].strip() if proof else None
            return Reading(_MEANING.get(words, SZS.GAVE_UP), text)
        if re.search(r"^\*{4}\s+Error in file", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)

    def read_version(self, output: str) -> str | None:
        found = re.search(r"\b(\d+(?:\.\d+)+)", output)
        return found.group(1) if found else None
