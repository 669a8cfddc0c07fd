"""Shorter proofs: never longer, certified, of the same problem."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from proof_samples import GROUPS, existential, left_inverses, proof, tower, varied, walk
from samples import random_chain
from threesil.engine import Budget, Status, Stop
from threesil.engine.completion import Completion
from threesil.kernel.lemmas import in_order, length
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.notations.infix import parse_equation
from threesil.notations.reading import parse
from threesil.proofs.script import Script
from threesil.proofs.shorten import shortened
from threesil.search.prover import Prover
from threesil.theories import get_theory
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON

BOOLEAN = """Theory boolean: Boolean algebras by Huntington's axioms.
Constants zero, one.
Axiom meet_commutes: m(x,y) = m(y,x).
Axiom join_commutes: j(x,y) = j(y,x).
Axiom meet_over_join: m(x,j(y,z)) = j(m(x,y),m(x,z)).
Axiom join_over_meet: j(x,m(y,z)) = m(j(x,y),j(x,z)).
Axiom meet_one: m(x,one) = x.
Axiom join_zero: j(x,zero) = x.
Axiom meet_not: m(x,n(x)) = zero.
Axiom join_not: j(x,n(x)) = one.
"""
OF_GROUPS = ["x * e = x", "x * i(x) = e", "i(i(x)) = x", "i(x * y) = i(y) * i(x)"]
OF_BOOLEAN = ["m(x,x) = x", "j(x,one) = one", "m(x,j(x,y)) = x", "n(n(x)) = x"]
OF_AIM = ["prov9_d18167fcf7", "prov9_13e5c8ed0a", "prov9_183b179b43"]


def by_completion(theory: Theory, problem: Problem) -> Proof:
    found = Completion(theory).prove(problem, Budget(20_000, None))
    assert found.status is Status.PROVED and found.derivation is not None
    lemmas: list[Proof] = []
    for lemma, derivation in found.lemmas:
        lemmas.append(certify(theory, lemma, derivation, lemmas))
    return certify(theory, problem, found.derivation, lemmas)


def stated(theory: Theory, text: str) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature))


def check(given: Proof, expansions: int = 3000) -> Proof:
    """The shorter proof: of the same, no longer, and the same again for the same budget."""
    short = shortened(given, Budget(expansions, None))
    assert (short.theory, short.problem) == (given.theory, given.problem)
    assert length(short) <= length(given)
    assert {axiom.name for axiom in short.axioms} <= set(given.theory.by_name)
    return short


def shares(proofs: Iterable[Proof]) -> list[float]:
    return [length(check(one)) / length(one) for one in proofs]


def test_proofs_by_completion_in_groups() -> None:
    assert min(shares(by_completion(GROUPS, stated(GROUPS, text)) for text in OF_GROUPS)) < 1


def test_proofs_by_completion_of_known_equations() -> None:
    given = []
    for name in OF_AIM:
        known = AIM.by_name[name]
        given.append(by_completion(AIM.before(name), Problem(name, known.lhs, known.rhs)))
    assert min(shares(given)) < 1


def test_proofs_by_completion_in_a_theory_file(tmp_path: Path) -> None:
    file = tmp_path / "boolean.thy"
    file.write_text(BOOLEAN)
    theory = get_theory(file)
    assert min(shares(by_completion(theory, stated(theory, text)) for text in OF_BOOLEAN)) < 0.9


def test_random_walks_become_much_shorter() -> None:
    found = shares(walk(30, seed) for seed in range(4))
    assert sum(found) / len(found) < 0.8


@pytest.mark.parametrize("theory", [ROBINSON, POLYNOMIAL])
def test_chains_of_other_goals(theory: Theory) -> None:
    for seed in range(5):
        chain = random_chain(theory, Random(seed), 8, size=40)
        check(certify(theory, Problem("chain", chain.start, chain.end), chain), 1000)


def test_proofs_of_all_kinds() -> None:
    for given in varied(40):
        check(given, 300)


def test_witnesses_stay() -> None:
    for given in existential():
        assert check(given).derivation.witnesses == given.derivation.witnesses


def test_what_a_search_finds_with_lemmas_of_its_own_is_one_chain() -> None:
    text = "Axiom law: x = x * ((y * (x * x)) * z).\nTheorem goal: x = (x * x) * ((y * x) * z).\n"
    read = parse(text, "t", "theory")
    outcome = Prover(read.theory).prove(read.problems[0], seconds=60)
    assert outcome.proof is not None
    check(outcome.proof)


def test_the_same_budget_gives_the_same_proof() -> None:
    given = walk(40, 3)
    first, second = (shortened(given, Budget(2000, None)) for _ in range(2))
    assert first.derivation == second.derivation


def test_a_budget_of_nothing_still_tidies() -> None:
    given = tower(2, 3)
    assert length(shortened(given, Budget(0, None))) <= length(given)


def test_a_stop_ends_it() -> None:
    stop = Stop()
    stop.set()
    assert length(shortened(walk(60), Budget(None, None, stop=stop))) <= length(walk(60))


def test_a_lemma_that_says_what_an_equation_says_goes() -> None:
    lemma = proof(
        GROUPS,
        "i(y) = e * i(y)",
        ("unit", "<-", "", {"x": "i(y)"}),
        ("unit", "<-", "", {"x": "e * i(y)"}),
        ("unit", "->", "", {"x": "e * i(y)"}),
        name="turned",
    )
    step = ("turned", "<-", "", {"y": "x"})
    given = proof(GROUPS, "e * i(x) = i(x)", step, lemmas=(lemma,))
    (chain,) = in_order(from_script(given))
    assert [s.equation for s in chain.derivation.steps] == ["unit"]
    assert chain.derivation.steps[0].direction.value == "->"


def test_equal_lemmas_are_merged() -> None:
    def cancel(variables: str, name: str) -> Proof:
        x, y = variables
        return proof(
            GROUPS,
            f"i({x}) * ({x} * {y}) = {y}",
            ("assoc", "<-", "", {"x": f"i({x})", "y": x, "z": y}),
            ("inv", "->", "0", {"x": x}),
            ("unit", "->", "", {"x": y}),
            name=name,
        )

    given = proof(
        GROUPS,
        "(i(x) * (x * y)) * (i(y) * (y * (i(z) * (z * x)))) = y * x",
        ("one", "->", "0", {"x": "x", "y": "y"}),
        ("two", "->", "1", {"u": "y", "v": "i(z) * (z * x)"}),
        ("two", "->", "1", {"u": "z", "v": "x"}),
        lemmas=(cancel("xy", "one"), cancel("uv", "two")),
    )
    made = from_script(given)
    assert length(given) == 9 and length(made) == 6
    assert [lemma.problem.name for lemma in made.lemmas] == ["one"]


def test_a_short_lemma_that_is_cited_once_is_put_in_its_place() -> None:
    made = from_script(left_inverses())
    assert length(made) == length(left_inverses()) - 2 and not made.lemmas


def test_steps_side_by_side_may_undo_each_other_later() -> None:
    given = proof(
        GROUPS,
        "x * (e * y) = x * y",
        ("unit", "<-", "0", {"x": "x"}),
        ("unit", "->", "1", {"x": "y"}),
        ("unit", "->", "0", {"x": "x"}),
    )
    assert length(from_script(given)) == 1


def from_script(given: Proof) -> Proof:
    """What is there to be tidied without any search."""
    return Script.of(given).tidied().proof()
