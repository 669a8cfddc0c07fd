"""Many problems under the same budget: a row for each, resumed where it was interrupted.

One program for all theories. Workers are threads, for the searches hold no interpreter lock; each
has solvers of its own. The problems are cut into the same jobs however many workers there are:
one problem, or as many as a solver likes to play together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

from threesil.engine import Stop
from threesil.files import write_atomically
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.results import Results, Row, row_of
from threesil.measure.setting import Setting, make_setting
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading.certificates import has_certificate
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.provers.solvers import Warm
from threesil.search.solver import CERTIFIED, Solver, solve_each
from threesil.search.solvers import default_solver, solver_named
from threesil.search.weights import Uses, weights_for
from threesil.theories import benchmark_of
from threesil.work.on_ray import on_ray
from threesil.work.threads import in_threads

_TOGETHER: Final = 64  # problems that are played together
_LONGEST: Final = 150  # characters of a problem's name in the name of a file


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
    stop = stop or Stop()
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
    rows: dict[str, Row] = {}
    with ExitStack() as stack:
        results = None
        if out is not None:
            names = [problem.name for problem in given.problems]
            keep = _has_proof(proofs, given)
            results = stack.enter_context(Results(out, setting, names, keep=keep))
            for row in results.rows.values():
                rows[row.name] = row
                progress(row)
        left = [problem for problem in given.problems if problem.name not in rows]
        asked = {problem.name: problem for problem in left}
        benchmark = benchmark_of(given.theory)
        outcomes = _outcomes(_jobs(left, given, kind), request, workers, on, stop)
        for outcome in stack.enter_context(closing(outcomes)):
            problem = asked[outcome.problem.name]
            stratum = benchmark.stratum(problem) if benchmark.steps else None
            row = row_of(outcome, given.theory_of(problem), problem, stratum)
            if proofs is not None and outcome.proof is not None:
                text = json.dumps(proof_to_json(outcome.proof), indent=1) + "\n"
                write_atomically(proof_path(proofs, outcome.problem.name), text.encode())
            if results is not None:
                results.add(row)
            rows[row.name] = row
            progress(row)
    ordered = (rows[problem.name] for problem in given.problems if problem.name in rows)
    return Evaluated(setting, tuple(ordered))


def proof_path(directory: Path, name: str) -> Path:
    """Where the proof of a problem is written: its name, or what can be the name of a file."""
    plain = quote(name, safe=" ()+,=@~")
    if len(plain) > _LONGEST:
        plain = f"{plain[:_LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return directory / f"{plain}.json"


def _has_proof(proofs: Path | None, given: ProblemSet) -> Callable[[Row], bool]:
    """Whether a row stands: what is proved needs its proof if proofs are asked for."""
    problems = {problem.name: problem for problem in given.problems}

    def keep(row: Row) -> bool:
        if proofs is None or not row.certified or row.status is not SZS.THEOREM:
            return True
        problem, path = problems[row.name], proof_path(proofs, row.name)
        return has_certificate(path, given.theory_of(problem), problem, row.status)

    return keep


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


def _outcomes(
    jobs: Iterator[_Job], request: Request, workers: int, on: str | None, stop: Stop
) -> Generator[Outcome, None, None]:
    """Outcomes as they come; what is under way when `stop` is set is forgotten."""
    if on is not None:
        return on_ray(on, jobs, _Remote(request), workers, stop)

    def worker() -> Callable[[_Job], Iterator[Outcome]]:
        warm = Warm(request)

        def work(job: _Job) -> Iterator[Outcome]:
            for outcome in _tried(warm, job, stop):
                if stop.is_set() and outcome.status in (SZS.USER, SZS.ERROR):
                    break
                yield outcome

        return work

    return in_threads(jobs, worker, workers, stop)


def _tried(warm: Warm, job: _Job, stop: Stop | None = None) -> Iterator[Outcome]:
    """The outcomes of a job, by solvers that stay warm; after a failure they are made anew."""
    theory, problems = job
    taken: list[Solver] = []

    def take() -> Solver:
        taken.append(warm.take(theory))
        return taken[-1]

    for outcome in solve_each(take, problems, warm.request.budget(stop), str(warm.request.solver)):
        if taken:
            warm.give(taken[-1], outcome)
        yield outcome


class _Remote:
    """The same in a worker of a cluster; its solvers stay there."""

    def __init__(self, request: Request) -> None:
        self._warm = Warm(request)

    def __call__(self, job: _Job) -> list[Outcome]:
        # Turns are for people who watch; they don't travel.
        return [replace(found, turns=()) for found in _tried(self._warm, job)]
