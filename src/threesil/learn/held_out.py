"""The table before and after: what is proved of the problems that were held out.

Nothing that was trained on is among them. They are the test part of a training that makes its
problems, else the theory's set `dev`, or where problems are sampled, others of the kind. Equations
are proved by `best`, without what was learned and with it. Where terms are rewritten, the network
as the training began with it and the trained one play a greedy episode each.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

from threesil.engine import Budget, Stop, Stopped
from threesil.errors import InputError
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.learn.task import SAMPLED, Task
from threesil.learn.watching import Watching
from threesil.measure.compare.statistics import mcnemar
from threesil.nets.policy import Policy, initial_parameters
from threesil.problems.parts import FEWEST
from threesil.problems.sets import different, load_set, sample_set
from threesil.runs.findings import Shares
from threesil.runs.run import TEST, Run
from threesil.search.learned import Learned
from threesil.search.solvers import make_solver
from threesil.search.weights import Given
from threesil.theories import benchmark_of

TIMES = (0.001, 0.01, 0.1, 1.0)  # CPU seconds
MOST = 300  # problems of a table
ENOUGH = 60.0  # CPU seconds for all of them
_TOGETHER = 20  # problems that are measured before and after, until it is enough
_SEED = 1  # of sampled problems; those that are trained on have another

Seconds = list[float | None]


def times_of(
    theory: Theory,
    problems: Sequence[Problem],
    model: Given,
    *,
    seconds: float = TIMES[-1],
    progress: Callable[[int], None] = lambda done: None,
    stop: Stop | None = None,
) -> list[float | None]:
    """CPU seconds of certified proofs; None where there was none in time."""
    solver = make_solver("best" if model else "unguided", theory, weights=model)
    if problems:  # what is made at the first use counts for no problem
        solver.solve(problems[0], Budget(None, TIMES[0]))
    times = []
    for done, problem in enumerate(problems, 1):
        outcome = solver.solve(problem, Budget(None, seconds, stop=stop))
        if stop is not None and stop.is_set():
            raise Stopped
        times.append(outcome.cpu_seconds if outcome.proved else None)
        progress(done)
    return times


def episodes_of(
    model: Policy, problems: Sequence[Problem], *, stop: Stop | None = None
) -> list[float | None]:
    """CPU seconds of greedy episodes, one a problem; None where it was not solved."""
    solver = make_solver("greedy", model.theory, weights=model)
    outcomes = solver.solve_all(problems, Budget(None, None, stop=stop))
    return [outcome.cpu_seconds if outcome.proved else None for outcome in outcomes]


def spread(problems: Sequence[Problem], count: int) -> list[Problem]:
    """So many of the problems, easy and hard ones alike, or all of them."""
    count = min(count, len(problems))
    return [problems[k * len(problems) // count] for k in range(count)]


def compared(
    before: Sequence[float | None],
    after: Sequence[float | None],
    times: Sequence[float | None] = TIMES,
) -> list[Shares]:
    """A row for each of the times."""
    rows = []
    for seconds in times:
        limit = math.inf if seconds is None else seconds
        first = [t is not None and t <= limit for t in before]
        second = [t is not None and t <= limit for t in after]
        lost = sum(a and not b for a, b in zip(first, second, strict=True))
        won = sum(b and not a for a, b in zip(first, second, strict=True))
        p = mcnemar(lost, won)
        rows.append(Shares(seconds, len(first), sum(first), sum(second), lost, won, p))
    return rows


def with_learned(learned: Learned, problems: Sequence[Problem], watching: Watching) -> list[Shares]:
    """The rows for what a training from axioms has learned: lemmas, a policy, a schedule."""

    def times(what: str, use: Learned | None) -> Seconds:
        def progress(done: int) -> None:
            watching.listen(f"held out, {what}", done, len(problems))

        return times_of(learned.theory, problems, use, progress=progress, stop=watching.stop)

    before = times("before", None)
    return compared(before, times("after", learned) if learned.helps else before)


def with_policy(run: Run, task: Task, watching: Watching) -> list[Shares]:
    """The rows for a policy; none if nothing is held out."""
    try:
        problems = problems_of(run, task)
    except InputError as error:
        watching.say(f"no table before and after: {error}")
        return []
    if not problems:
        return []
    after = run.policy(task.theory)
    if task.theory.goal is Goal.EQUATION:
        return compared(*_proved(after, problems, watching))
    drawn = initial_parameters(task.theory, after.shape, task.seed)
    before = task.start or Policy(task.theory, after.shape, drawn)
    return compared(*_played((before, after), problems, watching), times=(None,))


def problems_of(run: Run, task: Task) -> list[Problem]:
    """At most `MOST` problems, easy and hard ones, that say nothing that is trained on."""
    theory, known = task.theory, task.problems
    problems = run.held_out(TEST, theory)
    if not problems and len(known) >= FEWEST:
        if "dev" in benchmark_of(theory).sets:
            problems = load_set(theory, "dev")
        elif SAMPLED in task.problem_set.split("+"):
            problems = sample_set(theory, len(known) + MOST, _SEED)
    trained = len(different(theory, known))
    return spread(different(theory, [*known, *problems])[trained:], MOST)


def _proved(
    model: Policy, problems: Sequence[Problem], watching: Watching
) -> tuple[Seconds, Seconds]:
    """CPU seconds of proofs without the weights and with them, of as many as there is time for."""
    before, after = Seconds(), Seconds()
    begin = time.process_time()
    for some in _parts(problems):
        spent = time.process_time() - begin
        if before and spent * (1 + len(some) / len(before)) > ENOUGH:
            break
        watching.listen("held out, before and after", len(before), len(problems))
        before += times_of(model.theory, some, None, stop=watching.stop)
        after += times_of(model.theory, some, model, stop=watching.stop)
    return before, after


def _parts(problems: Sequence[Problem]) -> Iterator[Sequence[Problem]]:
    """The problems, a few at a time, easy and hard ones in each part."""
    count = -(-len(problems) // _TOGETHER)
    yield from (problems[first::count] for first in range(count))


def _played(
    models: tuple[Policy, Policy], problems: Sequence[Problem], watching: Watching
) -> tuple[Seconds, Seconds]:
    """CPU seconds of the episodes of both policies that solve their problems."""
    times = []
    for done, model in enumerate(models):
        watching.listen(f"held out, {'after' if done else 'before'}", done, len(models))
        times.append(episodes_of(model, problems, stop=watching.stop))
    return times[0], times[1]
