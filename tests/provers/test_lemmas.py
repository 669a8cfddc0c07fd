"""Lemmas that a policy finds: what is certified, what is kept, how provers use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from provers.fakes import Fake, outside
from samples import AIM, easy_problems, equation, problems, untrained, written
from threesil.engine import Batch, Budget, Episode, Stop, Stopped
from threesil.errors import InputError, MissingTool
from threesil.kernel.naming import canonical, is_instance
from threesil.kernel.outcome import SZS
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Move, Problem, Theory
from threesil.learn.growing import derived
from threesil.notations.infix import format_equation
from threesil.problems.files import parse_problem
from threesil.provers.base import Task
from threesil.provers.lemmas import COUNT, Lemma, episode_lemmas, find_lemmas, with_lemmas
from threesil.provers.outside import Outside
from threesil.provers.portfolio import Portfolio
from threesil.provers.registry import find
from threesil.provers.team import Helped
from threesil.search.learned import Learned
from threesil.search.learned import with_lemmas as with_learned
from threesil.search.searcher import Searcher
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

GOAL = equation(r"T(x / (y \ x),y) = y")
EASY = equation("x * T(y,x) = y * x")


@pytest.fixture(scope="module")
def solver() -> Searcher:
    return guided(AIM)


def guided(theory: Theory, seed: int = 1) -> Searcher:
    """The learned search of the theory, with weights that have learned nothing."""
    return make_solver("guided", theory, weights=untrained(theory.base or theory, seed))


def lemmas_of(
    solver: Searcher, problem: Problem, expansions: int = 150, count: int = COUNT
) -> list[Lemma]:
    return find_lemmas(solver, problem, Budget(expansions, 60.0), count)


def sides(lemmas: Sequence[Lemma]) -> list[tuple[Term, Term]]:
    return [(lemma.equation.lhs, lemma.equation.rhs) for lemma in lemmas]


# Lemmas


def test_lemmas_are_certified(solver: Searcher) -> None:
    opened = 0
    for problem in problems(AIM)[::2]:
        assert problem.target is not None
        own = {*problem.start.variables(), *problem.target.variables()}
        for lemma in lemmas_of(solver, problem):
            lhs, rhs = lemma.equation.lhs, lemma.equation.rhs
            assert isinstance(lemma.proof, Proof)
            assert (lemma.proof.problem.start, lemma.proof.problem.target) == (lhs, rhs)
            again = certify(AIM, Problem("again", lhs, rhs), lemma.proof.derivation)
            assert again.derivation == lemma.proof.derivation
            opened += not {*lhs.variables(), *rhs.variables()} <= own
    assert opened > 10


def test_lemmas_are_about_a_side_of_the_goal(solver: Searcher) -> None:
    lemmas = lemmas_of(solver, GOAL)
    starts = {side for lemma in sides(lemmas) for side in lemma} & {GOAL.start, GOAL.target}
    assert starts == {GOAL.start, GOAL.target}
    for lemma in sides(lemmas):
        assert GOAL.start in lemma or GOAL.target in lemma


def test_the_larger_side_is_left(solver: Searcher) -> None:
    lemmas = lemmas_of(solver, GOAL)
    for lhs, rhs in sides(lemmas):
        assert lhs.size >= rhs.size
    assert any(lhs not in (GOAL.start, GOAL.target) for lhs, _ in sides(lemmas))


def test_no_lemma_is_known_already(solver: Searcher) -> None:
    """Neither by the theory nor by a lemma before it, up to names and orientation."""
    for problem in (GOAL, easy_problems(AIM)[6]):
        found = sides(lemmas_of(solver, problem, 120, count=50))
        assert len(found) > 10
        known = [(e.lhs, e.rhs) for e in AIM.equations]
        for lemma in found:
            assert lemma[0] != lemma[1]
            assert not any(is_instance(lemma, other) for other in known), lemma
            known.append(lemma)


def test_the_goal_is_no_lemma(tmp_path: Path) -> None:
    """f(x) = h(x) is found on the way, under any name and either way round."""
    theory = written(tmp_path, "Rule one: f(x) -> g(x).", "Rule two: g(x) -> h(x).")
    solver = guided(theory)
    for text in ("f(x) = h(x)", "h(x) = f(x)", "f(u) = h(u)"):
        assert lemmas_of(solver, equation(text, theory), 100) == []
    longer = equation("f(x) = f(h(x))", theory)
    texts = {format_equation(x.equation, theory.signature) for x in lemmas_of(solver, longer)}
    assert any("f(x) = h(x)" in text for text in texts)


def test_lemmas_of_an_episode(solver: Searcher, tmp_path: Path) -> None:
    """before = after, for each side that was rewritten, certified; free variables stay free."""
    made = free = 0
    for problem in problems(AIM):
        found = episode_lemmas(solver, problem)
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
    assert any(episode_lemmas(guided(theory, seed), goal) for seed in range(10))
    with pytest.raises(InputError, match="needs weights of mine"):
        episode_lemmas(make_solver("plain", theory), equation("f(x) = x", theory))


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
    found = lemmas_of(guided(theory), equation("f(x) = f(y)", theory), 200)
    texts = [format_equation(lemma.equation, theory.signature) for lemma in found]
    assert len([text for text in texts if "f(" in text and "h(" in text]) == 1
    assert len(texts) == 1


def test_the_goal_may_have_any_names() -> None:
    """Variables called like introduced ones, or like the lemmas."""
    usual = equation(r"x * (x \ y) = y")
    assert usual.target is not None
    solver = guided(AIM)
    counts = []
    for names in (("x", "y"), ("v0", "v1"), ("v0", "v0'"), ("lemma_1", "e1")):
        renamed = {"x": var(names[0]), "y": var(names[1])}
        goal = Problem("p", usual.start.substitute(renamed), usual.target.substitute(renamed))
        counts.append(len(lemmas_of(solver, goal, 100)))
    assert len(set(counts)) == 1
    assert counts[0] > 5


def test_variables_that_come_and_go(tmp_path: Path) -> None:
    """a = f(v) = b: the lemma has no variable, its proof needs some value for v."""
    theory = written(tmp_path, "Constants a, b.", "Rule in: a -> f(x).", "Rule out: f(x) -> b.")
    found = lemmas_of(guided(theory), equation("a = f(f(a))", theory), 60)
    for lemma in found:
        certify(theory, lemma.proof.problem, lemma.proof.derivation)
    assert {app("a"), app("b")} in [set(pair) for pair in sides(found)]


def test_no_more_than_wanted_and_the_best(solver: Searcher) -> None:
    many = lemmas_of(solver, GOAL, count=100)
    assert len(many) > 20
    for count in (1, 5, 20):
        few = lemmas_of(solver, GOAL, count=count)
        assert sides(few) == sides(many)[:count]


def test_lemmas_have_names_of_their_own(tmp_path: Path) -> None:
    theory = written(tmp_path, "Axiom lemma_1: f(x) = g(x).", "Axiom lemma_3: g(x) = h(x).")
    found = lemmas_of(guided(theory), equation("f(f(x)) = x", theory), 100)
    names = [lemma.equation.name for lemma in found]
    assert len(names) > 3
    assert len({*names, "lemma_1", "lemma_3"}) == len(names) + 2


def test_lemmas_are_repeatable(solver: Searcher) -> None:
    solver.solve(EASY, Budget(100))
    first, again = (lemmas_of(solver, GOAL, 100) for _ in range(2))
    other = guided(AIM)
    for found in (again, lemmas_of(other, GOAL, 100)):
        assert [x.equation for x in found] == [x.equation for x in first]
        assert [x.log_probability for x in found] == [x.log_probability for x in first]


def test_a_part_of_the_theory_has_lemmas_of_its_own() -> None:
    """What follows from later lemmas in one step is one here; none of them is used."""
    part = AIM.before(AIM.lemmas[3].name)
    found = lemmas_of(guided(part), GOAL)
    assert found
    for lemma in found:
        certify(part, lemma.proof.problem, lemma.proof.derivation)


def test_what_the_unit_laws_simplify_is_no_lemma() -> None:
    solver = make_solver("guided", AIM)
    for text in ("T(x,y) = x", "x * y = y * x"):
        goal = equation(text)
        for lhs, rhs in sides(lemmas_of(solver, goal, 200)):
            for side in {lhs, rhs} - {goal.start, goal.target}:
                assert not any(t.head == "*" and app("e") in t.args for t in side.subterms()), (
                    lhs,
                    rhs,
                )


@pytest.fixture(scope="module")
def learned() -> Learned:
    """What a training may have learned of groups: lemmas, and a policy that uses them."""
    groups = get_theory("groups")
    lemmas = tuple(derived(groups, considered=100))
    return Learned(groups, lemmas, untrained(with_learned(groups, lemmas)))


def test_a_training_s_weights_find_lemmas(learned: Learned) -> None:
    """They may cite what was learned, and are proved from the axioms all the same."""
    goal = parse_problem("i(x * y) = i(y) * i(x)", learned.theory)
    solver = make_solver("guided", learned.theory, weights=learned)
    found = lemmas_of(solver, goal)
    assert len(found) > 10
    assert any(lemma.proof.lemmas for lemma in found)
    for lemma in (*found, *episode_lemmas(solver, goal)):
        assert lemma.proof.theory.digest == learned.theory.digest
        assert lemma.equation.name not in learned.by_name


def test_a_training_s_weights_help_other_provers(learned: Learned) -> None:
    goal = parse_problem("x * y = y * x", learned.theory)
    for use in ("lemmas", "episode"):
        fake = Fake("fake", SZS.GAVE_UP)
        own = make_solver("guided", learned.theory, weights=learned)
        helped = Helped(f"fake+{use}", own, Outside(fake, learned.theory), use)
        assert helped.solve(goal, Budget(50, 60.0)).status is SZS.GAVE_UP
        ((task, _, _),) = fake.asked
        assert task.lemmas or use == "episode"
    fake = Fake("fake", SZS.GAVE_UP)
    best = make_solver("best", learned.theory, weights=learned, refute=False)
    Portfolio(best, outside(learned.theory, fake)).solve(goal, Budget(50, 60.0))
    assert fake.asked[0][0].lemmas


def test_lemmas_need_weights() -> None:
    with pytest.raises(InputError, match="lemmas need weights of aim"):
        lemmas_of(make_solver("plain", AIM), GOAL)
    with pytest.raises(InputError, match="lemmas need weights of aim"):
        Helped("fake+lemmas", make_solver("plain", AIM), Outside(Fake("fake"), AIM), "lemmas")


def test_a_run_without_a_policy_finds_none(learned: Learned) -> None:
    with pytest.raises(InputError, match="this run has no policy yet"):
        make_solver("guided", learned.theory, weights=replace(learned, policy=None))


# Their uses


def test_three_uses_of_lemmas(solver: Searcher) -> None:
    lemmas = lemmas_of(solver, GOAL, 60, count=3)
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


@pytest.mark.parametrize("name", ["prover9", "e"])
@pytest.mark.parametrize("use", ["lemmas", "hints", "both"])
def test_real_provers_take_the_lemmas(name: str, use: str, solver: Searcher) -> None:
    try:
        external = find(name)
    except MissingTool as error:
        pytest.skip(str(error))
    lemmas = lemmas_of(solver, GOAL)
    assert lemmas
    task = with_lemmas(Task(AIM, GOAL), lemmas, use)
    if use != "lemmas" and not external.uses_hints:
        with pytest.raises(InputError, match="e can't use hints"):
            external.run(task, 20)
        return
    outcome = external.run(task, 20)
    assert outcome.status is SZS.THEOREM, outcome


# Stopping


def test_another_thread_ends_the_search_for_lemmas(solver: Searcher) -> None:
    """It has no other limit than a budget that no test waits for."""
    stop = Stop()
    timer = Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(Stopped):
        find_lemmas(solver, GOAL, Budget(None, 10_000.0, stop=stop))
    timer.join()
