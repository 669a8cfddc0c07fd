"""The learned search: certified derivations, repeatable, within its limits, and its lemmas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nets.walks import network
from samples import AIM, ROBINSON, easy_problems, equation, problems, untrained, written
from threesil.engine import Budget, Found, Guided, Shape, Status
from threesil.kernel.proof import Derivation, certify
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import LEFT_TO_RIGHT, Problem, Rewrite, Theory
from threesil.nets.policy import Policy

FALSE = equation("x * y = y * x")


def guided(theory: Theory = AIM, seed: int = 1, **options: float) -> Guided:
    return Guided(theory, untrained(theory, seed).network(), **options)  # type: ignore[arg-type]


def certified(theory: Theory, problem: Problem, found: Found) -> Derivation:
    assert found.status is Status.PROVED
    assert found.derivation is not None
    return certify(theory, problem, found.derivation).derivation


# Proofs


def test_easy_equations_are_proved() -> None:
    search = guided()
    for problem in easy_problems(AIM):
        derivation = certified(AIM, problem, search.prove(problem, Budget(500)))
        assert derivation.steps


def test_a_trivial_equation_has_an_empty_derivation() -> None:
    found = guided().prove(equation("x * y = x * y"), Budget(10))
    assert found.derivation is not None
    assert (found.status, found.expansions) == (Status.PROVED, 0)
    assert not found.derivation.steps


def test_only_equations_are_searched() -> None:
    with pytest.raises(ValueError, match="equations"):
        guided(ROBINSON)


# Met by congruence: the arguments are shown to be equal, each in a term of its own. No term that
# the search comes to in so few expansions has all of them rewritten.

APART = "h(h(p(x),p(y)),h(p(z),p(w))) = h(h(r(x),r(y)),h(r(z),r(w)))"
SWAP = "Axiom swap: h(x,y) = h(y,x)."
STEPS = {
    "from ground term to ground term": ("Axiom one: p(x) = q(x).", "Axiom two: q(x) = r(x)."),
    "by a term with a variable": ("Axiom one: p(x) = q(x,y).", "Axiom two: q(x,x) = r(x)."),
}


@pytest.mark.parametrize("case", STEPS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_shown_apart_is_put_together(tmp_path: Path, case: str, seed: int) -> None:
    theory = written(tmp_path, *STEPS[case], SWAP)
    problem = equation(APART, theory)
    found = guided(theory, seed).prove(problem, Budget(150))
    assert found.status is Status.PROVED
    assert found.derivation is not None
    assert not found.lemmas
    certified(theory, problem, found)


# Repeatable


def test_what_happened_before_changes_nothing() -> None:
    chosen = problems(AIM)
    used = guided()
    first = [used.prove(problem, Budget(150), seed=3) for problem in chosen]
    used.explore(FALSE, Budget(100), count=5, seed=8)
    used.prove(FALSE, Budget(100), seed=9)
    again = [used.prove(problem, Budget(150), seed=3) for problem in reversed(chosen)]
    assert list(reversed(again)) == first
    fresh = [guided().prove(problem, Budget(150), seed=3) for problem in chosen]
    assert fresh == first
    assert {found.status for found in first} == {Status.PROVED, Status.EXPANSIONS}


def test_seeds_and_episodes_are_different_draws() -> None:
    search = Guided(AIM, network(AIM))
    problem = equation(r"T(x * (x \ y),z) = z \ (y * z)")
    counts = [
        [search.prove(problem, Budget(2000), seed=s, episode=e).expansions for s, e in draws]
        for draws in ([(seed, 0) for seed in range(6)], [(0, episode) for episode in range(6)])
    ]
    assert all(len(set(found)) > 1 for found in counts)


def test_the_network_guides() -> None:
    """Two networks, one draw: they look at terms in another order."""
    chosen = easy_problems(AIM)
    mine, other = (
        [guided(seed=s).prove(p, Budget(300)).expansions for p in chosen] for s in (1, 2)
    )
    assert mine != other


# Limits


def test_budgets_say_what_ran_out(tmp_path: Path) -> None:
    search = guided()
    found = search.prove(FALSE, Budget(50))
    assert found.status is Status.EXPANSIONS
    assert found.expansions == 50
    assert found.derivation is None
    assert search.prove(FALSE, Budget(10**9, seconds=0.0)).status is Status.SECONDS
    assert search.prove(FALSE, Budget(10**9, seconds=0.05)).status is Status.SECONDS
    found = search.prove(FALSE, Budget(10**9, terms=2000))
    assert found.status is Status.MEMORY
    assert found.expansions > 0


def test_expansions_are_never_more_than_allowed() -> None:
    search = guided()
    for allowed in range(1, 12):
        assert search.prove(FALSE, Budget(allowed)).expansions <= allowed


def test_little_memory_spoils_no_proof() -> None:
    """Wherever the memory ends: what is found certifies, and so does what is explored."""
    search = guided()
    statuses = set()
    for terms in range(1, 300, 23):
        for problem in easy_problems(AIM):
            budget = Budget(200, terms=terms)
            found = search.prove(problem, budget)
            statuses.add(found.status)
            if found.derivation is not None:
                certify(AIM, problem, found.derivation)
            for derivation, _ in search.explore(problem, budget, count=3):
                certify(AIM, Problem("lemma", derivation.start, derivation.end), derivation)
    assert {Status.PROVED, Status.MEMORY} <= statuses


def test_a_finite_space_is_exhausted(tmp_path: Path) -> None:
    """f(x) and g(x) on the left, h(x) on the right, and that is all."""
    theory = written(tmp_path, "Rule one: f(x) -> g(x).", "Rule two: h(h(x)) -> x.")
    search = guided(theory)
    found = search.prove(equation("f(x) = h(x)", theory), Budget(1000))
    assert (found.status, found.expansions, found.derivation) == (Status.EXHAUSTED, 3, None)
    assert len(search.explore(equation("f(x) = h(x)", theory), Budget(1000), count=9)) == 1


def test_terms_grow_no_more_than_allowed() -> None:
    problem = equation(r"x * (x \ y) = y")
    for growth in (0, 2, 6):
        explored = guided(growth=growth).explore(problem, Budget(60), count=10_000)
        sizes = [term.size for derivation, _ in explored for term in derivation.terms]
        assert max(sizes) == 5 + growth


@pytest.mark.parametrize("most", [0, 1, 2])
def test_terms_have_no_more_introduced_variables_than_allowed(most: int) -> None:
    problem = equation(r"x * (x \ y) = y")
    explored = guided(variables=most).explore(problem, Budget(100), count=10_000)
    counts = {len(introduced(problem, derivation.end)) for derivation, _ in explored}
    assert counts == set(range(most + 1))


# Introduced variables

OPEN = {
    "the frontiers meet where terms unify": (
        ["Rule one: f(x) -> k(x,y)."],
        "f(x) = k(x,k(x,x))",
        1,
    ),
    "the same from the right": (
        ["Rule one: f(x) -> k(x,y)."],
        "k(x,k(x,x)) = f(x)",
        1,
    ),
    "a rule gives an introduced variable its value": (
        ["Constants e.", "Rule one: f(x) -> k(x,y).", "Rule two: k(x,e) -> g(x)."],
        "f(x) = g(x)",
        2,
    ),
    "its value has a variable of the problem": (
        ["Rule one: f(x) -> k(x,y).", "Rule two: k(x,g(x)) -> h(x)."],
        "f(g(x)) = h(g(x))",
        2,
    ),
    "both sides are open": (
        ["Rule one: f(x) -> k(x,y).", "Rule two: g(x) -> k(y,x)."],
        "f(x) = g(y)",
        2,
    ),
    "both sides are open, and the value is a term": (
        ["Rule one: f(x) -> k(x,k(y,y)).", "Rule two: g(x) -> k(y,k(x,z))."],
        "f(x) = g(y)",
        2,
    ),
    "a whole side is an introduced variable": (
        ["Rule one: f(x) -> y.", "Rule two: g(g(x)) -> x."],
        "f(x) = g(x)",
        1,
    ),
    "either whole side may be": (
        ["Rule one: f(x) -> y.", "Rule two: g(g(x)) -> x."],
        "f(g(x)) = f(g(y))",
        1,
    ),
    "two variables at once": (
        ["Rule one: f(x) -> k(k(y,z),x).", "Rule two: k(k(x,x),y) -> g(y)."],
        "f(x) = g(x)",
        2,
    ),
}


@pytest.mark.parametrize("case", OPEN)
def test_introduced_variables_get_values(tmp_path: Path, case: str) -> None:
    statements, text, length = OPEN[case]
    theory = written(tmp_path, *statements)
    problem = equation(text, theory)
    found = guided(theory).prove(problem, Budget(500))
    derivation = certified(theory, problem, found)
    assert len(derivation.steps) == length


@pytest.mark.parametrize("case", OPEN)
def test_without_introduced_variables_there_is_no_proof(tmp_path: Path, case: str) -> None:
    statements, text, _ = OPEN[case]
    theory = written(tmp_path, *statements)
    found = guided(theory, variables=0).prove(equation(text, theory), Budget(500))
    assert (found.status, found.derivation) == (Status.EXHAUSTED, None)


def test_terms_that_do_not_unify_do_not_meet(tmp_path: Path) -> None:
    """k(y,y) and k(x,k(x,x)) have no common instance, nor have k(y,y) and k(x,z)."""
    theory = written(tmp_path, "Rule one: f(x) -> k(y,y).")
    search = guided(theory)
    for text in ("f(x) = k(x,k(x,x))", "f(x) = k(x,z)", "k(x,y) = f(y)"):
        found = search.prove(equation(text, theory), Budget(500))
        assert (found.status, found.derivation) == (Status.EXHAUSTED, None), text


# Parts of a theory


def test_a_part_of_the_theory_uses_its_own_equations_only() -> None:
    whole = untrained(AIM).network()
    names = [lemma.name for lemma in AIM.lemmas]
    proved = 0
    for lemma in names[:30:3]:
        part = AIM.before(lemma)
        later = set(names[names.index(lemma) :])
        problem = Problem(lemma, AIM.by_name[lemma].lhs, AIM.by_name[lemma].rhs)
        search = Guided(part, whole)
        found = search.prove(problem, Budget(300))
        if found.derivation is not None:
            certify(part, problem, found.derivation)
            proved += 1
        for derivation, _ in search.explore(problem, Budget(60), count=300):
            assert later.isdisjoint(step.equation for step in derivation.steps)
            certify(part, Problem("lemma", derivation.start, derivation.end), derivation)
    assert proved >= 3


def favouring(theory: Theory, name: str) -> Policy:
    """A model to which one rewrite is by far the most probable, whatever the state."""
    model = untrained(theory)
    action = theory.actions.index(Rewrite(((name, LEFT_TO_RIGHT),)))
    model.tensors["predictor.policy.bias"][action] = 20
    return model


def test_a_part_of_the_theory_asks_the_right_outputs(tmp_path: Path) -> None:
    """Where actions are missing, the others have other numbers, but the same outputs."""
    rules = [f"Rule to_{c}: f(x) -> {c}(x)." for c in "abcd"]
    theory = written(tmp_path, *rules)
    problem = equation("f(x) = d(x)", theory)
    for left_out, liked in (("to_a", "to_c"), ("to_b", "to_d"), ("to_d", "to_a")):
        part = theory.without([left_out], "part")
        search = Guided(part, favouring(theory, liked).network())
        ((derivation, _),) = search.explore(problem, Budget(20), count=1)
        assert [step.equation for step in derivation.steps] == [liked]


def test_a_network_that_knows_too_little_is_refused() -> None:
    part = AIM.before(AIM.lemmas[0].name)
    with pytest.raises(ValueError, match="has no action"):
        Guided(AIM, untrained(part).network())


# Exploration


def introduced(problem: Problem, *terms: Term) -> set[str]:
    """The variables that are not the problem's own."""
    assert problem.target is not None
    own = {*problem.start.variables(), *problem.target.variables()}
    return {name for term in terms for name in term.variables()} - own


def explored(problem: Problem, count: int = 400, **options: int) -> list[tuple[Derivation, float]]:
    return guided().explore(problem, Budget(80), count=count, **options)


def test_what_is_explored_certifies() -> None:
    search = guided()
    open_ones = longer = 0
    for problem in problems(AIM):
        for derivation, log_probability in search.explore(problem, Budget(80), count=400):
            assert derivation.start in (problem.start, problem.target)
            assert derivation.steps
            assert np.isfinite(log_probability)
            certify(AIM, Problem("lemma", derivation.start, derivation.end), derivation)
            open_ones += bool(introduced(problem, derivation.end))
            longer += len(derivation.steps) > 1
    assert open_ones > 100
    assert longer > 100


def test_exploration_goes_on_where_the_frontiers_meet() -> None:
    """The goal is proved at once; still, both sides are rewritten further."""
    problem = equation(r"x * (x \ y) = y")
    found = guided().prove(problem, Budget(100))
    assert found.status is Status.PROVED
    listed = explored(problem)
    assert len(listed) > 10 * found.expansions
    assert {derivation.start for derivation, _ in listed} == {problem.start, problem.target}


def test_the_best_come_first() -> None:
    """Probability counts, and so does size."""
    listed = explored(equation(r"(x * y) / y = z \ (z * x)"), count=10_000)
    scores = [log - 0.3 * derivation.end.size for derivation, log in listed]
    np.testing.assert_array_less(-1e-4, -np.diff(scores))
    assert len(set(scores)) > 50


def test_no_more_than_wanted() -> None:
    problem = equation(r"(x * y) / y = z \ (z * x)")
    everything = explored(problem, count=10_000)
    for count in (0, 1, 7):
        assert explored(problem, count=count) == everything[:count]
    assert explored(problem, count=len(everything) + 1) == everything


def test_each_term_of_a_side_comes_once() -> None:
    listed = explored(FALSE, count=10_000)
    ends = [(derivation.start, shape_of(FALSE, derivation.end)) for derivation, _ in listed]
    assert len(set(ends)) == len(ends)


def test_exploration_depends_on_the_seed_alone() -> None:
    search = guided()
    search.prove(FALSE, Budget(50), seed=4)
    problem = equation(r"T(x * (x \ y),z) = z \ (y * z)")
    first = search.explore(problem, Budget(80), count=400, seed=5)
    assert search.explore(problem, Budget(80), count=400, seed=5) == first
    assert explored(problem, seed=5) == first
    assert explored(problem, seed=6) != first


def shape_of(problem: Problem, term: Term) -> Term:
    """The term with its introduced variables named by their order."""
    own = introduced(problem, term)
    names = [name for name in term.variables() if name in own]
    return term.substitute({name: var(f"#{number}") for number, name in enumerate(names)})


@pytest.mark.parametrize("own", [("v0", "v1"), ("v0", "v0'"), ("v0''", "v0"), ("v1", "v3")])
def test_introduced_variables_have_names_of_their_own(own: Sequence[str]) -> None:
    """Whatever the problem calls its variables, what is explored is the same."""
    usual = equation(r"x * (x \ y) = y")
    assert usual.target is not None
    names = {"x": var(own[0]), "y": var(own[1])}
    problem = Problem("p", usual.start.substitute(names), usual.target.substitute(names))
    expected, found = explored(usual), explored(problem)
    assert len(found) == len(expected)
    fresh = 0
    for (theirs, _), (mine, _) in zip(expected, found, strict=True):
        certify(AIM, Problem("lemma", mine.start, mine.end), mine)
        usual_shape = shape_of(usual, theirs.end)
        assert shape_of(problem, mine.end) == usual_shape.substitute(names)
        fresh += bool(introduced(problem, mine.end))
    assert fresh > 20


def test_a_larger_network_fits_too() -> None:
    search = Guided(AIM, network(AIM, Shape(32, 48, value=True)))
    problem = easy_problems(AIM)[0]
    certified(AIM, problem, search.prove(problem, Budget(300)))
