"""Solvers made of solvers: who wins, who is stopped, what others get, what a claim is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from proof_samples import GROUPS
from provers.fakes import PROOF, Fake, burn, outside, stub
from samples import AIM, equation, untrained
from threesil.engine import Budget, Found, Status, Stop
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.kernel.theory import Problem
from threesil.problems.files import parse_problem
from threesil.provers import team
from threesil.provers.base import ExternalProver, Task
from threesil.provers.outside import CLAIMED, Outside
from threesil.provers.portfolio import Portfolio
from threesil.provers.reconstruct import NotReconstructed
from threesil.provers.team import Helped, race
from threesil.search.searcher import Searcher
from threesil.search.solver import CERTIFIED
from threesil.search.solvers import make_solver

FALSE = equation("x * y = y * x")
EASY = equation("x * T(y,x) = y * x")
TASK = Task(AIM, FALSE)
LONG = Budget(None, 200.0)
SHORT = Budget(10, 2.0)  # expansions are those of our own search


@pytest.fixture(scope="module")
def own() -> Searcher:
    return make_solver("guided", AIM, weights=untrained(AIM))


def raced(*provers: ExternalProver, budget: Budget = LONG) -> tuple[Outcome | None, list[Outcome]]:
    return race(outside(AIM, *provers), TASK, budget)


def tried(own: Searcher, *provers: ExternalProver, budget: Budget = SHORT) -> Outcome:
    return Portfolio(own, outside(AIM, *provers)).solve(FALSE, budget)


# A race


def test_the_first_proof_ends_the_others() -> None:
    slow, late = Fake("slow"), Fake("late")
    for place in range(3):
        quick = Fake("quick", SZS.THEOREM, after=slow)
        slow.started.clear()
        provers = [slow, late]
        provers.insert(place, quick)
        first, outcomes = raced(*provers)
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
    first, outcomes = raced(bad, Fake("good", SZS.THEOREM, after=bad))
    assert first is outcomes[1]
    assert [o.status for o in outcomes] == [status, SZS.THEOREM]
    first, outcomes = raced(bad, Fake("other", SZS.GAVE_UP))
    assert first is None
    assert [o.status for o in outcomes] == [status, SZS.GAVE_UP]


def test_a_counterexample_ends_the_others() -> None:
    slow = Fake("slow")
    first, outcomes = raced(slow, Fake("sat", SZS.COUNTER_SATISFIABLE, after=slow))
    assert first is outcomes[1]
    assert [o.status for o in outcomes] == [SZS.USER, SZS.COUNTER_SATISFIABLE]


def test_an_error_of_our_own_ends_the_others() -> None:
    slow = Fake("slow")
    broken = Fake("broken", after=slow)
    broken.broken = True
    with pytest.raises(RuntimeError, match="broken"):
        raced(broken, slow)
    assert slow.started.is_set()


def test_nobody_runs() -> None:
    assert raced() == (None, [])


def test_another_thread_ends_a_race() -> None:
    stop, slow, late = Stop(), Fake("slow"), Fake("late")

    def end() -> None:
        slow.started.wait()
        stop.set()

    ending = Thread(target=end)
    ending.start()
    first, outcomes = raced(slow, late, budget=replace(LONG, stop=stop))
    ending.join()
    assert first is None
    assert [o.status for o in outcomes] == [SZS.USER, SZS.USER]


def test_processes_are_stopped_and_crashes_are_survived(tmp_path: Path) -> None:
    """One sleeps, one crashes, one proves the goal as soon as both have begun."""
    ready = [tmp_path / name for name in ("sleeper", "crasher")]
    wait = "; ".join(f"while [ ! -e {path} ]; do sleep 0.02; done" for path in ready)
    provers = [
        stub(tmp_path / "a", f"touch {ready[0]}; exec sleep 1000"),
        stub(tmp_path / "b", f"touch {ready[1]}; kill -SEGV $$"),
        stub(tmp_path / "c", f"{wait}; cat <<'END'\n{PROOF}\nEND"),
    ]
    first, outcomes = raced(*provers)
    assert first is outcomes[2]
    assert [o.status for o in outcomes] == [SZS.USER, SZS.ERROR, SZS.THEOREM]
    assert outcomes[1].reason.startswith("signal 11")


# The portfolio


def test_no_prover_is_asked_where_our_search_proves_it(own: Searcher) -> None:
    fake = Fake("fake", SZS.THEOREM)
    outcome = Portfolio(own, outside(AIM, fake)).solve(EASY, Budget(None, 20.0))
    assert (outcome.by, outcome.status, outcome.proved) == ("guided", SZS.THEOREM, True)
    assert not outcome.claimed
    assert [part.by for part in outcome.parts] == ["guided"]
    assert outcome.given == 0
    assert not fake.asked


def test_without_provers_our_search_is_alone(own: Searcher) -> None:
    outcome = tried(own, budget=Budget(20, None))
    assert (outcome.by, outcome.proved, outcome.status) == ("guided", False, SZS.GAVE_UP)
    assert outcome.expansions >= 20
    assert outcome.given == 0


def test_provers_get_the_lemmas_and_what_is_left(own: Searcher) -> None:
    slow = Fake("slow")
    quick = Fake("quick", SZS.THEOREM, after=slow)
    others = outside(AIM, slow, quick, memory=77)
    outcome = Portfolio(own, others).solve(FALSE, SHORT)
    first, *parts = outcome.parts
    assert (first.by, first.status) == ("guided", SZS.GAVE_UP)
    assert [(o.by, o.status) for o in parts] == [("slow", SZS.USER), ("quick", SZS.THEOREM)]
    assert outcome.cpu_seconds >= 0.4
    assert outcome.expansions == first.expansions
    ((task, seconds, memory),) = quick.asked
    assert len(task.lemmas) == outcome.given >= 1
    assert (task.problem, task.theory, task.hints, memory) == (FALSE, AIM, (), 77)
    assert 0 < seconds < SHORT.seconds


@pytest.mark.parametrize("status", [SZS.THEOREM, SZS.COUNTER_SATISFIABLE])
def test_what_another_prover_says_is_a_claim(own: Searcher, status: SZS) -> None:
    outcome = tried(own, Fake("one", SZS.ERROR), Fake("two", status))
    assert (outcome.status, outcome.by) == (status, "two")
    assert outcome.claimed
    assert not outcome.proved
    assert outcome.words == ("proof" if status is SZS.THEOREM else None)


def test_provers_that_disagree(own: Searcher) -> None:
    """Each waits for the other one's start, and neither looks at the stop flag."""
    one = Fake("one", SZS.THEOREM)
    two = Fake("two", SZS.COUNTER_SATISFIABLE, after=one)
    one.after = two
    outcome = tried(own, one, two)
    assert outcome.status is SZS.UNKNOWN
    assert not outcome.claimed and outcome.words is None
    assert outcome.reason == ("the provers disagree: one says Theorem, two says CounterSatisfiable")
    assert [part.status for part in outcome.parts[1:]] == [one.status, two.status]


def test_without_weights_there_are_no_lemmas() -> None:
    outcome = tried(make_solver("plain", AIM), Fake("fake", SZS.THEOREM))
    assert (outcome.by, outcome.given) == ("fake", 0)


def test_what_nobody_decides(own: Searcher) -> None:
    outcome = tried(own, Fake("one", SZS.ERROR), Fake("two", SZS.UNKNOWN))
    assert (outcome.by, outcome.status, outcome.words) == ("guided", SZS.GAVE_UP, None)
    assert [part.status for part in outcome.parts[1:]] == [SZS.ERROR, SZS.UNKNOWN]


def test_another_thread_ends_a_portfolio(own: Searcher) -> None:
    """Wherever it is: in our search, among the lemmas, or in the race."""
    slow, stop = Fake("slow"), Stop()

    def progress(turn: Turn) -> None:
        if turn.solver == "slow":
            stop.set()

    outcome = tried(own, slow, budget=replace(SHORT, stop=stop, progress=progress))
    assert outcome.status is SZS.USER
    assert [part.status for part in outcome.parts] == [SZS.GAVE_UP, SZS.USER]


def test_a_stop_while_lemmas_are_found_is_an_outcome(
    own: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = Stop()

    def solve(problem: Problem, _: Budget) -> Outcome:
        stop.set()  # between our search and the lemmas
        return Outcome(problem, SZS.TIMEOUT, by="guided")

    monkeypatch.setattr(own, "solve", solve)
    slow = Fake("slow")
    outcome = tried(own, slow, budget=replace(LONG, stop=stop))
    assert outcome.status is SZS.USER and outcome.given == 0
    with_help = Helped("slow+lemmas", own, Outside(slow, AIM), "lemmas")
    assert with_help.solve(FALSE, replace(LONG, stop=stop)).status is SZS.USER


def test_a_program_that_is_gone_spoils_nothing(own: Searcher, tmp_path: Path) -> None:
    proves = stub(tmp_path / "c", f"cat <<'END'\n{PROOF}\nEND")
    gone = stub(tmp_path / "d", "exit 0")
    gone.path.unlink()
    outcome = tried(own, gone, proves)
    assert outcome.by == "prover9"
    assert [part.status for part in outcome.parts[1:]] == [SZS.ERROR, SZS.THEOREM]


def test_a_word_is_no_proof(own: Searcher, tmp_path: Path) -> None:
    """A program that says Theorem and nothing else decides nothing."""
    outcome = tried(own, stub(tmp_path / "a", "echo '% SZS status Theorem'", "e"))
    assert (outcome.status, outcome.claimed) == (SZS.GAVE_UP, False)
    assert outcome.parts[1].reason == "it says Theorem, but printed no proof"


def test_it_is_what_all_of_them_are(own: Searcher, tmp_path: Path) -> None:
    echo = stub(tmp_path / "a", "echo 'Prover9 (64) version 2009-11A, November 2009.'")
    solver = Portfolio(own, outside(AIM, echo))
    facts = solver.facts(10.0)
    assert facts.options.keys() == {"provers"}
    assert list(facts.options["provers"]) == ["prover9"]
    assert facts.weights == own.facts(10.0).weights
    assert facts.about["command"].endswith("--with prover9")
    assert facts.about["proofs"] == f"{CERTIFIED}, or {CLAIMED}"
    assert (solver.note, solver.untrained) == (own.note, own.untrained)
    assert solver.explorer is not None


# Several goals of which one is enough


def test_provers_are_asked_one_goal_after_the_other(own: Searcher) -> None:
    """Until one is proved; each has its share of what is left."""
    asked: list[tuple[Problem, float]] = []

    class Second(Fake):
        def run(self, task: Task, seconds: float, *rest: Any, **named: Any) -> Outcome:
            asked.append((task.problem, seconds))
            self.status = SZS.THEOREM if task.problem == goals[1] else SZS.GAVE_UP
            return super().run(task, seconds, *rest, **named)

    goals = FALSE, equation("x * x = x"), equation("x * e = e")
    solver = Portfolio(own, outside(AIM, Second("second")))
    outcome = solver.solve_any(goals, SHORT)
    assert outcome.claimed and outcome.problem == goals[1]
    assert [problem for problem, _ in asked] == list(goals[:2])
    assert asked[0][1] <= SHORT.seconds / 3 and asked[1][1] <= SHORT.seconds / 2


def test_provers_are_not_asked_where_our_search_proves_a_goal(own: Searcher) -> None:
    fake = Fake("fake", SZS.THEOREM)
    outcome = Portfolio(own, outside(AIM, fake)).solve_any((FALSE, EASY), Budget(500, 60.0))
    assert outcome.proved and outcome.problem == EASY
    assert not fake.asked


# Time


SECONDS = 0.5
GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)


@pytest.fixture
def slow_search(monkeypatch: pytest.MonkeyPatch) -> Searcher:
    """A search that takes most of the time, and finds nothing."""
    solver = make_solver("complete", GROUPS)

    def search(*_: Any) -> Found:
        burn(0.7 * SECONDS)
        return Found(Status.SECONDS, 0)

    monkeypatch.setattr(solver, "search", search)
    return solver


def test_provers_take_nothing_from_our_search(
    own: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given the whole budget, with provers beside it and without."""
    given: list[Budget] = []

    def solve(problem: Problem, budget: Budget) -> Outcome:
        given.append(budget)
        return Outcome(problem, SZS.GAVE_UP, by="guided")

    monkeypatch.setattr(own, "solve", solve)
    fake = Fake("fake", SZS.GAVE_UP)
    for others in ((), (fake,)):
        Portfolio(own, outside(AIM, *others)).solve(FALSE, LONG)
    assert given == [LONG, LONG]
    ((_, seconds, _),) = fake.asked
    assert seconds > 0.8 * LONG.seconds  # our search left all of it


def test_what_comes_after_our_search_has_half_as_long(
    slow_search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search left 0.3 of the time, so others get 0.5 of it, and no more."""
    followed: list[float] = []

    def reconstruct(theory: Any, problem: Any, skeleton: Any, budget: Budget, given: Any) -> Any:
        followed.append(budget.seconds)
        raise NotReconstructed("no")

    monkeypatch.setattr(team, "read_proof", lambda *_: None)
    monkeypatch.setattr(team, "reconstruct", reconstruct)
    claims = Fake("claims", SZS.THEOREM)
    outcome = Portfolio(slow_search, outside(GROUPS, claims)).solve(GOAL, Budget(None, SECONDS))
    assert outcome.claimed
    (seconds,) = followed
    assert 0 <= seconds <= 0.25 * SECONDS
    assert 0.4 * SECONDS < claims.asked[0][1] <= 0.5 * SECONDS


def test_all_that_is_done_here_is_counted(
    slow_search: Searcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What following another prover's proof costs is part of it."""

    def reconstruct(*_: Any) -> Any:
        burn(0.2 * SECONDS)
        raise NotReconstructed("no")

    monkeypatch.setattr(team, "read_proof", lambda *_: None)
    monkeypatch.setattr(team, "reconstruct", reconstruct)
    others = outside(GROUPS, Fake("claims", SZS.THEOREM))
    outcome = Portfolio(slow_search, others).solve(GOAL, Budget(None, SECONDS))
    assert outcome.cpu_seconds >= 0.9 * SECONDS


# A prover that is helped


@pytest.mark.parametrize("use", ["lemmas", "hints", "both", "episode"])
def test_lemmas_get_half_of_the_time_and_reach_the_prover(use: str, own: Searcher) -> None:
    fake = Fake("fake", SZS.GAVE_UP)
    fake.uses_hints = True  # type: ignore[misc]
    solver = Helped(f"fake+{use}", own, Outside(fake, AIM, 77), use)
    outcome = solver.solve(EASY, Budget(100, 0.6))
    assert outcome.status is SZS.GAVE_UP and outcome.by == f"fake+{use}"
    assert outcome.cpu_seconds >= 0.2
    ((task, seconds, memory),) = fake.asked
    assert (seconds, memory) == (0.3, 77)
    assert use == "episode" or bool(task.lemmas) == (use != "hints")
    assert bool(task.hints) == (use in ("hints", "both"))
    assert solver.in_process and solver.explorer is not None


def test_hints_are_refused_before_anything_is_tried(own: Searcher) -> None:
    with pytest.raises(Exception, match="fake can't use hints"):
        Helped("fake+hints", own, Outside(Fake("fake"), AIM), "hints")
