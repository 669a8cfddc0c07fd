"""Completion: runs that resume where they stopped, rules with proofs, proofs that certify."""

from __future__ import annotations

import pytest

import proof_samples
from proof_samples import GROUPS
from proof_samples import theory_of as sample
from threesil.engine import Budget, Completion, CompletionRun, Found, OrderChoice, Status
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Equation, Problem, Signature, Theory
from threesil.notations.document import theory_of
from threesil.notations.infix import parse_equation

INVERSE = "i(x * y) = i(y) * i(x)"
TEN = {
    "(x * y) * z = x * (y * z)",
    "e * x = x",
    "x * e = x",
    "i(x) * x = e",
    "x * i(x) = e",
    "i(x) * (x * y) = y",
    "x * (i(x) * y) = y",
    "i(e) = e",
    "i(i(x)) = x",
    "i(x * y) = i(y) * i(x)",
}


def stated(theory: Theory, text: str, exists: tuple[str, ...] = ()) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature), exists=exists)


def canonical(problem: Problem) -> tuple[Term, Term]:
    """Its sides, variables by first occurrence."""
    assert problem.target is not None
    names = {name: var(f"v{k}") for k, name in enumerate(problem.variables)}
    return problem.start.substitute(names), problem.target.substitute(names)


def certified(theory: Theory, problem: Problem, found: Found) -> Proof:
    assert found.status is Status.PROVED and found.derivation is not None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    return certify(theory, problem, found.derivation, lemmas)


def in_pieces(run: CompletionRun, budget: Budget, most: int = 10_000) -> tuple[Found, int]:
    """(how it ended, the expansions of all pieces)."""
    spent = 0
    for _ in range(most):
        found = run.run(budget)
        spent += found.expansions
        if found.status not in (Status.EXPANSIONS, Status.SECONDS):
            return found, spent
    raise AssertionError(f"not at its end: {run.statistics}")


def test_a_run_resumes_where_its_expansions_ended() -> None:
    problem = stated(GROUPS, INVERSE)
    whole = Completion(GROUPS).begin(problem)
    at_once = whole.run(Budget(None, None))
    run = Completion(GROUPS).begin(problem)
    found, spent = in_pieces(run, Budget(1, None))
    assert found.derivation == at_once.derivation and found.lemmas == at_once.lemmas
    assert run.statistics == whole.statistics and spent == at_once.expansions > 3
    certified(GROUPS, problem, found)


def test_a_run_resumes_where_its_time_ended() -> None:
    problem = stated(GROUPS, INVERSE)
    at_once = Completion(GROUPS).begin(problem).run(Budget(None, None))
    found, spent = in_pieces(Completion(GROUPS).begin(problem), Budget(None, 2e-6))
    assert found.derivation == at_once.derivation and found.lemmas == at_once.lemmas
    assert spent == at_once.expansions


def test_a_run_that_is_proved_stays_so() -> None:
    problem = stated(GROUPS, "x * e = x")
    run = Completion(GROUPS).begin(problem)
    first, again = run.run(Budget()), run.run(Budget())
    assert first.derivation == again.derivation and again.expansions == 0


def test_groups_have_the_ten_rules_of_knuth_and_bendix() -> None:
    run = Completion(GROUPS).begin(stated(GROUPS, "x * y = y * x"))
    assert run.run(Budget(None, None)).status is Status.EXHAUSTED
    rules = run.rules()
    assert all(rule.oriented for rule in rules)
    assert not run.statistics.dropped and run.statistics.queue == 0
    written = {canonical(rule.equation) for rule in rules}
    assert written == {canonical(stated(GROUPS, text)) for text in TEN}


def test_rules_come_with_proofs() -> None:
    run = Completion(GROUPS).begin(stated(GROUPS, "x * y = y * x"))
    run.run(Budget(None, None))
    rules = run.rules()
    sizes = [sum(side.size for side in canonical(rule.equation)) for rule in rules]
    assert sizes == sorted(sizes)
    assert run.rules(3) == rules[:3]
    proofs: list[Proof] = []
    for lemma, derivation in run.lemmas(rules):
        proofs.append(certify(GROUPS, lemma, derivation, proofs))
    proved = {proof.problem.name: proof.problem for proof in proofs}
    for rule in rules:
        assert proved[rule.equation.name] == rule.equation
    one = [lemma.name for lemma, _ in run.lemmas(rules[-1:])]
    assert one[-1] == rules[-1].equation.name


@pytest.mark.parametrize("text", sorted(TEN))
def test_the_ten_rules_are_theorems(text: str) -> None:
    problem = stated(GROUPS, text)
    certified(GROUPS, problem, Completion(GROUPS).prove(problem, Budget(1000)))


def test_axioms_are_tried_before_their_pairs() -> None:
    many = {f"a{k}": f"f{k}(x) = f{k + 1}(x)" for k in range(20)}
    theory = sample("many", {f"f{k}": 1 for k in range(21)}, **many)
    run = Completion(theory).begin(stated(theory, "f0(f3(x)) = f20(f7(x))"))
    assert run.run(Budget(None, 20.0)).status is Status.PROVED
    assert run.statistics.pairs == run.statistics.considered == 0


def test_witnesses() -> None:
    problem = stated(GROUPS, "x * a = b", exists=("x",))
    proof = certified(GROUPS, problem, Completion(GROUPS).prove(problem, Budget(1000)))
    assert set(proof.derivation.witnesses) == {"x"}


@pytest.mark.parametrize(
    ("axiom", "goal"),
    [
        ("x = (y * z) * (w * z)", "x = y * (z * y)"),
        ("x = (y * (x * x)) * (z * x)", "x = ((y * z) * w) * (y * x)"),
        ("x * x = (y * (z * z)) * z", "x * x = (y * (z * z)) * y"),
    ],
)
def test_a_lemma_speaks_of_its_own_variables_alone(axiom: str, goal: str) -> None:
    magmas = Signature({"*": 2}, {"*": 1})
    equation = Equation("a", *parse_equation(axiom, magmas))
    theory = theory_of("magmas", "", magmas.symbols, magmas.infix, [equation])
    problem = stated(theory, goal)
    certified(theory, problem, Completion(theory).prove(problem, Budget(1000)))


@pytest.mark.parametrize("flatten", [True, False])
def test_names_of_the_goals_parts_are_not_in_the_proof(flatten: bool) -> None:
    problem = stated(GROUPS, "(x * y) * i(z * y) = x * i(z)")
    search = Completion(GROUPS, order=OrderChoice(flatten=flatten))
    proof = certified(GROUPS, problem, search.prove(problem, Budget(1000)))
    assert proof.problem == problem


def test_a_pair_that_gives_witnesses_comes_first() -> None:
    # Fixed points in combinatory logic: eq(s, t) with sides that unify closes the search.
    symbols = {"*": 2, "m": 0, "b": 0}
    theory = sample("birds", symbols, m="m * x = x * x", b="((b * x) * y) * z = x * (y * z)")
    problem = stated(theory, "y = x * y", exists=("y",))
    run = Completion(theory).begin(problem)
    found = run.run(Budget(1000))
    certified(theory, problem, found)
    assert found.expansions < 20


def test_associative_and_commutative_is_complete_with_one_equation_more() -> None:
    # Its other critical pairs join under every order of the variables' values.
    equations = {"a": "(x * y) * z = x * (y * z)", "c": "x * y = y * x"}
    theory = sample("semilattice", {"*": 2, "e": 0}, **equations)
    run = Completion(theory).begin(stated(theory, "x = y"))
    assert run.run(Budget(10_000)).status is Status.EXHAUSTED
    assert not run.statistics.dropped
    assert len(run.rules()) == 3


def test_variables_of_one_side_alone_do_not_matter() -> None:
    # x * i(x) is the same whatever x is, though neither side of the equation is the larger.
    theory = sample("units", {"*": 2, "i": 1, "f": 1}, unit="x * i(x) = y * i(y)")
    for text in ("f(x * i(x)) = f(f(y) * i(f(y)))", "(x * i(x)) * z = (y * i(y)) * z"):
        problem = stated(theory, text)
        certified(theory, problem, Completion(theory).prove(problem, Budget(100)))
    theory = sample("far", {"*": 2, "f": 3, "e": 0}, far="f(x, y, u) = f(x, z, v) * f(z, x, v)")
    problem = stated(theory, "f(x, y, y) = f(x, x * y, y)")
    certified(theory, problem, Completion(theory).prove(problem, Budget(100)))
    run = Completion(theory).begin(stated(theory, "x = y"))
    run.run(Budget(200))
    proofs: list[Proof] = []
    for lemma, derivation in run.lemmas(run.rules()):
        proofs.append(certify(theory, lemma, derivation, proofs))
    assert proofs


def test_what_was_split_is_not_split_forever() -> None:
    theory = proof_samples.theory_of(
        "one axiom",
        {"*": 2, "d": 2, "i": 1},
        single="d(i(x), i(d(i(d(x, d(y, z))), d(v, d(y, v))))) = z",
        product="x * y = i(d(y, x))",
    )
    problem = stated(theory, "i(x) * x = i(y) * y")
    certified(theory, problem, Completion(theory).prove(problem, Budget(5000, 20.0)))


def test_the_oldest_pair_has_its_turn() -> None:
    """By size, a large pair waits while small ones come and come."""
    big, bigger = "p(" * 12 + "c" + ")" * 12, "q(" * 12 + "c" + ")" * 12
    theory = sample(
        "waiting",
        {"f": 2, "g": 1, "h": 2, "p": 1, "q": 1, "c": 0},
        turned="f(f(x,y),z) = f(y,f(z,g(x)))",
        grown="f(x,g(y)) = f(g(g(y)),x)",
        left=f"h({big},x) = p(x)",
        right=f"h(x,{bigger}) = q(x)",
    )
    problem = stated(theory, f"p({bigger}) = q({big})")
    budget, whole = Budget(300, None), OrderChoice(flatten=False)
    assert Completion(theory, order=whole).prove(problem, budget).status is Status.EXPANSIONS
    found = Completion(theory, order=whole, fair=4).begin(problem).run(budget)
    assert found.expansions < 50
    certified(theory, problem, found)
