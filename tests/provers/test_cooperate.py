"""Lemmas of the model, and provers that use them: what is certified, who wins, who is stopped."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from samples import AIM, easy_problems, equation, problems, untrained, written
from threesil.engine import Batch, Episode
from threesil.errors import InputError, MissingTool
from threesil.kernel.naming import canonical, is_instance
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Move, Problem, Theory
from threesil.notations.infix import format_equation
from threesil.provers import ExternalProver, Task, find
from threesil.provers.base import Reading
from threesil.provers.cooperate import (
    Lemma,
    episode_lemmas,
    find_lemmas,
    portfolio,
    race,
    with_lemmas,
)
from threesil.provers.process import Stop
from threesil.search.prover import Prover

GOAL = equation(r"T(x / (y \ x),y) = y")
FALSE = equation("x * y = y * x")
EASY = equation("x * T(y,x) = y * x")
PROOF = "== PROOF ==\n1 $F.\n== end of proof ==\n\nProcess 1 exit (max_proofs) now"


@pytest.fixture(scope="module")
def prover() -> Prover:
    return Prover("aim", solver="guided", weights=untrained(AIM))


def of_file(theory: Theory) -> Prover:
    return Prover(theory, solver="guided", weights=untrained(theory))


def sides(lemmas: Sequence[Lemma]) -> list[tuple[Term, Term]]:
    return [(lemma.equation.lhs, lemma.equation.rhs) for lemma in lemmas]


# Lemmas


def test_lemmas_are_certified(prover: Prover) -> None:
    opened = 0
    for problem in problems(AIM)[::2]:
        assert problem.target is not None
        own = {*problem.start.variables(), *problem.target.variables()}
        for lemma in find_lemmas(prover, problem, expansions=150):
            lhs, rhs = lemma.equation.lhs, lemma.equation.rhs
            assert isinstance(lemma.proof, Proof)
            assert (lemma.proof.problem.start, lemma.proof.problem.target) == (lhs, rhs)
            again = certify(AIM, Problem("again", lhs, rhs), lemma.proof.derivation)
            assert again.derivation == lemma.proof.derivation
            opened += not {*lhs.variables(), *rhs.variables()} <= own
    assert opened > 10


def test_lemmas_are_about_a_side_of_the_goal(prover: Prover) -> None:
    lemmas = find_lemmas(prover, GOAL, expansions=150)
    starts = {side for lemma in sides(lemmas) for side in lemma} & {GOAL.start, GOAL.target}
    assert starts == {GOAL.start, GOAL.target}
    for lemma in sides(lemmas):
        assert GOAL.start in lemma or GOAL.target in lemma


def test_the_larger_side_is_left(prover: Prover) -> None:
    lemmas = find_lemmas(prover, GOAL, expansions=150)
    for lhs, rhs in sides(lemmas):
        assert lhs.size >= rhs.size
    assert any(lhs not in (GOAL.start, GOAL.target) for lhs, _ in sides(lemmas))


def test_no_lemma_is_known_already(prover: Prover) -> None:
    """Neither by the theory nor by a lemma before it, up to names and orientation."""
    for problem in (GOAL, easy_problems(AIM)[6]):
        found = sides(find_lemmas(prover, problem, expansions=120, count=50))
        assert len(found) > 10
        known = [(e.lhs, e.rhs) for e in AIM.equations]
        for lemma in found:
            assert lemma[0] != lemma[1]
            assert not any(is_instance(lemma, other) for other in known), lemma
            known.append(lemma)


def test_the_goal_is_no_lemma(tmp_path: Path) -> None:
    """f(x) = h(x) is found on the way, under any name and either way round."""
    theory = written(tmp_path, "Rule one: f(x) -> g(x).", "Rule two: g(x) -> h(x).")
    prover = of_file(theory)
    for text in ("f(x) = h(x)", "h(x) = f(x)", "f(u) = h(u)"):
        assert find_lemmas(prover, equation(text, theory), expansions=100) == []
    longer = equation("f(x) = f(h(x))", theory)
    texts = {format_equation(x.equation, theory.signature) for x in find_lemmas(prover, longer)}
    assert any("f(x) = h(x)" in text for text in texts)


def test_lemmas_of_an_episode(prover: Prover, tmp_path: Path) -> None:
    """before = after, for each side that was rewritten, certified; free variables stay free."""
    made = free = 0
    for problem in problems(AIM):
        found = episode_lemmas(prover, problem)
        befores = [lemma.equation.lhs for lemma in found]
        assert befores in ([], [problem.start], [problem.target], [problem.start, problem.target])
        for lemma in found:
            lhs, rhs = lemma.equation.lhs, lemma.equation.rhs
            assert lhs != rhs
            certify(AIM, Problem("again", lhs, rhs), lemma.proof.derivation)
            free += not set(rhs.variables()) <= set(lhs.variables())
        made += len(found)
    assert made > 10
    assert free > 0
    theory = written(tmp_path, "Rule one: f(x) -> g(x).", "Rule two: h(x) -> k(x).")
    goal = equation("f(h(x)) = k(f(x))", theory)
    provers = (Prover(theory, solver="guided", weights=untrained(theory, s)) for s in range(10))
    assert any(episode_lemmas(prover, goal) for prover in provers)
    with pytest.raises(InputError, match="needs a model"):
        episode_lemmas(Prover(theory, solver="plain"), equation("f(x) = x", theory))


def test_sides_are_what_the_actions_make_of_them() -> None:
    batch = Batch(AIM, [GOAL], self_check=True)
    net = untrained(AIM).network()
    moves = {number for number, action in enumerate(AIM.actions) if isinstance(action, Move)}
    for seed in range(40):
        played = batch.play(net, [0], seed=seed, noise=1.0, record_all=True)
        actions = played.actions_of(0)
        left, right = batch.sides_of(0, actions)
        assert (left.start, right.start) == (GOAL.start, GOAL.target)
        assert len(left.steps) + len(right.steps) == sum(a not in moves for a in actions)
        episode = Episode(AIM, GOAL)
        for action in actions:
            episode.step(action)
        for side, path in zip(episode.term.args, (left, right), strict=True):
            assert canonical(path.end) == canonical(side)


def test_what_differs_in_names_alone_is_one_lemma(tmp_path: Path) -> None:
    """Both sides of the goal lead to the same equation, with other names."""
    theory = written(tmp_path, "Axiom one: f(x) = g(x).", "Axiom two: g(x) = h(x).")
    found = find_lemmas(of_file(theory), equation("f(x) = f(y)", theory), expansions=200)
    texts = [format_equation(lemma.equation, theory.signature) for lemma in found]
    assert len([text for text in texts if "f(" in text and "h(" in text]) == 1
    assert len(texts) == 1


def test_the_goal_may_have_any_names() -> None:
    """Variables called like introduced ones, or like the lemmas."""
    usual = equation(r"x * (x \ y) = y")
    assert usual.target is not None
    prover = Prover("aim", solver="guided", weights=untrained(AIM))
    counts = []
    for names in (("x", "y"), ("v0", "v1"), ("v0", "v0'"), ("lemma_1", "e1")):
        renamed = {"x": var(names[0]), "y": var(names[1])}
        goal = Problem("p", usual.start.substitute(renamed), usual.target.substitute(renamed))
        counts.append(len(find_lemmas(prover, goal, expansions=100)))
    assert len(set(counts)) == 1
    assert counts[0] > 5


def test_variables_that_come_and_go(tmp_path: Path) -> None:
    """a = f(v) = b: the lemma has no variable, its proof needs some value for v."""
    theory = written(tmp_path, "Constants a, b.", "Rule in: a -> f(x).", "Rule out: f(x) -> b.")
    found = find_lemmas(of_file(theory), equation("a = f(f(a))", theory), expansions=60)
    for lemma in found:
        certify(theory, lemma.proof.problem, lemma.proof.derivation)
    assert {app("a"), app("b")} in [set(pair) for pair in sides(found)]


def test_no_more_than_wanted_and_the_best(prover: Prover) -> None:
    many = find_lemmas(prover, GOAL, expansions=150, count=100)
    assert len(many) > 20
    for count in (1, 5, 20):
        few = find_lemmas(prover, GOAL, expansions=150, count=count)
        assert sides(few) == sides(many)[:count]


def test_lemmas_have_names_of_their_own(tmp_path: Path) -> None:
    theory = written(tmp_path, "Axiom lemma_1: f(x) = g(x).", "Axiom lemma_3: g(x) = h(x).")
    found = find_lemmas(of_file(theory), equation("f(f(x)) = x", theory), expansions=100)
    names = [lemma.equation.name for lemma in found]
    assert len(names) > 3
    assert len({*names, "lemma_1", "lemma_3"}) == len(names) + 2


def test_lemmas_are_repeatable(prover: Prover) -> None:
    prover.prove(EASY, expansions=100)
    first, again = (find_lemmas(prover, GOAL, expansions=100) for _ in range(2))
    other = Prover("aim", solver="guided", weights=untrained(AIM))
    for found in (again, find_lemmas(other, GOAL, expansions=100)):
        assert [x.equation for x in found] == [x.equation for x in first]
        assert [x.log_probability for x in found] == [x.log_probability for x in first]


def test_a_part_of_the_theory_has_lemmas_of_its_own() -> None:
    """What follows from later lemmas in one step is one here; none of them is used."""
    part = AIM.before(AIM.lemmas[3].name)
    found = find_lemmas(Prover(part, solver="guided", weights=untrained(AIM)), GOAL, expansions=150)
    assert found
    for lemma in found:
        certify(part, lemma.proof.problem, lemma.proof.derivation)


def test_lemmas_need_a_model() -> None:
    with pytest.raises(InputError, match="lemmas need a model of aim"):
        find_lemmas(Prover("aim", solver="plain"), GOAL)


# Their uses


def test_three_uses_of_lemmas(prover: Prover) -> None:
    lemmas = find_lemmas(prover, GOAL, expansions=60, count=3)
    own = Equation("own", GOAL.start, GOAL.start)
    task = Task(AIM, GOAL, (own,), (own,))
    equations = tuple(lemma.equation for lemma in lemmas)
    assert with_lemmas(task, lemmas) == Task(AIM, GOAL, (own, *equations), (own,))
    assert with_lemmas(task, lemmas, "lemmas") == with_lemmas(task, lemmas)
    assert with_lemmas(task, lemmas, "hints") == Task(AIM, GOAL, (own,), (own, *equations))
    both = with_lemmas(task, lemmas, "both")
    assert both == Task(AIM, GOAL, (own, *equations), (own, *equations))
    with pytest.raises(InputError, match="unknown use of lemmas 'magic'"):
        with_lemmas(task, lemmas, "magic")


# Provers that are none


class Fake(ExternalProver):
    """Answers `status` at once, or, without one, when it is stopped; notes what it was asked.

    One that is `broken` raises an error.
    """

    program, executables, install, suffix = "Fake", (), "", ".fake"

    def __init__(self, name: str, status: SZS | None = None, after: Fake | None = None) -> None:
        super().__init__(Path("fake"), name)
        self.status = status
        self.after = after
        self.broken = False
        self.asked: list[tuple[Task, float, int]] = []
        self.started = threading.Event()

    def run(
        self,
        task: Task,
        seconds: float,
        memory: int = 0,
        stop: Stop | None = None,
        *,
        wall: float | None = None,
    ) -> Outcome:
        del wall
        self.asked.append((task, seconds, memory))
        self.started.set()
        if self.after is not None:
            assert self.after.started.wait(60)
        if self.broken:
            raise RuntimeError("broken")
        status = self.status
        if status is None:
            assert isinstance(stop, threading.Event)
            status = SZS.USER if stop.wait(60) else SZS.TIMEOUT
        words = "proof" if status is SZS.THEOREM else None
        return Outcome(task.problem, status, 0.1, 0.2, by=self.name, words=words)

    def write(self, task: Task, seconds: float, memory: int) -> str:
        raise NotImplementedError

    def arguments(self, file: str, seconds: float, memory: int) -> list[str]:
        raise NotImplementedError

    def read(self, output: str) -> Reading:
        raise NotImplementedError

    def read_version(self, output: str) -> str | None:
        raise NotImplementedError


TASK = Task(AIM, FALSE)


def test_the_first_proof_ends_the_others() -> None:
    slow, late = Fake("slow"), Fake("late")
    for place in range(3):
        quick = Fake("quick", SZS.THEOREM, after=slow)
        slow.started.clear()
        provers = [slow, late]
        provers.insert(place, quick)
        first, outcomes = race(provers, TASK, 30.0)
        assert first is outcomes[place]
        assert {o.by: o.status for o in outcomes} == {
            "quick": SZS.THEOREM,
            "slow": SZS.USER,
            "late": SZS.USER,
        }
        assert [o.by for o in outcomes] == [p.name for p in provers]


UNDECIDED = [SZS.ERROR, SZS.GAVE_UP, SZS.INPUT_ERROR, SZS.RESOURCE_OUT, SZS.TIMEOUT, SZS.UNKNOWN]


@pytest.mark.parametrize("status", UNDECIDED)
def test_who_fails_does_not_spoil_the_others(status: SZS) -> None:
    bad = Fake("bad", status)
    first, outcomes = race([bad, Fake("good", SZS.THEOREM, after=bad)], TASK, 30.0)
    assert first is outcomes[1]
    assert [o.status for o in outcomes] == [status, SZS.THEOREM]
    first, outcomes = race([bad, Fake("other", SZS.GAVE_UP)], TASK, 30.0)
    assert first is None
    assert [o.status for o in outcomes] == [status, SZS.GAVE_UP]


def test_a_counterexample_ends_the_others() -> None:
    slow = Fake("slow")
    first, outcomes = race([slow, Fake("sat", SZS.COUNTER_SATISFIABLE, after=slow)], TASK, 30.0)
    assert first is outcomes[1]
    assert [o.status for o in outcomes] == [SZS.USER, SZS.COUNTER_SATISFIABLE]


def test_an_error_of_our_own_ends_the_others() -> None:
    slow = Fake("slow")
    broken = Fake("broken", after=slow)
    broken.broken = True
    with pytest.raises(RuntimeError, match="broken"):
        race([broken, slow], TASK, 30.0)
    assert slow.started.is_set()


def test_nobody_runs() -> None:
    assert race([], TASK, 1.0) == (None, [])


# The portfolio


def test_no_prover_is_asked_where_the_model_proves_it(prover: Prover) -> None:
    fake = Fake("fake", SZS.THEOREM)
    outcome, lemmas = portfolio(prover, [fake], EASY, seconds=20)
    assert (outcome.by, outcome.status, outcome.proved) == ("guided", SZS.THEOREM, True)
    assert not outcome.claimed
    assert [part.by for part in outcome.parts] == ["guided"]
    assert lemmas == ()
    assert not fake.asked


def test_without_provers_the_model_is_alone(prover: Prover) -> None:
    outcome, lemmas = portfolio(prover, [], FALSE, expansions=20)
    assert (outcome.by, outcome.proved, outcome.status) == ("guided", False, SZS.GAVE_UP)
    assert outcome.expansions >= 20
    assert lemmas == ()


def test_provers_get_the_lemmas_and_what_is_left(prover: Prover) -> None:
    slow = Fake("slow")
    quick = Fake("quick", SZS.THEOREM, after=slow)
    outcome, lemmas = portfolio(
        prover, [slow, quick], FALSE, seconds=4, expansions=10, memory=77, count=4
    )
    own, *others = outcome.parts
    assert (own.by, own.status) == ("guided", SZS.GAVE_UP)
    assert [(o.by, o.status) for o in others] == [("slow", SZS.USER), ("quick", SZS.THEOREM)]
    assert outcome.cpu_seconds >= 0.4
    assert outcome.expansions == own.expansions
    ((task, seconds, memory),) = quick.asked
    assert 1 <= len(lemmas) <= 4
    assert task.lemmas == tuple(lemma.equation for lemma in lemmas)
    assert (task.problem, task.theory, task.hints, memory) == (FALSE, AIM, (), 77)
    assert 0 < seconds < 4


@pytest.mark.parametrize("status", [SZS.THEOREM, SZS.COUNTER_SATISFIABLE])
def test_what_another_prover_says_is_a_claim(prover: Prover, status: SZS) -> None:
    fakes = [Fake("one", SZS.ERROR), Fake("two", status)]
    outcome, _ = portfolio(prover, fakes, FALSE, seconds=1, expansions=10, count=1)
    assert (outcome.status, outcome.by) == (status, "two")
    assert outcome.claimed
    assert not outcome.proved
    assert outcome.words == ("proof" if status is SZS.THEOREM else None)


def test_provers_that_disagree(prover: Prover) -> None:
    """Each waits for the other one's start, and neither looks at the stop flag."""
    one = Fake("one", SZS.THEOREM)
    two = Fake("two", SZS.COUNTER_SATISFIABLE, after=one)
    one.after = two
    outcome, _ = portfolio(prover, [one, two], FALSE, seconds=1, expansions=10, count=1)
    assert outcome.status is SZS.UNKNOWN
    assert not outcome.claimed and outcome.words is None
    assert outcome.reason == ("the provers disagree: one says Theorem, two says CounterSatisfiable")
    assert [part.status for part in outcome.parts[1:]] == [one.status, two.status]


def test_without_a_model_there_are_no_lemmas() -> None:
    fake = Fake("fake", SZS.THEOREM)
    plain = Prover("aim", solver="plain")
    outcome, lemmas = portfolio(plain, [fake], FALSE, seconds=2, expansions=10)
    assert (outcome.by, lemmas) == ("fake", ())


def test_what_nobody_decides(prover: Prover) -> None:
    fakes = [Fake("one", SZS.ERROR), Fake("two", SZS.UNKNOWN)]
    outcome, _ = portfolio(prover, fakes, FALSE, seconds=1, expansions=10, count=1)
    assert (outcome.by, outcome.status, outcome.words) == ("guided", SZS.GAVE_UP, None)
    assert [part.status for part in outcome.parts[1:]] == [SZS.ERROR, SZS.UNKNOWN]


def stub(directory: Path, script: str, name: str = "prover9") -> ExternalProver:
    """A program that is taken for that prover."""
    directory.mkdir()
    program = directory / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return find(name, program)


def test_processes_are_stopped_and_crashes_are_survived(tmp_path: Path) -> None:
    """One sleeps, one crashes, one proves the goal as soon as both have begun."""
    ready = [tmp_path / name for name in ("sleeper", "crasher")]
    wait = "; ".join(f"while [ ! -e {path} ]; do sleep 0.02; done" for path in ready)
    provers = [
        stub(tmp_path / "a", f"touch {ready[0]}; exec sleep 1000"),
        stub(tmp_path / "b", f"touch {ready[1]}; kill -SEGV $$"),
        stub(tmp_path / "c", f"{wait}; cat <<'END'\n{PROOF}\nEND"),
    ]
    first, outcomes = race(provers, TASK, 60.0)
    assert first is outcomes[2]
    assert [o.status for o in outcomes] == [SZS.USER, SZS.ERROR, SZS.THEOREM]
    assert outcomes[1].reason.startswith("signal 11")


def test_a_program_that_is_gone_spoils_nothing(prover: Prover, tmp_path: Path) -> None:
    proves = stub(tmp_path / "c", f"cat <<'END'\n{PROOF}\nEND")
    gone = stub(tmp_path / "d", "exit 0")
    gone.path.unlink()
    outcome, _ = portfolio(prover, [gone, proves], FALSE, seconds=5, expansions=10, count=1)
    assert outcome.by == "prover9"
    assert [part.status for part in outcome.parts[1:]] == [SZS.ERROR, SZS.THEOREM]


def test_a_word_is_no_proof(prover: Prover, tmp_path: Path) -> None:
    """A program that says Theorem and nothing else decides nothing."""
    liar = stub(tmp_path / "a", "echo '% SZS status Theorem'", "e")
    outcome, _ = portfolio(prover, [liar], FALSE, seconds=5, expansions=10, count=1)
    assert (outcome.status, outcome.claimed) == (SZS.GAVE_UP, False)
    assert outcome.parts[1].reason == "it says Theorem, but printed no proof"


# Prover9 and E themselves


@pytest.mark.parametrize("name", ["prover9", "e"])
@pytest.mark.parametrize("use", ["lemmas", "hints", "both"])
def test_real_provers_take_the_lemmas(name: str, use: str, prover: Prover) -> None:
    try:
        external = find(name)
    except MissingTool as error:
        pytest.skip(str(error))
    lemmas = find_lemmas(prover, GOAL, expansions=150)
    assert lemmas
    task = with_lemmas(Task(AIM, GOAL), lemmas, use)
    if use != "lemmas" and not external.uses_hints:
        with pytest.raises(InputError, match="e can't use hints"):
            external.run(task, 20)
        return
    outcome = external.run(task, 20)
    assert outcome.status is SZS.THEOREM, outcome


def test_what_the_unit_laws_simplify_is_no_lemma() -> None:
    prover = Prover("aim", solver="guided")
    for text in ("T(x,y) = x", "x * y = y * x"):
        goal = equation(text)
        for lhs, rhs in sides(find_lemmas(prover, goal, expansions=200)):
            for side in {lhs, rhs} - {goal.start, goal.target}:
                assert not any(t.head == "*" and app("e") in t.args for t in side.subterms()), (
                    lhs,
                    rhs,
                )
