"""The strategies by their names, and how one is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final

from threesil.engine import Budget, Network
from threesil.errors import InputError
from threesil.nets.find import bundled_model, find_model
from threesil.nets.model import Model
from threesil.outcome import SZS, Outcome
from threesil.proof import Proof, certify
from threesil.search.attempts import Plan, _Group, step_limit
from threesil.search.prover import MODES, NEED_MODEL, Prover
from threesil.search.strategy import Need, Strategy
from threesil.theory import Goal, Problem, Theory

_ANY: Final = 2**62


class _Searching(Strategy):
    """A mode of the prover."""

    def __init__(self, theory: Theory, model: Model | None, *, seed: int = 0) -> None:
        super().__init__(theory, model, seed=seed)
        self._prover = Prover(theory, mode=self.name, model=model, seed=seed)

    def prove(self, problem: Problem, budget: Budget) -> Outcome:
        limit: Any = budget.expansions
        seconds = budget.seconds
        try:
            found = self._prover.prove(problem, seconds=seconds, expansions=limit)
        except InputError as error:
            return Outcome(problem, SZS.GAVE_UP, by=self.name, reason=str(error))
        costs = found.seconds, found.cpu_seconds, found.expansions
        return Outcome(problem, SZS(found.status), *costs, by=self.name, proof=found.proof)


@dataclass(frozen=True)
class _Played(Outcome):
    steps: int | None = None
    attempts: int = 1


class _Episodes(Strategy):
    """Episodes of the policy."""

    needs_model: ClassVar = Need.ALWAYS
    goals: ClassVar = frozenset(Goal)

    def __init__(
        self,
        theory: Theory,
        model: Model | None,
        *,
        seed: int = 0,
        attempts: int = 32,
        steps: int | None = None,
    ) -> None:
        super().__init__(theory, model, seed=seed)
        assert model is not None
        self._network: Network = model.network()
        self.attempts, self.steps = attempts, steps

    def prove(self, problem: Problem, budget: Budget) -> Outcome:
        (outcome,) = self.prove_all([problem], budget)
        return outcome

    def prove_all(self, problems: Iterable[Problem], budget: Budget) -> Iterator[Outcome]:
        limit: Any = budget.expansions
        plan = Plan(
            greedy=self.name != "tree",
            samples=self.attempts if self.name in ("sample", "ladder") else 0,
            expansions=(limit or 20_000) if self.name in ("tree", "ladder") else 0,
            seed=self.seed,
        )
        for problem in problems:
            steps = self.steps or step_limit(self.theory, problem)
            group = _Certifying(self.theory, [problem], self._network, plan, steps, 0)
            (played,) = group.solve()
            yield _Played(
                problem,
                SZS.THEOREM if played.solved else SZS.GAVE_UP,
                played.seconds,
                played.seconds,
                by=self.name,
                proof=group.proof,
                steps=played.steps,
                attempts=played.attempts,
            )


class _Certifying(_Group):
    proof: Proof | None = None

    def accept(self, index: int, actions: list[int]) -> None:
        derivation = self.batch.derivation_of(index, actions)
        self.proof = certify(self.theory, self.problems[index], derivation)
        self.solutions[index] = actions


def _need(mode: str) -> Need:
    if mode in NEED_MODEL:
        return Need.ALWAYS
    return Need.IF_ANY if mode == "best" else Need.NEVER


def _kinds() -> Iterator[type[Strategy]]:
    for mode in ("best", "unguided", "guided", "plain", "saturate"):
        facts = {"name": mode, "about": MODES[mode], "needs_model": _need(mode)}
        yield type(mode, (_Searching,), facts)
    for mode in ("tree", "sample", "greedy", "ladder"):
        options = ("attempts", "steps") if mode in ("sample", "ladder") else ("steps",)
        yield type(mode, (_Episodes,), {"name": mode, "about": mode, "options": options})


STRATEGIES: Final[Mapping[str, type[Strategy]]] = MappingProxyType(
    {kind.name: kind for kind in _kinds()}
)


def default_strategy(theory: Theory) -> str:
    """What is tried where nobody says how."""
    return "best" if theory.goal is Goal.EQUATION else "ladder"


def make_strategy(
    name: str,
    theory: Theory,
    *,
    model: str | Path | Model | None = None,
    seed: int = 0,
    **options: Any,
) -> Strategy:
    """The strategy of that name for a theory; options that are None are left out."""
    kind = strategy_named(name)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in kind.options:
            raise InputError(f"{key} means nothing to strategy {name}")
    return kind(theory, model_for(kind, theory, model), seed=seed, **given)


def strategy_named(name: str) -> type[Strategy]:
    """The strategy's class."""
    if name not in STRATEGIES:
        raise InputError(f"unknown strategy {name!r}; expected {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def model_for(
    kind: type[Strategy], theory: Theory, model: str | Path | Model | None
) -> Model | None:
    """The model that a strategy would use: of the theory, or of the one that it is a part of."""
    base = theory.base or theory
    if isinstance(model, Model):
        if model.theory.digest != base.digest:
            raise InputError(f"a model of {model.theory.name}, not of {base.name}")
        return model
    if kind.needs_model is Need.NEVER:
        if model is not None:
            raise InputError(f"strategy {kind.name} uses no model; leave --model out")
        return None
    if model is not None:
        return find_model(str(model), base)
    return find_model(None, base) if kind.needs_model is Need.ALWAYS else bundled_model(base)
