"""The systems that can be compared, and the texts that name them.

A *system* tries one problem at a time and says what came of it. The texts are

    best, plain, …  a strategy of threesil
    prover9, e, …   an external prover
    prover9+lemmas  an external prover that the model's lemmas help, or +hints, or +both; half of
                    the time is the model's
    prover9+episode the same with the paper's own lemmas: before = after for each side that one
                    episode rewrites
    portfolio       what `threesil prove` does with all provers that are found

Limits are on CPU time, so that other work on the machine changes nothing but how long it all takes.
What threesil proves is certified; what an external prover says is a claim.
"""

from __future__ import annotations

import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from threesil.engine import Budget
from threesil.errors import InputError
from threesil.kernel.outcome import Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.provers import MEMORY, PROVERS, ExternalProver, Task, find, found
from threesil.provers.cooperate import COUNT, episode_lemmas, find_lemmas, portfolio, with_lemmas
from threesil.search.prover import Prover
from threesil.search.strategies import STRATEGIES, make_strategy, model_for, strategy_named
from threesil.search.strategy import Need, Strategy

USES: Final = {"lemmas": "assumptions", "hints": "hints", "both": "assumptions and hints"}
EPISODE: Final = "episode"
PORTFOLIO: Final = "portfolio"
CERTIFIED: Final = "certified by the kernel"
CLAIMED: Final = "claims: as the prover says"


@dataclass(frozen=True)
class Facts:
    """What a system is. `options` and the digest of the `model` decide whether it is the same.

    `shown` is what a report says about it: `version`, `command`, `proofs`.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    shown: Mapping[str, str] = field(default_factory=dict)


class System(ABC):
    """Something that solves problems. `name` is the text that names it.

    `in_process`: it works inside the process that asks, which therefore bears the limit on memory.
    """

    in_process: bool = False

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def facts(self, seconds: float) -> Facts:
        """What it is, under this limit."""

    @abstractmethod
    def solve(self, theory: Theory, problem: Problem, seconds: float) -> Outcome:
        """Tries for so many seconds of CPU time."""


class Own(System):
    """A strategy of threesil, kept warm from problem to problem."""

    in_process = True

    def __init__(self, name: str, theory: Theory, strategy: str, model: str | None) -> None:
        super().__init__(name)
        kind = strategy_named(strategy)
        self.strategy = strategy
        self._theory = theory
        self._file = None if kind.needs_model is Need.NEVER else model
        self.model = model_for(kind, theory, self._file)
        self._warm: Strategy = self._make(theory)

    def _make(self, theory: Theory) -> Strategy:
        return make_strategy(self.strategy, theory, model=self.model)

    def facts(self, seconds: float) -> Facts:
        digest = self.model.digest if self.model else None
        command = ["threesil", "evaluate", "PROBLEMS", "--theory", self._theory.name]
        command += ["--mode", self.strategy, "--seconds", f"{seconds:g}"]
        if self._file is not None:
            command += ["--model", self._file]
        shown = {
            "version": f"threesil {version('threesil')}, model {digest[:12] if digest else 'none'}",
            "command": shlex.join(command),
            "proofs": CERTIFIED,
        }
        return Facts({"strategy": self.strategy}, digest, shown)

    def solve(self, theory: Theory, problem: Problem, seconds: float) -> Outcome:
        if self._warm.theory is not theory:
            self._warm = self._make(theory)
        return replace(self._warm.prove(problem, Budget(None, seconds)), by=self.name)


class External(System):
    """An external prover, started anew for each problem."""

    def __init__(self, name: str, prover: ExternalProver, memory: int) -> None:
        super().__init__(name)
        self.prover = prover
        self.memory = memory

    def facts(self, seconds: float) -> Facts:
        prover = self.prover
        file = f"problem{prover.suffix}"
        command = [prover.path.name, *prover.arguments(file, seconds, self.memory)]
        extra = [option for option in prover.options if option not in command]
        inside = f" (in the file: {' '.join(extra)})" if extra else ""
        program = f"{prover.program} {prover.version()}"
        shown = {"version": program, "command": shlex.join(command) + inside, "proofs": CLAIMED}
        return Facts({"program": program, "options": list(prover.options)}, None, shown)

    def solve(self, theory: Theory, problem: Problem, seconds: float) -> Outcome:
        return self.run(Task(theory, problem), seconds)

    def run(self, task: Task, seconds: float) -> Outcome:
        """The prover on a task, which may hold more than the problem."""
        return self.prover.run(task, seconds, self.memory)


class Cooperation(System):
    """The model finds lemmas in half of the time, an external prover uses them in the rest."""

    in_process = True

    def __init__(self, name: str, own: Own, external: External, use: str) -> None:
        super().__init__(name)
        self._own = own
        self._external = external
        self._use = use
        self._provers = _Provers(own)

    def facts(self, seconds: float) -> Facts:
        own, external = self._own.facts(seconds / 2), self._external.facts(seconds / 2)
        if self._use == EPISODE:
            count, use = 2, "before = after for each side that one episode rewrites"
        else:
            count = COUNT
            use = f"{COUNT} lemmas at the most as {USES[self._use]}, found in {seconds / 2:g} s"
        shown = {
            "version": f"{external.shown['version']} with {own.shown['version']}",
            "command": f"{external.shown['command']}; {use}",
            "proofs": CLAIMED,
        }
        return Facts({**external.options, "lemmas": count, "use": self._use}, own.model, shown)

    def solve(self, theory: Theory, problem: Problem, seconds: float) -> Outcome:
        prover = self._provers.of(theory)
        begin, cpu = time.perf_counter(), time.process_time()
        if self._use == EPISODE:
            lemmas, use = episode_lemmas(prover, problem), "lemmas"
        else:
            lemmas, use = find_lemmas(prover, problem, seconds=seconds / 2), self._use
        spent = time.process_time() - cpu
        task = with_lemmas(Task(theory, problem), lemmas, use)
        outcome = self._external.run(task, seconds / 2)
        cpu_seconds = spent + outcome.cpu_seconds
        took = time.perf_counter() - begin
        return replace(outcome, by=self.name, seconds=took, cpu_seconds=cpu_seconds)


class Portfolio(System):
    """The model, then all provers at once, with its lemmas."""

    in_process = True

    def __init__(self, name: str, own: Own, externals: list[External], memory: int) -> None:
        super().__init__(name)
        self._own = own
        self._externals = externals
        self._memory = memory
        self._provers = _Provers(own)

    def facts(self, seconds: float) -> Facts:
        own, others = self._own.facts(seconds), [e.facts(seconds) for e in self._externals]
        names = [external.name for external in self._externals]
        shown = {
            "version": ", ".join(part.shown["version"] for part in (own, *others)),
            "command": f"{own.shown['command']} --with {','.join(names) or 'none'}",
            "proofs": f"{CERTIFIED}, or {CLAIMED}",
        }
        options = {name: dict(part.options) for name, part in zip(names, others, strict=True)}
        return Facts({"provers": options}, own.model, shown)

    def solve(self, theory: Theory, problem: Problem, seconds: float) -> Outcome:
        prover = self._provers.of(theory)
        externals = [external.prover for external in self._externals]
        return portfolio(prover, externals, problem, seconds=seconds, memory=self._memory)[0]


class _Provers:
    """The prover with a system's model, for one theory after the other."""

    def __init__(self, own: Own) -> None:
        self._own = own
        self._warm: Prover | None = None

    def of(self, theory: Theory) -> Prover:
        if self._warm is None or self._warm.theory is not theory:
            self._warm = Prover(theory, mode=self._own.strategy, model=self._own.model)
        return self._warm


def make_system(
    spec: str, theory: Theory, memory: int = MEMORY, model: str | Path | None = None
) -> System:
    """The system that a text names; `model` is for those of threesil's own that use one.

    A prover that is not installed is a MissingTool.
    """
    file = None if model is None else str(model)
    if spec in STRATEGIES:
        return Own(spec, theory, spec, file)
    if spec in PROVERS:
        return External(spec, find(spec), memory)
    prover, plus, helped_by = spec.partition("+")
    if plus and prover in PROVERS and helped_by in (*USES, EPISODE):
        external = External(prover, find(prover), memory)
        if helped_by in ("hints", "both"):
            external.prover.require_hints()
        return Cooperation(spec, Own(spec, theory, "guided", file), external, helped_by)
    if spec == PORTFOLIO:
        externals = [External(one.name, one, memory) for one in found()]
        return Portfolio(spec, Own(spec, theory, "best", file), externals, memory)
    known = (*STRATEGIES, *PROVERS, "PROVER+lemmas", "PROVER+episode", PORTFOLIO)
    raise InputError(f"unknown system {spec!r}; expected {', '.join(known)}")


def uses_model(spec: str) -> bool:
    """Whether a model makes a difference to the system."""
    if spec in STRATEGIES:
        return STRATEGIES[spec].needs_model is not Need.NEVER
    return spec not in PROVERS


def read_specs(text: str) -> list[str]:
    """The texts between the commas, each of them once."""
    specs = [spec.strip() for spec in text.split(",") if spec.strip()]
    for spec in specs:
        if specs.count(spec) > 1:
            raise InputError(f"--systems names {spec} twice")
    return specs
