"""Learning from axioms alone: what is done, stage by stage, and how the time is shared out.

Each stage leaves what it found in the directory of the run, and run.json says which stages are
done: a training that was interrupted is resumed with the stage that was under way. Rules and
theorems have no file of their own; they are made again in no time, because how difficult theorems
are is kept. A training on problems that people give has the stages `policy` and `table` only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

from threesil.engine import Stopped
from threesil.errors import InputError
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem
from threesil.learn import held_out
from threesil.learn.growing import derived, grade, growing_theorems
from threesil.learn.lemma_choice import choose_amounts, choose_costs, choose_lemmas
from threesil.learn.pair_training import tune_pairs
from threesil.learn.task import Task, read_config, read_task
from threesil.learn.training import STAGE as POLICY
from threesil.learn.training import Training
from threesil.learn.watching import Begun, Watching
from threesil.learn.what_helps import choose_use, search_times
from threesil.problems.files import is_solved
from threesil.problems.parts import Parts, part_of, split
from threesil.problems.sets import different
from threesil.runs.measured import Measured
from threesil.runs.run import DEV, TEST, Run
from threesil.search.learned import Learned, read_learned
from threesil.work.places import place_for

_LEAST = 0.2  # minutes of epochs
_PAIRS, _AMOUNTS = 60.0, 15.0  # seconds for these stages, where no time was given
_LOOKED_AT = 100  # problems of the development part


@dataclass
class Session:
    """A run while it is being trained: what the stages share as long as the process lives."""

    run: Run
    watching: Watching
    on: str | None = None
    """the cluster that plays and searches, if one does"""
    training: Training | None = None

    @cached_property
    def task(self) -> Task:
        return read_task(self.run, listed=not self.run.facts.stages.get("parts", True))

    @cached_property
    def measured(self) -> Measured:
        return self.run.measured()

    @cached_property
    def rules(self) -> list[Proof]:
        """What completion without a goal finds: theorems."""
        self.watching.listen("deriving", 0, 1)
        return derived(self.task.theory, stop=self.watching.stop)

    @cached_property
    def theorems(self) -> list[Problem]:
        """As far as their difficulty has been measured."""
        return _theorems(self, 0.0)

    @property
    def learned(self) -> Learned:
        found = read_learned(self.run.directory, self.task.theory)
        assert found is not None
        return found


def rules(session: Session, seconds: float) -> None:
    """Completion without a goal takes critical pairs; its smallest rules are theorems."""
    assert session.rules is not None


def theorems(session: Session, seconds: float) -> None:
    """Theorems of growing difficulty are made by random walks; given problems are measured."""
    session.theorems = _theorems(session, seconds)


def _theorems(session: Session, seconds: float) -> list[Problem]:
    """From the easiest to the hardest; none whose sides are the same, and no two that say the
    same."""
    task, config, listen = session.task, read_config(session.run), session.watching.listen
    theory, count = task.theory, config.generated if task.generated else 0
    common: Any = {
        "threads": config.threads,
        "stop": session.watching.stop,
        "known": session.measured,
    }
    given = [problem for problem in task.problems if not is_solved(theory, problem)]
    found = grade(theory, different(theory, given), **common)
    if count:
        made = growing_theorems(
            theory,
            count,
            task.seed,
            session.rules,
            seconds=seconds - session.measured.before,
            progress=lambda done: listen("making theorems", done, count),
            **common,
        )
        found += [(one.problem, one.difficulty) for one in made]
    found.sort(key=lambda graded: graded[1])
    return different(theory, [problem for problem, _ in found])


def parts(session: Session, seconds: float) -> None:
    """A tenth each is held out for development and test."""
    run, theory = session.run, session.task.theory
    found = split(theory, session.theorems)
    if not found.train:
        raise InputError("the two sides of each problem are the same: there is nothing to prove")
    run.write_held_out(DEV, found.dev, theory)
    run.write_held_out(TEST, found.test, theory)
    session.task = task = replace(session.task, problems=found.train, listed=False)
    run.write_problem_lines(task.problem_lines)
    facts = run.facts
    done = {**facts.stages, "parts": True}
    run.write_facts(replace(facts, problem_digest=task.problem_digest, stages=done))
    session.watching.say(_words(found))


def _words(found: Parts) -> str:
    if not found.dev or not found.test:
        count = len(found.train)
        few = "1 problem is" if count == 1 else f"{count} problems are"
        return (
            f"{few} too few to hold some out: all are for training, and there will be no table; "
            "--problems generated makes more, with more --minutes"
        )
    in_dev, in_test = found.instances()
    return (
        f"{len(found.train)} theorems for training, {len(found.dev)} for development "
        f"({in_dev} of them instances of training theorems), {len(found.test)} for the test "
        f"({in_test})"
    )


def lemmas(session: Session, seconds: float) -> None:
    """The rules of the training part that proofs use most are lemmas; rules get their costs.

    Weights to start from are those of the theory without lemmas. The policy has the time that is
    left until its share ends.
    """
    run, task, stop = session.run, session.task, session.watching.stop
    if task.start is None:
        session.watching.listen("choosing lemmas", 0, 1)
        place = part_of(task.theory)
        mine = [rule for rule in session.rules if place(rule.problem) == "train"]
        chosen = choose_lemmas(task.theory, mine, task.problems, stop)
        session.task = task = replace(task, lemmas=chosen)
        run.write_lemmas(chosen)
        run.write_costs(choose_costs(task.searched, task.problems, stop).costs)
        session.watching.say(f"{len(chosen)} lemmas")
    config, facts = read_config(run), run.facts
    if facts.minutes:
        until = facts.minutes * sum(stage.share for stage in STAGES[: _PREPARING + 1])
        left = max(_LEAST, until - session.measured.seconds / 60)
        config = replace(config, minutes=round(left, 2))
    run.write_config_text(config.to_toml())
    run.write_facts(task.facts(config, {**facts.stages, "lemmas": True}, facts.minutes))
    run.end_preparing()


def policy(session: Session, seconds: float) -> None:
    """The epochs of the method, which teach the network that guides the search."""
    run, watching = session.run, session.watching
    training = session.training = session.training or Training.resume(run)
    session.task = training.task
    if not training.done:
        run.mark({stage.name: False for stage in _stages(run) if stage.again})
        run.drop_shares()
    for warning in training.warnings:
        watching.say(warning)
    epochs = None if training.config.minutes else training.config.ME
    watching.begin(Begun(run.directory, training.epoch, epochs, training.curriculum.levels))
    with ExitStack() as stack:
        if session.on is not None:
            place = stack.enter_context(place_for(session.on, training.config.threads))
            training.agent.elsewhere = place
        if not training.train(watching.progress, watching.stop):
            raise Stopped


def critical_pairs(session: Session, seconds: float) -> None:
    """The general judge of critical pairs is trained further, and kept if it is better so."""
    task, watching = session.task, session.watching
    limit = seconds if seconds < math.inf else _PAIRS
    listen = partial(watching.listen, "critical pairs")
    pairs = tune_pairs(task.theory, task.problems, limit, task.seed, listen, watching.stop)
    if pairs is not None:
        session.run.write_pairs(pairs)


def amounts(session: Session, seconds: float) -> None:
    """How many lemmas make each search the fastest on training theorems."""
    run, watching = session.run, session.watching
    limit = seconds if seconds < math.inf else _AMOUNTS
    listen = partial(watching.listen, "how many lemmas")
    found = choose_amounts(session.learned, session.task.problems, limit, listen, watching.stop)
    run.write_judgement(replace(run.judgement(), lemmas=found))


def what_helps(session: Session, seconds: float) -> None:
    """Which searches `best` begins with, and whether policy and lemmas help it at all, is seen on
    the development part."""
    run, task, watching = session.run, session.task, session.watching
    some = held_out.spread(run.held_out(DEV, task.theory) or task.problems, _LOOKED_AT)
    learned = replace(session.learned, leads=True, helps=True)
    listen = partial(watching.listen, "which search first?")
    times = search_times(learned, some, listen, watching.stop)
    use = choose_use(learned, times, some, watching.listen, watching.stop)
    found = replace(run.judgement(), helps=use.helps, policy=use.leads, opening=use.opening)
    run.write_judgement(found)


def table(session: Session, seconds: float) -> None:
    """Before and after on problems that nothing else looks at."""
    run, task, watching = session.run, session.task, session.watching
    if task.lemmas is not None:
        problems = run.held_out(TEST, task.theory)
        rows = held_out.with_learned(session.learned, problems, watching) if problems else []
    else:
        rows = held_out.with_policy(run, task, watching)
    if rows:
        run.write_shares(rows)


@dataclass(frozen=True)
class Stage:
    """A part of a training.

    `share`: of the time, where minutes were given; what it leaves is the policy's. Stages without a
    share are short. `again`: it is done again once the policy has been trained further.
    """

    name: str
    share: float
    do: Callable[[Session, float], None]
    again: bool = False


STAGES: Final = (
    Stage("rules", 0.0, rules),
    Stage("theorems", 0.35, theorems),
    Stage("parts", 0.0, parts),
    Stage("lemmas", 0.0, lemmas),
    Stage(POLICY, 0.45, policy),
    Stage("critical pairs", 0.16, critical_pairs),
    Stage("amounts", 0.04, amounts),
    Stage("what helps", 0.0, what_helps, again=True),
    Stage("table", 0.0, table, again=True),
)
_PREPARING = 4  # stages before the policy


def go(session: Session) -> None:
    """Does all that is left to be done; `Stopped` if it is to end before."""
    for stage in _stages(session.run):
        if not session.run.facts.stages[stage.name]:
            session.watching.check()
            stage.do(session, 60 * stage.share * session.run.facts.minutes or math.inf)
            session.run.mark({stage.name: True})


def _stages(run: Run) -> list[Stage]:
    """The stages that a run has."""
    names = run.facts.stages
    return [stage for stage in STAGES if stage.name in names]


def stages_of(*, preparing: bool, informed: bool, table: bool) -> dict[str, bool]:
    """The stages of a new run, none of them done: one that makes its problems, or not; one that
    begins with trained weights, or not; one with a table."""
    names = [stage.name for stage in STAGES]
    if not preparing:
        names = [POLICY, "table"] if table else [POLICY]
    elif informed:
        names = [*names[: _PREPARING + 1], "table"]
    return dict.fromkeys(names, False)


def is_prepared(run: Run) -> bool:
    """Whether a run has the problems and lemmas that its policy is trained with."""
    return run.facts.stages.get("lemmas", True)
