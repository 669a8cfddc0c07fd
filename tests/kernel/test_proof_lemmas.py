"""The kernel and its lemmas and witnesses; and that nothing which it has checked can be bent."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from random import Random

import pytest

from samples import AIM, ROBINSON, random_chain
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Equation,
    Goal,
    Move,
    Problem,
    Rewrite,
    Signature,
    Theory,
    moves_of,
    rewrites_of,
)

x, y, z = var("x"), var("y"), var("z")
E = app("e")


def mul(left: Term, right: Term) -> Term:
    return app("*", left, right)


def inv(of: Term) -> Term:
    return app("i", of)


def make(*equations: Equation, **symbols: int) -> Theory:
    signature = Signature({"e": 0, "i": 1, "*": 2, **symbols}, infix={"*": 1})
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.EQUATION))
    return Theory("groups", "", signature, equations, actions, Goal.EQUATION)


UNIT = Equation("unit", mul(E, x), x)
INVERSE = Equation("inverse", mul(inv(x), x), E)
ASSOC = Equation("assoc", mul(mul(x, y), z), mul(x, mul(y, z)))
GROUPS = make(UNIT, INVERSE, ASSOC)


def cancel() -> Proof:
    """i(x) * (x * y) = y."""
    terms = [
        mul(inv(x), mul(x, y)),
        mul(mul(inv(x), x), y),
        mul(E, y),
        y,
    ]
    steps = (
        Step((), "assoc", RIGHT_TO_LEFT, {"x": inv(x), "y": x, "z": y}, terms[1]),
        Step((0,), "inverse", LEFT_TO_RIGHT, {"x": x}, terms[2]),
        Step((), "unit", LEFT_TO_RIGHT, {"x": y}, terms[3]),
    )
    return certify(GROUPS, Problem("cancel", terms[0], y), Derivation(terms[0], steps))


def citing(name: str = "cancel") -> tuple[Problem, Derivation]:
    """i(z) * (z * e) = e, an instance of the lemma."""
    start = mul(inv(z), mul(z, E))
    only = Step((), name, LEFT_TO_RIGHT, {"x": z, "y": E}, E)
    return Problem("use", start, E), Derivation(start, (only,))


def test_a_lemma_is_cited_like_an_equation() -> None:
    lemma = cancel()
    proof = certify(GROUPS, *citing(), [lemma])
    assert proof.lemmas == (lemma,)
    assert [axiom.name for axiom in proof.axioms] == ["unit", "inverse", "assoc"]


def test_a_lemma_that_is_not_cited_is_left_out() -> None:
    lemma = cancel()
    proof = certify(GROUPS, Problem("p", mul(E, z), z), unit_step(), [lemma])
    assert proof.lemmas == ()
    assert [axiom.name for axiom in proof.axioms] == ["unit"]


def unit_step() -> Derivation:
    return Derivation(mul(E, z), (Step((), "unit", LEFT_TO_RIGHT, {"x": z}, z),))


def test_lemmas_of_lemmas_count() -> None:
    problem, derivation = citing()
    middle = certify(GROUPS, problem, derivation, [cancel()])
    start = mul(middle.problem.start, E)
    steps = (Step((0,), "use", LEFT_TO_RIGHT, {"z": z}, mul(E, E)),)
    outer = certify(GROUPS, Problem("outer", start, mul(E, E)), Derivation(start, steps), [middle])
    assert {axiom.name for axiom in outer.axioms} == {"unit", "inverse", "assoc"}
    assert outer.lemmas == (middle,)


def test_what_is_known_is_named() -> None:
    known = Equation("right", mul(x, E), x, "known")
    theory = make(UNIT, INVERSE, ASSOC, known)
    start = mul(mul(E, z), E)
    steps = (
        Step((), "right", LEFT_TO_RIGHT, {"x": mul(E, z)}, mul(E, z)),
        Step((), "unit", LEFT_TO_RIGHT, {"x": z}, z),
    )
    proof = certify(theory, Problem("p", start, z), Derivation(start, steps))
    assert [equation.name for equation in proof.known] == ["right"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"equation": "nothing"}, "no equation or lemma nothing"),
        ({"substitution": {"x": z}}, "must give"),
        ({"substitution": {"x": E, "y": E}}, "does not match"),
        ({"direction": RIGHT_TO_LEFT}, "does not match"),
        ({"result": z}, "gives another term"),
        ({"position": (0,)}, "does not match"),
    ],
)
def test_mutants_that_cite_a_lemma_are_refused(change: dict[str, object], message: str) -> None:
    problem, derivation = citing()
    step = dataclasses.replace(derivation.steps[0], **change)  # type: ignore[arg-type]
    with pytest.raises(NotAProof, match=message):
        certify(GROUPS, problem, Derivation(derivation.start, (step,)), [cancel()])


def test_lemmas_that_are_not_admitted() -> None:
    lemma = cancel()
    problem, derivation = citing()
    with pytest.raises(NotAProof, match="a lemma is a Proof"):
        certify(GROUPS, problem, derivation, [lemma.derivation])  # type: ignore[list-item]
    clash = certify(GROUPS, Problem("unit", mul(E, z), z), unit_step())
    with pytest.raises(NotAProof, match="two equations or lemmas are called unit"):
        certify(GROUPS, problem, derivation, [lemma, clash])
    twin = certify(GROUPS, Problem("cancel", mul(E, z), z), unit_step())
    with pytest.raises(NotAProof, match="two equations or lemmas are called cancel"):
        certify(GROUPS, problem, derivation, [lemma, twin])
    assert certify(GROUPS, problem, derivation, [lemma, lemma]).lemmas == (lemma,)


def test_a_lemma_of_another_theory_must_rest_on_equations_that_are_here() -> None:
    lemma = cancel()
    larger = GROUPS.extended([Equation("comm", mul(x, y), mul(y, x))])
    assert certify(larger, *citing(), [lemma]).lemmas == (lemma,)
    smaller = GROUPS.without(["assoc"], "no-assoc")
    with pytest.raises(NotAProof, match="rests on equations that no-assoc lacks"):
        certify(smaller, *citing(), [lemma])
    twisted = make(UNIT, INVERSE, Equation("assoc", mul(x, y), mul(y, x)))
    with pytest.raises(NotAProof, match="rests on equations"):
        certify(twisted, *citing(), [lemma])
    relabelled = make(UNIT, INVERSE, Equation("assoc", ASSOC.lhs, ASSOC.rhs, "known"))
    with pytest.raises(NotAProof, match="rests on equations"):
        certify(relabelled, *citing(), [lemma])


def test_a_lemma_with_foreign_symbols_is_refused() -> None:
    wide = make(UNIT, INVERSE, ASSOC, c=0)
    c = app("c")
    only = Step((), "unit", LEFT_TO_RIGHT, {"x": c}, c)
    lemma = certify(wide, Problem("about_c", mul(E, c), c), Derivation(mul(E, c), (only,)))
    with pytest.raises(NotAProof, match="not a symbol"):
        certify(GROUPS, Problem("p", mul(E, z), z), unit_step(), [lemma])


def test_random_chains_cut_into_lemmas() -> None:
    """Each piece of a chain is a lemma; citing them in their order proves the whole."""
    random = Random(3)
    for number in range(30):
        chain = random_chain(AIM, random, 6)
        lemmas, steps, terms = [], [], chain.terms
        for index in range(0, len(chain.steps), 2):
            part = Derivation(terms[index], chain.steps[index : index + 2])
            name = f"lemma-{number}-{index}"
            lemmas.append(certify(AIM, Problem(name, part.start, part.end), part))
            values = {v: var(v) for v in lemmas[-1].problem.variables}
            steps.append(Step((), name, LEFT_TO_RIGHT, values, part.end))
        problem = Problem("whole", chain.start, chain.end)
        proof = certify(AIM, problem, Derivation(chain.start, tuple(steps)), lemmas)
        assert {s.equation for s in chain.steps} == {axiom.name for axiom in proof.axioms}
        wrong = Derivation(chain.start, tuple(steps[1:]))
        with pytest.raises(NotAProof):
            certify(AIM, problem, wrong, lemmas)


# Witnesses


def test_an_existential_goal_has_witnesses() -> None:
    """There is y with y * x = e."""
    problem = Problem("inverse exists", mul(y, x), E, exists=("y",))
    start = mul(inv(x), x)
    steps = (Step((), "inverse", LEFT_TO_RIGHT, {"x": x}, E),)
    proof = certify(GROUPS, problem, Derivation(start, steps, {"y": inv(x)}))
    assert proof.derivation.witnesses["y"] == inv(x)
    for witnesses in ({}, {"y": x}, {"y": y}, {"y": inv(z)}, {"z": inv(x)}, {"y": app("c")}):
        with pytest.raises(NotAProof):
            certify(GROUPS, problem, Derivation(start, steps, witnesses))
    with pytest.raises(NotAProof, match="holds for all values"):
        certify(GROUPS, Problem("p", mul(E, z), z), unit_step(), [proof])
    universal = Problem("for all y", mul(y, x), E)
    with pytest.raises(NotAProof, match="witnesses"):
        certify(GROUPS, universal, Derivation(start, steps, {"y": inv(x)}))


def test_existential_variables_occur() -> None:
    with pytest.raises(ValueError, match="does not occur"):
        Problem("p", mul(E, x), x, exists=("y",))


# Frozen values


def test_what_was_given_as_lists_and_dictionaries_can_be_changed_afterwards_in_vain() -> None:
    steps = list(unit_step().steps)
    derivation = Derivation(mul(E, z), steps)  # type: ignore[arg-type]
    proof = certify(GROUPS, Problem("p", mul(E, z), z), derivation)
    steps.clear()
    assert len(proof.derivation.steps) == 1
    symbols = {"e": 0, "i": 1, "*": 2}
    signature = Signature(symbols)
    symbols["evil"] = 0
    assert "evil" not in signature.symbols
    equations = [UNIT]
    theory = Theory("t", "", signature, equations, [Move(0)], Goal.EQUATION)  # type: ignore[arg-type]
    equations.append(Equation("evil", x, y))
    assert [equation.name for equation in theory.equations] == ["unit"]
    alternatives = [("unit", LEFT_TO_RIGHT)]
    action = Rewrite(alternatives)  # type: ignore[arg-type]
    alternatives.clear()
    assert action.alternatives == (("unit", LEFT_TO_RIGHT),)


def test_nothing_can_be_put_into_a_theory() -> None:
    evil = Equation("evil", x, y)
    with pytest.raises(TypeError):
        GROUPS.by_name["evil"] = evil  # type: ignore[index]
    with pytest.raises(TypeError):
        GROUPS.signature.symbols["evil"] = 0  # type: ignore[index]
    for value in (GROUPS, GROUPS.signature, UNIT, unit_step(), unit_step().steps[0], cancel()):
        assert not hasattr(value, "__dict__")
        for field in dataclasses.fields(value):  # type: ignore[arg-type]
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, field.name, None)
    with pytest.raises(NotAProof, match="has no equation or lemma evil"):
        only = Step((), "evil", LEFT_TO_RIGHT, {"x": x, "y": y}, y)
        certify(GROUPS, Problem("p", x, y), Derivation(x, (only,)))


def test_look_alikes_are_refused() -> None:
    class Sly:
        by_name = GROUPS.by_name
        signature = GROUPS.signature

    problem, derivation = Problem("p", mul(E, z), z), unit_step()
    with pytest.raises(NotAProof, match="expected a Theory"):
        certify(Sly(), problem, derivation)  # type: ignore[arg-type]
    with pytest.raises(NotAProof, match="expected a Step"):
        certify(GROUPS, problem, Derivation(mul(E, z), (object(),)))  # type: ignore[arg-type]
    for position in ((True,), (0.0,), ("0",), (-1,), (2**100,)):
        start = mul(mul(E, z), E)
        step = Step(position, "unit", LEFT_TO_RIGHT, {"x": z}, mul(z, E))  # type: ignore[arg-type]
        with pytest.raises(NotAProof):
            certify(GROUPS, Problem("p", start, mul(z, E)), Derivation(start, (step,)))
    with pytest.raises(TypeError, match="a name"):
        Term(["e"])  # type: ignore[arg-type]


def test_copies_and_pickles_are_certified_anew() -> None:
    proof = certify(GROUPS, *citing(), [cancel()])
    for again in (copy.copy(proof), copy.deepcopy(proof), pickle.loads(pickle.dumps(proof))):
        assert type(again) is Proof
        assert again.derivation == proof.derivation
        assert [lemma.problem for lemma in again.lemmas] == [proof.lemmas[0].problem]
    function, (theory, problem, derivation, lemmas) = proof.__reduce__()
    wrong = Problem("wrong", problem.start, inv(E))  # type: ignore[attr-defined]
    with pytest.raises(NotAProof):
        function(theory, wrong, derivation, lemmas)


def test_theories_and_problems_survive_pickle() -> None:
    for theory in (GROUPS, AIM, AIM.before("id3"), ROBINSON):
        again = pickle.loads(pickle.dumps(theory))
        assert again.digest == theory.digest
        assert again.signature == theory.signature
    problem = Problem("p", mul(y, x), E, ("a", "b"), 7, ("y",))
    assert pickle.loads(pickle.dumps(problem)) == problem


# Shared terms


def tower(levels: int) -> Term:
    """A term with 2^levels leaves and as many objects as levels."""
    top = mul(E, z)
    for _ in range(levels):
        top = mul(top, top)
    return top


def test_shared_terms_are_looked_at_once() -> None:
    """A tree of 2^60 nodes; also where equal terms are different objects."""
    start, end = mul(E, tower(60)), tower(60)
    only = Step((), "unit", LEFT_TO_RIGHT, {"x": tower(60)}, tower(60))
    proof = certify(GROUPS, Problem("tall", start, end), Derivation(mul(E, tower(60)), (only,)))
    assert pickle.loads(pickle.dumps(proof)).problem.start.size == start.size
    deep = (0,) * 60
    inside = start.args[1].replace(deep, z)
    step = Step(deep, "unit", LEFT_TO_RIGHT, {"x": z}, inside)
    certify(GROUPS, Problem("inside", tower(60), inside), Derivation(tower(60), (step,)))
    with pytest.raises(NotAProof):
        certify(GROUPS, Problem("inside", tower(60), inside), Derivation(tower(60), (only,)))


def test_the_kernel_loads_nothing_but_terms_and_theories() -> None:
    shown = "print(*sorted(m for m in sys.modules if m.startswith('threesil')))"
    code = f"import sys, threesil.kernel.proof; {shown}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "threesil",
        "threesil.errors",
        "threesil.kernel",
        "threesil.kernel.display",
        "threesil.kernel.proof",
        "threesil.kernel.terms",
        "threesil.kernel.theory",
    ]
