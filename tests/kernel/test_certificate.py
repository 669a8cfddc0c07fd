"""What a certificate shows: exactly its own problem, in theories that have what it needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from model_samples import two
from proof_samples import GROUPS, existential, left_inverses, proof, right_unit, theory_of
from threesil.errors import InputError, ThreesilError
from threesil.kernel.certificate import shows
from threesil.kernel.confluence import Convergent
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Derivation, NotAProof, Proof, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.measure.results import row_of
from threesil.runs.run import Run
from threesil.search.completing import complete
from threesil.search.learned import with_lemmas
from threesil.theories.robinson import ROBINSON

DIVISION = existential()[0]  # exists x: x * a = b


def universal(of: Proof) -> Problem:
    return replace(of.problem, exists=())


def test_the_problem_is_the_same_but_for_what_people_are_told() -> None:
    made = left_inverses()
    other = replace(made.problem, name="p", columns=("x",), line=7)
    assert shows(made, GROUPS, made.problem) and shows(made, GROUPS, other)
    x, e = var("x"), app("e")
    for wrong in (
        None,
        replace(other, start=other.target or x, target=other.start),
        replace(other, target=None),
        replace(other, target=x),
        replace(other, exists=("x",)),
        replace(other, start=app("*", var("y"), app("i", var("y")))),
        Problem("p", app("*", e, e), e),
    ):
        assert not shows(made, GROUPS, wrong)


def test_what_holds_for_some_values_is_not_shown_for_all() -> None:
    assert shows(DIVISION, GROUPS, DIVISION.problem)
    assert not shows(DIVISION, GROUPS, universal(DIVISION))


def test_a_proof_stays_one_where_all_is_that_it_rests_on() -> None:
    made = proof(GROUPS, "e * (e * x) = x", *[("unit", "->", "", {"x": t}) for t in ("e * x", "x")])
    weaker = theory_of("weak", {"*": 2, "e": 0}, unit="e * x = x", idem="x * x = x")
    assert shows(made, weaker, made.problem)
    assert shows(made, GROUPS.extended([]), made.problem)
    for lacking in (
        theory_of("none", {"*": 2, "e": 0}, idem="x * x = x"),
        theory_of("other", {"*": 2, "e": 0}, unit="x * e = x"),
        theory_of("arity", {"*": 2, "e": 1}, unit="e(x) * x = x"),
    ):
        assert not shows(made, lacking, made.problem)
    trivial = proof(GROUPS, "i(x) = i(x)")
    assert not shows(trivial, weaker, trivial.problem)  # which has no i


def test_a_normal_form_is_one_of_the_same_constructors() -> None:
    zero = app("0")
    made = certify(ROBINSON, Problem("n", zero), Derivation(zero))
    assert shows(made, ROBINSON, made.problem)
    fewer = Theory(
        "fewer",
        "fewer",
        ROBINSON.signature,
        ROBINSON.equations,
        ROBINSON.actions,
        ROBINSON.goal,
        constructors=frozenset({"S"}),
    )
    assert not shows(made, fewer, made.problem)


def test_a_model_refutes_where_there_is_nothing_that_it_does_not_satisfy() -> None:
    model = two()
    own, problem = model.theory, model.problem
    assert problem is not None
    assert shows(model, own, problem) and not shows(model, own, None)
    assert shows(model, own.without(["assoc"], "fewer"), problem)
    more = own.extended([Equation("more", var("x"), var("y"))])
    assert not shows(model, more, problem)
    assert shows(two(None), own, None) and not shows(two(None), more, None)
    assert not shows(model, own, replace(problem, exists=("x",)))


def test_a_system_refutes_what_it_was_asked() -> None:
    system = complete(GROUPS, 20.0).system
    assert system is not None
    assert shows(system, GROUPS, None)
    assert not shows(system, GROUPS.without(["assoc"], "fewer"), None)
    commutes = Problem("c", app("*", var("x"), var("y")), app("*", var("y"), var("x")))
    assert not shows(system, GROUPS, commutes)
    refuting = system.refuting(commutes)
    assert isinstance(refuting, Convergent)
    assert shows(refuting, GROUPS, commutes)
    assert shows(refuting, GROUPS.without(["assoc"], "fewer"), commutes)
    assert not shows(refuting, GROUPS.extended([Equation("m", var("x"), var("y"))]), commutes)


def test_only_what_holds_for_all_values_becomes_an_equation() -> None:
    assert right_unit().equation() == Equation(
        "right unit", app("*", var("x"), app("e")), var("x"), "known"
    )
    for use in (DIVISION.equation, lambda: with_lemmas(GROUPS, [DIVISION])):
        with pytest.raises(NotAProof, match="no equation that holds for all values"):
            use()


def test_a_lemma_that_holds_for_some_values_is_not_read(tmp_path: Path) -> None:
    """Such a line made the theory of a run know for all values what holds for some."""
    run = Run(tmp_path)
    run.write_lemmas([right_unit(), DIVISION])
    with pytest.raises(InputError, match="no equation that holds for all values") as refused:
        run.lemmas(GROUPS)
    assert refused.value.line == 2


def test_an_outcome_is_about_its_problem() -> None:
    with pytest.raises(ValueError, match="what is shown is not"):
        Outcome(universal(DIVISION), SZS.THEOREM, proof=DIVISION)
    with pytest.raises(ValueError, match="what is shown is not"):
        Outcome(right_unit().problem, SZS.COUNTER_SATISFIABLE, model=two())


def test_a_row_is_certified_for_what_was_asked() -> None:
    made = left_inverses()
    outcome = Outcome(made.problem, SZS.THEOREM, proof=made)
    assert row_of(outcome, GROUPS, replace(made.problem, name="mine")).name == "mine"
    fewer = GROUPS.without(["assoc"], "fewer")
    for theory, problem in ((fewer, made.problem), (GROUPS, right_unit().problem)):
        with pytest.raises(ThreesilError, match="shows something else"):
            row_of(outcome, theory, problem)
