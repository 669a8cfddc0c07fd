"""Prover9, E, Vampire, Twee and Waldmeister: how each is called, and how its output is read.

The tasks of those that read TPTP are denied goals, so a refutation is a proof and a model is a
counterexample. By lines with SZS the provers of the TPTP world say how they ended.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import ClassVar

from threesil.kernel.outcome import SZS
from threesil.notations.writing import ladr, tptp, waldmeister
from threesil.provers.base import ExternalProver, Reading, Task, runnable_copy
from threesil.provers.proofs.prover9 import BEGIN, END
from threesil.provers.proofs.syntax import between

_STATUS = re.compile(r"^[#%] SZS status (\w+)", re.MULTILINE)
_PROOF = (
    re.compile(r"^[#%] SZS output start (?:CNFRefutation|Refutation|Proof).*\n", re.MULTILINE),
    re.compile(r"^[#%] SZS output end", re.MULTILINE),
)
_MEANING = {
    **dict.fromkeys(("Theorem", "Unsatisfiable", "ContradictoryAxioms"), SZS.THEOREM),
    **dict.fromkeys(("CounterSatisfiable", "Satisfiable"), SZS.COUNTER_SATISFIABLE),
    **dict.fromkeys(("GaveUp", "Incomplete", "Unknown"), SZS.GAVE_UP),
    "Timeout": SZS.TIMEOUT,
    **dict.fromkeys(("ResourceOut", "MemoryOut"), SZS.RESOURCE_OUT),
    **dict.fromkeys(("InputError", "SyntaxError", "Inappropriate"), SZS.INPUT_ERROR),
}


def _status(output: str) -> SZS | None:
    """The status of the last line that gives one; None if it means none here."""
    found = _STATUS.findall(output)
    return _MEANING.get(found[-1]) if found else None


def _between(marks: tuple[re.Pattern[str], re.Pattern[str]], output: str) -> str | None:
    """What stands between the lines that begin and end a proof."""
    found = between(*marks, output)
    return output[slice(*found)].strip() if found else None


class _ReadsTptp(ExternalProver):
    """A prover for TPTP; `options` are its own, for the strategy."""

    suffix: ClassVar = ".p"

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return tptp.write_problem(task.theory, task.problem, lemmas=task.lemmas)


class E(_ReadsTptp):
    program: ClassVar = "E"
    install: ClassVar = "apt-get install eprover"
    version_line: ClassVar = r"^E (\S+)"

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        # One second more than it has: in its last one a schedule would not start anything.
        limits = [f"--cpu-limit={math.ceil(seconds) + 1}", f"--memory-limit={memory}"]
        return [*self.options, "--proof-object", "-s", *limits, file]

    def read(self, output: str) -> Reading:
        status = _status(output)
        if status is SZS.RESOURCE_OUT:
            memory = "Out of Memory" in output or "exceeded (memory)" in output
            return Reading(SZS.RESOURCE_OUT if memory else SZS.TIMEOUT)
        if status is None and re.search(r"^eprover\S*: .*:\d+:.*\(just read", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(status, _between(_PROOF, output))


class Vampire(_ReadsTptp):
    program: ClassVar = "Vampire"
    install: ClassVar = "a binary from the releases of github.com/vprover/vampire, as `vampire`"
    version_line: ClassVar = r"^Vampire (\S+)"
    _bad_input: ClassVar = re.compile(
        r"^(?:% )?(?:User error|Parser exception|Parsing Error)", re.MULTILINE
    )

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        limits = ["-t", str(math.ceil(seconds)), "-m", str(memory)]
        return [*self.options, "--cores", "1", *limits, "-p", "tptp", file]

    def read(self, output: str) -> Reading:
        status = _status(output)
        if status is None and self._bad_input.search(output):
            status = SZS.INPUT_ERROR
        if status is None and "Termination reason: Memory limit" in output:
            status = SZS.RESOURCE_OUT
        return Reading(status, _between(_PROOF, output))


class Twee(_ReadsTptp):
    """It has no limits of its own; those around its process end it."""

    program: ClassVar = "Twee"
    install: ClassVar = "cabal install twee, or a binary from its home page"
    _result: ClassVar = re.compile(r"^RESULT: (\w+)", re.MULTILINE)
    _proof: ClassVar = (
        re.compile(r"^The conjecture is true!.*\n", re.MULTILINE),
        re.compile(r"^RESULT:", re.MULTILINE),
    )

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return [*self.options, "--quiet", file]

    def read(self, output: str) -> Reading:
        found = self._result.search(output)
        if found is not None:
            return Reading(_MEANING.get(found.group(1)), _between(self._proof, output))
        if re.search(r"^Error in .* \(line \d+", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)


class Waldmeister(ExternalProver):
    """`options` are its own, for the strategy.

    It exits with 0, and prints the end of a proof, for a refuted goal too: only the line in which
    it states something counts. `--noproof` keeps it from looking for a separate program that prints
    proofs for people, without which it would exit with 1. The steps of the proof, from the axioms
    to a trivial equation, it prints all the same, between the lines that mark them: they are its
    proof. `--expert` must follow the name of the file.
    """

    program: ClassVar = "Waldmeister"
    install: ClassVar = "its source from the Max Planck Institute, built as `waldmeister`"
    suffix: ClassVar = ".wm"
    version_options: ClassVar = ("--help",)
    _stated: ClassVar = re.compile(
        r"^Waldmeister (?:states: (.*?)\.?|hates (SIG\w+).*)\s*$", re.MULTILINE
    )
    _endings: ClassVar = {
        "Goal proved": SZS.THEOREM,
        "Run out of time": SZS.TIMEOUT,
        "System completed": SZS.COUNTER_SATISFIABLE,
        "SIGXCPU": SZS.TIMEOUT,
    }
    _proof: ClassVar = (
        re.compile(r"^#START OF PROOF\n", re.MULTILINE),
        re.compile(r"^#END OF PROOF", re.MULTILINE),
    )

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return waldmeister.write_problem(task.theory, task.problem, lemmas=task.lemmas)

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return ["--noproof", *self.options, file, "--expert", "-tl", str(math.ceil(seconds))]

    def read(self, output: str) -> Reading:
        stated = self._stated.search(output)
        if stated is not None:
            words = stated.group(1) or stated.group(2)
            if "memory" in words.lower():
                return Reading(SZS.RESOURCE_OUT)
            return Reading(self._endings.get(words, SZS.GAVE_UP), _between(self._proof, output))
        if re.search(r"^\*{4}\s+Error in file", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)


class Prover9(ExternalProver):
    """`options` are commands of LADR, without the dot, for the head of the input."""

    program: ClassVar = "Prover9"
    install: ClassVar = "pip install 'threesil[provers]', or apt-get install prover9"
    suffix: ClassVar = ".in"
    version_options: ClassVar = ("-h",)
    version_line: ClassVar = r"^Prover9 .*version ([^,\s]+)"
    uses_hints: ClassVar = True
    _quiet: ClassVar = ("clear(print_given)", "clear(print_kept)", "clear(print_initial_clauses)")
    _end: ClassVar = re.compile(r"^-* ?[Pp]rocess \d+ exit \((\w+)\)", re.MULTILINE)
    _endings: ClassVar = {  # all others are limits on the search, or its end
        "max_proofs": SZS.THEOREM,
        "max_seconds": SZS.TIMEOUT,
        "max_megs": SZS.RESOURCE_OUT,
    }

    def write(self, task: Task, seconds: float, memory: int) -> str:
        return ladr.write_problem(
            task.theory,
            task.problem,
            lemmas=task.lemmas,
            hints=task.hints,
            seconds=seconds,
            megabytes=memory,
            settings=(*self._quiet, *self.options),
        )

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        return ["-t", str(math.ceil(seconds)), "-f", file]

    def read(self, output: str) -> Reading:
        end = self._end.search(output)
        if end is not None:
            status = self._endings.get(end.group(1), SZS.GAVE_UP)
            return Reading(status, _between((BEGIN, END), output))
        if re.search(r"^%%ERROR|^Fatal error:  sread_term", output, re.MULTILINE):
            return Reading(SZS.INPUT_ERROR)
        return Reading(None)

    def _executable(self, directory: Path) -> str:
        """The program in the Python package may lack the permission to be run."""
        if os.access(self.path, os.X_OK):
            return str(self.path)
        return runnable_copy(self.path, directory)
