"""Many problems under the same budget: a row for each, gone on with where it was interrupted.

One program for all theories. Workers are threads, for the searches hold no interpreter lock; each
has strategies of its own. The problems are cut into the same jobs however many workers there are:
one problem, or as many as a strategy likes to play together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from threesil.engine import Budget, Stop
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.gather import gather
from threesil.measure.results import Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems import ProblemSet
from threesil.search.strategies import AnyModel, make_strategy, model_for, strategy_named
from threesil.search.strategy import Need, Strategy, prove_each
from threesil.work.places import place_for

_TOGETHER: Final = 64  # problems that are played together


@dataclass(frozen=True)
class How:
    """How problems are tried: a strategy with its options, and what each problem may cost.

    `seconds` are of CPU time. Options that are None are left to the strategy.
    """

    strategy: str
    seconds: float = 60.0
    expansions: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    model: str | Path | AnyModel | None = None
    seed: int = 0
    workers: int = 1
    on: str | None = None
    """`ray`, or `ray://HOST:PORT`: problems are tried on a Ray cluster, not in threads"""


@dataclass(frozen=True)
class Evaluated:
    """The rows, in the order of the problems; fewer than these if it was stopped."""

    setting: Setting
    rows: tuple[Row, ...]


def evaluate(
    given: ProblemSet,
    how: How,
    *,
    name: str = "the set",
    out: Path | None = None,
    proofs: Path | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    stop: Stop | None = None,
) -> Evaluated:
    """Tries each problem in its theory; `progress` hears of each row.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    each proof is written there, as `NAME.json`. `name` is what people call the set.
    """
    kind = strategy_named(how.strategy)
    # Each theory may have a model of its own.
    mixed = bool(given.own) and how.model is None and kind.needs_model is not Need.GENERAL
    model = None if mixed else model_for(kind, given.theory, how.model)
    setting = make_setting(
        given.problems,
        given.theory_of,
        given.theory,
        name,
        how.strategy,
        seconds=how.seconds,
        expansions=how.expansions,
        seed=how.seed,
        model=model.digest if model else None,
        options={key: value for key, value in how.options.items() if value is not None},
        shown={"proofs": "certified by the kernel"},
    )
    _strategy(how, given.theory_of(given.problems[0]), model)  # refused before a file is made

    def solve(problems: Sequence[Problem]) -> Generator[Outcome, None, None]:
        return _outcomes(_jobs(problems, given, kind), how, model, stop)

    rows = gather(given, setting, solve, out=out, proofs=proofs, progress=progress)
    return Evaluated(setting, rows)


def _strategy(how: How, theory: Theory, model: AnyModel | None) -> Strategy:
    return make_strategy(how.strategy, theory, model=model, seed=how.seed, **how.options)


_Job = tuple[Theory, list[Problem]]


def _jobs(problems: Sequence[Problem], given: ProblemSet, kind: type[Strategy]) -> Iterator[_Job]:
    """Problems of the same theory, as many as the strategy works on together."""
    most = 1 if kind.prove_all is Strategy.prove_all else _TOGETHER
    theory, job = given.theory, list[Problem]()
    for problem in problems:
        wanted = given.theory_of(problem)
        if job and (wanted is not theory or len(job) == most):
            yield theory, job
            job = []
        theory = wanted
        job.append(problem)
    if job:
        yield theory, job


def _outcomes(
    jobs: Iterator[_Job], how: How, model: AnyModel | None, stop: Stop | None
) -> Generator[Outcome, None, None]:
    """Outcomes as they come; what is under way when `stop` is set is forgotten."""
    with place_for(how.on, how.workers) as place:
        make = partial(_Own, replace(how, model=None), model)
        for done in place.map(make, jobs, stop):
            yield done.get()


class _Own:
    """A worker's strategy, which stays warm from job to job; after a failure it is made anew."""

    def __init__(self, how: How, model: AnyModel | None) -> None:
        self._how, self._model = how, model
        self._strategy: Strategy | None = None

    def __call__(self, job: _Job, give: Callable[[Outcome], None], stop: Stop) -> None:
        theory, problems = job
        budget = Budget(self._how.expansions, self._how.seconds, stop=stop)

        def take() -> Strategy:
            """The warm one; it comes back when all has gone well."""
            own, self._strategy = self._strategy, None
            if own is None or (own.theory is not theory and own.theory.digest != theory.digest):
                own = _strategy(self._how, theory, self._model)
            taken.append(own)
            return own

        taken: list[Strategy] = []
        for outcome in prove_each(take, problems, budget, self._how.strategy):
            well = outcome.status not in (SZS.ERROR, SZS.RESOURCE_OUT)
            self._strategy = taken[-1] if well and taken else None
            if stop.is_set() and outcome.status in (SZS.USER, SZS.ERROR):
                return
            give(replace(outcome, turns=()))  # these are for people who watch; they don't travel
