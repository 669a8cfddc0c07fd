"""Prover9, in LADR's language."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing.ladr import write_problem
from threesil.provers.base import ExternalProver, Reading, Task, runnable_copy
from threesil.provers.proofs.prover9 import BEGIN, END
from threesil.provers.proofs.syntax import between

_QUIET = ("clear(print_given)", "clear(print_kept)", "clear(print_initial_clauses)")
_END = re.compile(r"^-* ?[Pp]rocess \d+ exit \((\w+)\)", re.MULTILINE)
_ENDINGS = {
    "max_proofs": SZS.THEOREM,
    "max_seconds": SZS.TIMEOUT,
    "max_megs": SZS.RESOURCE_OUT,
}


class Prover9(ExternalProver):
    """`options` are commands of LADR, without the dot, for the head of the input."""

    program: ClassVar = "Prover9"
    install: ClassVar = "pip install 'threesil[provers]', or apt-get install prover9"
    suffix: ClassVar = ".in"
    version_options: ClassVar = ("-h",)
    uses_hints: ClassVar = True

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return write_problem(
            task.theory,
            task.problem,
            lemmas=task.lemmas,
            hints=task.hints,
            seconds=seconds,
            megabytes=memory,
            settings=(*_QUIET, *self.options),
        )

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return ["-t", str(math.ceil(seconds)), "-f", file]

    def read(self, output: str) -> Reading:
        end = _END.search(output)
        proof = between(BEGIN, END, output)
        if end is not None:
            # All endings that are not named are limits on the search, or its end.
            status = _ENDINGS.get(end.group(1), SZS.GAVE_UP)
            return Reading(status, output[slice(*proof)].strip() if proof else None)
        if re.search(r"^%%ERROR|^Fatal error:  sread_term", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)

    def read_version(self, output: str) -> str | None:
        found = re.search(r"^Prover9 .*version ([^,\s]+)", output, re.MULTILINE)
        return found.group(1) if found else None

    def _executable(self, directory: Path) -> str:
        """The program in the Python package may lack the permission to be run."""
        if os.access(self.path, os.X_OK):
            return str(self.path)
        return runnable_copy(self.path, directory)
