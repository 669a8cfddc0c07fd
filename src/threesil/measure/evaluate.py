"""Many problems under the same budget: a row for each, resumed where it was interrupted.

One program for all theories. Each worker has solvers of its own. The problems are cut into the
same jobs however many workers there are: one problem, or as many as a solver likes to play
together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from threesil.engine import Stop
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.gather import gather
from threesil.measure.results import Row
from threesil.measure.setting import Setting, make_setting
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import Warm
from threesil.search.solver import CERTIFIED, Solver, solve_each
from threesil.search.solvers import default_solver, solver_named
from threesil.search.weights import Uses, weights_for
from threesil.work.places import place_for

_TOGETHER: Final = 64  # problems that are played together


@dataclass(frozen=True)
class Evaluated:
    """The rows, in the order of the problems; fewer than these if it was stopped."""

    setting: Setting
    rows: tuple[Row, ...]


def evaluate(
    given: ProblemSet,
    request: Request,
    *,
    workers: int = 1,
    on: str | None = None,
    name: str = "the set",
    out: Path | None = None,
    proofs: Path | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    stop: Stop | None = None,
) -> Evaluated:
    """Tries each problem in its theory; `progress` hears of each row.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    each proof is written there, as `NAME.json`. `name` is what people call the set. `workers`
    problems are tried at a time, in threads; or, with `on` = `ray` or `ray://HOST:PORT`, on a
    cluster.
    """
    kind = solver_named(request.solver or default_solver(given.theory))
    options = {key: value for key, value in request.options.items() if value is not None}
    request = replace(request, solver=kind.name, options=options)
    digest = None
    # Each theory may have weights of its own.
    if not given.own or request.weights is not None or Uses.POLICY not in kind.uses:
        weights = weights_for(kind, given.theory, request.weights)
        request, digest = replace(request, weights=weights), weights.digest
    setting = make_setting(
        given.problems,
        given.theory_of,
        given.theory,
        name,
        kind.name,
        seconds=request.seconds,
        expansions=request.expansions,
        seed=request.seed,
        model=digest,
        options=options,
        shown={"proofs": CERTIFIED},
    )
    Warm(request).take(given.theory_of(given.problems[0]))  # refused before a file is made

    def solve(problems: Sequence[Problem]) -> Generator[Outcome, None, None]:
        with place_for(on, workers) as place:
            for done in place.map(partial(_Worker, request), _jobs(problems, given, kind), stop):
                yield done.get()

    rows = gather(given, setting, solve, out=out, proofs=proofs, progress=progress)
    return Evaluated(setting, rows)


_Job = tuple[Theory, list[Problem]]


def _jobs(problems: Sequence[Problem], given: ProblemSet, kind: type[Solver]) -> Iterator[_Job]:
    """Problems of the same theory, as many as the solver works on together."""
    most = 1 if kind.solve_all is Solver.solve_all else _TOGETHER
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


class _Worker:
    """A worker's solvers, which stay warm from job to job; after a failure they are made again."""

    def __init__(self, request: Request) -> None:
        self._name, self._warm = str(request.solver), Warm(request)

    def __call__(self, job: _Job, give: Callable[[Outcome], None], stop: Stop) -> None:
        theory, problems = job
        taken: list[Solver] = []

        def take() -> Solver:
            taken.append(self._warm.take(theory))
            return taken[-1]

        budget = self._warm.request.budget(stop)
        for outcome in solve_each(take, problems, budget, self._name):
            if taken:
                self._warm.give(taken[-1], outcome)
            if stop.is_set() and outcome.status in (SZS.USER, SZS.ERROR):
                return
            give(replace(outcome, turns=()))  # these are for people who watch; they don't travel
