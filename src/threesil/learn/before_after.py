"""The table of a training on problems that were recorded or sampled: before and after.

Held out are the theorems that the training itself has put aside, else the theory's set `dev`, or
where problems are sampled, others of the kind. Nothing that was trained on is among them. Equations
are proved by `best`, without this model and with it. Where terms are rewritten, the network as the
training began with it and the trained one play a greedy episode each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.learn.held_out import (
    FILE,
    Shares,
    compared,
    episodes_of,
    read_shares,
    spread,
    times_of,
    write_shares,
)
from threesil.learn.preparing import TEST, Listen, held_back
from threesil.learn.task import SAMPLED, Task
from threesil.nets.model import Model, initial_parameters
from threesil.problems.parts import FEWEST
from threesil.problems.sets import different, load_set, sample_set
from threesil.search.learned import POLICY, read_judgement, write_judgement
from threesil.theories import benchmark_of

MOST = 300  # problems
ENOUGH = 60.0  # CPU seconds for all of them
_TOGETHER = 20  # problems that are measured before and after, until it is enough
_SEED = 1  # of sampled problems; those that are trained on have another

Times = list[float | None]


def before_after(
    directory: Path, task: Task, listen: Listen, say: Callable[[str], None], stop: Stop | None
) -> list[Shares]:
    """The rows of the table, made anew if the policy is another; none if nothing is held out."""
    after = Model.load(directory / POLICY, task.theory)
    judgement = read_judgement(directory)
    if judgement.get("of") == after.digest and (directory / FILE).exists():
        return read_shares(directory)
    (directory / FILE).unlink(missing_ok=True)
    try:
        problems = held_out(directory, task.theory, task.problems, task.problem_set)
    except InputError as error:
        say(f"no table before and after: {error}")
        return []
    if not problems:
        return []
    if task.theory.goal is Goal.EQUATION:
        rows = compared(*_proved(after, problems, listen, stop))
    else:
        drawn = initial_parameters(task.theory, after.shape, task.seed)
        before = task.start or Model(task.theory, after.shape, drawn)
        rows = compared(*_played((before, after), problems, listen, stop), times=(None,))
    write_shares(directory, rows)
    write_judgement(directory, {**judgement, "of": after.digest})
    return rows


def held_out(
    directory: Path, theory: Theory, known: Sequence[Problem], problem_set: str
) -> list[Problem]:
    """At most `MOST` problems, easy and hard ones, that say nothing that is known."""
    problems = held_back(directory, theory, TEST)
    if not problems and len(known) >= FEWEST:
        if "dev" in benchmark_of(theory).sets:
            problems = load_set(theory, "dev")
        elif SAMPLED in problem_set.split("+"):
            problems = sample_set(theory, len(known) + MOST, _SEED)
    trained = len(different(theory, known))
    return spread(different(theory, [*known, *problems])[trained:], MOST)


def _proved(
    model: Model, problems: Sequence[Problem], listen: Listen, stop: Stop | None
) -> tuple[Times, Times]:
    """CPU seconds of proofs without the model and with it, of as many as there is time for."""
    before, after = Times(), Times()
    begin = time.process_time()
    for some in _parts(problems):
        spent = time.process_time() - begin
        if before and spent * (1 + len(some) / len(before)) > ENOUGH:
            break
        listen("held out, before and after", len(before), len(problems))
        before += times_of(model.theory, some, None, stop=stop)
        after += times_of(model.theory, some, model, stop=stop)
    return before, after


def _parts(problems: Sequence[Problem]) -> Iterator[Sequence[Problem]]:
    """The problems, a few at a time, easy and hard ones in each part."""
    count = -(-len(problems) // _TOGETHER)
    yield from (problems[first::count] for first in range(count))


def _played(
    models: tuple[Model, Model], problems: Sequence[Problem], listen: Listen, stop: Stop | None
) -> tuple[Times, Times]:
    """CPU seconds of the episodes of both models that solve their problems."""
    times = []
    for done, model in enumerate(models):
        listen(f"held out, {'after' if done else 'before'}", done, len(models))
        times.append(episodes_of(model, problems, stop=stop))
    return times[0], times[1]
