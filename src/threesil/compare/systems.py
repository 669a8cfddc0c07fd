"""The systems that can be compared, and the texts that name them.

A *system* tries one problem at a time and says what came of it. The texts are

    model           what `threesil prove` does by default
    plain, …        its other modes
    prover9, e, …   an external prover
    prover9+lemmas  an external prover that the model's lemmas help, or +hints, or +both; half of
                    the time is the model's
    portfolio       what `threesil prove` does with all provers that are found

Limits are on CPU time, so that other work on the machine changes nothing but how long it all takes.
"""

from __future__ import annotations

import inspect
import shlex
import time
from abc import ABC, abstractmethod
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from threesil.compare.results import Row
from threesil.cooperate import COUNT, find_lemmas, portfolio, with_lemmas
from threesil.errors import InputError
from threesil.outcome import Outcome
from threesil.provers import MEMORY, PROVERS, ExternalProver, Task, find, found
from threesil.search.prover import MODES, NEED_MODEL, Prover
from threesil.theories import get_theory
from threesil.theory import Problem, Theory

DEFAULT_MODE: Final[str] = inspect.signature(Prover).parameters["mode"].default
WALL: Final = 5.0
"""An attempt may last so many times its limit by the wall clock, on a machine with other work."""
_ALMOST: Final = 0.95  # of the limit; an attempt that got less was cut short
USES: Final = ("lemmas", "hints", "both")
PORTFOLIO: Final = "portfolio"
OWN: Final = {"model": DEFAULT_MODE, **{mode: mode for mode in MODES if mode != DEFAULT_MODE}}


class System(ABC):
    """Something that solves problems. `name` is the text that names it.

    `certified`: what it solves has a proof that the kernel has checked. `in_process`: it works
    inside the process that asks, which therefore bears the limit on memory.
    """

    certified: bool = False
    in_process: bool = False

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def describe(self, seconds: float) -> dict[str, Any]:
        """What a report says about it under this limit: `version`, `command`, `proofs`."""

    @abstractmethod
    def solve(self, problem: Problem, seconds: float) -> Row:
        """Tries for so many seconds of CPU time."""


class Own(System):
    """A mode of threesil's own prover, kept warm from problem to problem."""

    certified = True
    in_process = True

    def __init__(self, name: str, theory: Theory, mode: str, model: str | None) -> None:
        super().__init__(name)
        self._theory = theory
        self._mode = mode
        self._model = model if mode in (DEFAULT_MODE, *NEED_MODEL) else None

    @cached_property
    def prover(self) -> Prover:
        return Prover(self._theory, mode=self._mode, model=self._model)

    def describe(self, seconds: float) -> dict[str, Any]:
        model = self.prover.model
        weights = sha256(model.parameters.tobytes()).hexdigest()[:12] if model else "none"
        command = ["threesil", "prove", "--theory", self._theory.name, "--mode", self._mode]
        if self._model is not None:
            command += ["--model", self._model]
        return {
            "version": f"threesil {version('threesil')}, model {weights}",
            "command": shlex.join([*command, "--seconds", f"{seconds:g}"]),
            "proofs": "certified by the kernel",
        }

    def solve(self, problem: Problem, seconds: float) -> Row:
        """Its searches read the wall clock; one that got too little CPU time begins anew."""
        row = self._attempt(problem, seconds)
        if row.status == "Timeout" and row.cpu_seconds < _ALMOST * seconds:
            share = max(row.cpu_seconds, 1e-6) / seconds
            row = self._attempt(problem, seconds * min(WALL, 1.1 / share))
        return row

    def _attempt(self, problem: Problem, wall: float) -> Row:
        prover = self.prover  # made before the clock starts
        begin, cpu = time.perf_counter(), time.process_time()
        try:
            status = prover.prove(problem, seconds=wall).status
        except InputError:  # larger than what the prover takes
            status = "InputError"
        except MemoryError:
            status = "ResourceOut"
        times = time.perf_counter() - begin, time.process_time() - cpu
        return Row(self.name, problem.name, status, *(round(t, 6) for t in times))


class External(System):
    """An external prover, started anew for each problem."""

    def __init__(self, name: str, theory: Theory, prover: ExternalProver, memory: int) -> None:
        super().__init__(name)
        self._theory = theory
        self.prover = prover
        self._memory = memory

    def describe(self, seconds: float) -> dict[str, Any]:
        prover = self.prover
        file = f"problem{prover.suffix}"
        command = [prover.path.name, *prover.arguments(file, seconds, self._memory)]
        extra = [option for option in prover.options if option not in command]
        inside = f" (in the file: {' '.join(extra)})" if extra else ""
        return {
            "version": f"{prover.program} {prover.version()}",
            "command": shlex.join(command) + inside,
            "proofs": "as the prover says",
        }

    def solve(self, problem: Problem, seconds: float) -> Row:
        outcome = self.run(Task(self._theory, problem), seconds)
        times = round(outcome.seconds, 6), round(outcome.cpu_seconds, 6)
        return Row(self.name, problem.name, outcome.status, *times)

    def run(self, task: Task, seconds: float) -> Outcome:
        """The prover on a task, which may hold more than the problem."""
        return self.prover.run(task, seconds, self._memory, wall=WALL * seconds)


class Cooperation(System):
    """The model finds lemmas in half of the time, an external prover uses them in the rest."""

    in_process = True

    def __init__(self, name: str, own: Own, external: External, use: str) -> None:
        super().__init__(name)
        self._own = own
        self._external = external
        self._use = use

    def describe(self, seconds: float) -> dict[str, Any]:
        own, external = self._own.describe(seconds / 2), self._external.describe(seconds / 2)
        what = {"lemmas": "assumptions", "hints": "hints", "both": "assumptions and hints"}
        use = f"{COUNT} lemmas at the most as {what[self._use]}, found in {seconds / 2:g} s"
        return {
            "version": f"{external['version']} with {own['version']}",
            "command": f"{external['command']}; {use}",
            "proofs": external["proofs"],
        }

    def solve(self, problem: Problem, seconds: float) -> Row:
        prover = self._own.prover
        begin, cpu = time.perf_counter(), time.process_time()
        lemmas = find_lemmas(prover, problem, seconds=seconds / 2)
        model = time.process_time() - cpu
        task = with_lemmas(Task(prover.theory, problem), lemmas, self._use)
        outcome = self._external.run(task, seconds / 2)
        times = time.perf_counter() - begin, model + outcome.cpu_seconds
        return Row(self.name, problem.name, outcome.status, *(round(t, 6) for t in times))


class Portfolio(System):
    """The model, then all provers at once, with its lemmas; each has the limit's CPU time."""

    in_process = True

    def __init__(self, name: str, own: Own, provers: list[External], memory: int) -> None:
        super().__init__(name)
        self._own = own
        self._provers = provers
        self._memory = memory

    def describe(self, seconds: float) -> dict[str, Any]:
        parts = [self._own.describe(seconds), *(p.describe(seconds) for p in self._provers)]
        names = ",".join(p.name for p in self._provers) or "none"
        return {
            "version": ", ".join(part["version"] for part in parts),
            "command": f"{parts[0]['command']} --with {names}",
            "proofs": "certified by the kernel, or as the prover says",
        }

    def solve(self, problem: Problem, seconds: float) -> Row:
        prover = self._own.prover
        begin, cpu = time.perf_counter(), time.process_time()
        external = [p.prover for p in self._provers]
        try:
            outcome, _ = portfolio(prover, external, problem, seconds=seconds, memory=self._memory)
        except InputError:  # larger than what the prover takes
            return Row(self.name, problem.name, "InputError", 0.0, 0.0)
        spent = time.process_time() - cpu + sum(o.cpu_seconds for o in outcome.parts[1:])
        times = time.perf_counter() - begin, spent
        return Row(self.name, problem.name, outcome.status, *(round(t, 6) for t in times))


def make_system(
    spec: str, theory: str | Path | Theory, memory: int = MEMORY, model: str | None = None
) -> System:
    """The system that a text names; `model` is for those of threesil's own that use one.

    A prover that is not installed is a MissingTool.
    """
    chosen = get_theory(theory)
    if spec in OWN:
        return Own(spec, chosen, OWN[spec], model)
    if spec in PROVERS:
        return External(spec, chosen, find(spec), memory)
    prover, plus, helped_by = spec.partition("+")
    if plus and prover in PROVERS and helped_by in USES:
        own = Own(spec, chosen, "guided", model)
        if helped_by != "lemmas":
            find(prover).require_hints()
        return Cooperation(spec, own, External(prover, chosen, find(prover), memory), helped_by)
    if spec == PORTFOLIO:
        own = Own(spec, chosen, DEFAULT_MODE, model)
        external = [External(prover.name, chosen, prover, memory) for prover in found()]
        return Portfolio(spec, own, external, memory)
    known = (*OWN, *PROVERS, "PROVER+lemmas", PORTFOLIO)
    raise InputError(f"unknown system {spec!r}; expected {', '.join(known)}")


def read_specs(text: str) -> list[str]:
    """The texts between the commas, each of them once."""
    specs = [spec.strip() for spec in text.split(",") if spec.strip()]
    for spec in specs:
        if specs.count(spec) > 1:
            raise InputError(f"--systems names {spec} twice")
    return specs
