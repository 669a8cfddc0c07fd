"""Many problems under the same budget: a row for each, resumed where it was interrupted.

One program for all theories. Each worker has solvers of its own. The problems are cut into the
same jobs however many workers there are: one problem, or as many as a solver likes to play
together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

from threesil.engine import Stop
from threesil.files import write_atomically
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.outcome_json import certificates_to_json
from threesil.measure.results import Results, Row, refused_rows, row_of
from threesil.measure.setting import Setting, make_setting
from threesil.notations.reading.certificates import has_certificate
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import Warm, check_solver
from threesil.search.solver import CERTIFIED, Solver, solve_each
from threesil.search.solvers import default_solver, solver_named
from threesil.search.weights import Uses, weights_for
from threesil.theories import benchmark_of
from threesil.work.places import place_for

_TOGETHER: Final = 64  # problems that are played together
_LONGEST: Final = 150  # characters of a problem's name in the name of a file


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
) -> tuple[Row, ...]:
    """Tries each problem in its theory; `progress` hears of each row, also of files not read.

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
    check_solver(request, given.theories)  # before a file is made

    def solve(problems: Sequence[Problem]) -> Generator[Outcome, None, None]:
        with place_for(on, workers) as place:
            for done in place.map(partial(_Worker, request), _jobs(problems, given, kind), stop):
                yield done.get()

    return gather(given, setting, solve, out=out, proofs=proofs, progress=progress)


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


def gather(
    given: ProblemSet,
    setting: Setting,
    solve: Callable[[Sequence[Problem]], Generator[Outcome, None, None]],
    *,
    out: Path | None,
    proofs: Path | None,
    kept: Collection[SZS] = (SZS.THEOREM,),
    progress: Callable[[Row], None],
) -> tuple[Row, ...]:
    """The rows of the problems, in their order; fewer than these if `solve` was stopped.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    the certificates of outcomes with one of the statuses `kept` are written there, as `NAME.json`.
    """
    rows: dict[str, Row] = {}
    asked = {problem.name: problem for problem in given.problems}
    benchmark = benchmark_of(given.theory)

    def stands(row: Row) -> bool:
        """Whether a row needs no certificate, or has one."""
        if row.name not in asked or proofs is None or not row.certified or row.status not in kept:
            return True
        problem, path = asked[row.name], proof_path(proofs, row.name)
        return has_certificate(path, given.theory_of(problem), problem, row.status)

    results: Results | None = None

    def keep(row: Row) -> None:
        if results is not None:
            results.add(row)
        rows[row.name] = row
        progress(row)

    with ExitStack() as stack:
        if out is not None:
            results = stack.enter_context(Results(out, setting, given.names, keep=stands))
            for row in results.rows.values():
                rows[row.name] = row
                progress(row)
        for row in refused_rows(given, setting.system):
            if row.name not in rows:
                keep(row)
        left = [problem for problem in given.problems if problem.name not in rows]
        for outcome in stack.enter_context(closing(solve(left))):
            problem = asked[outcome.problem.name]
            stratum = benchmark.stratum(problem) if benchmark.steps else None
            row = row_of(outcome, given.theory_of(problem), problem, stratum)
            if proofs is not None and outcome.certified and outcome.status in kept:
                for value in certificates_to_json(outcome).values():
                    text = f"{json.dumps(value, indent=1)}\n"
                    write_atomically(proof_path(proofs, problem.name), text.encode())
            keep(row)
    return tuple(rows[name] for name in given.names if name in rows)


def proof_path(directory: Path, name: str) -> Path:
    """Where the proof of a problem is written: its name, or what can be the name of a file."""
    plain = quote(name, safe=" ()+,=@~")
    if len(plain) > _LONGEST:
        plain = f"{plain[:_LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return directory / f"{plain}.json"
