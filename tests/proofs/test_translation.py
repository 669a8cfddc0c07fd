"""Problems and proofs in another theory's words: the kernel accepts them there."""

from random import Random

import pytest

from disguise import disguised, in_disguise, theory_of, with_commutativity
from samples import equation, random_chain
from threesil.kernel.matching import Correspondence, find_correspondence
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.terms import Term, app, match, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Direction,
    Equation,
    Problem,
    Theory,
)
from threesil.proofs.translation import translate_derivation, translate_problem, translate_proof
from threesil.theories.aim import AIM

X, Y = var("x"), var("y")
E = app("e")


def corresponding(seed: int, theory: Theory = AIM) -> Correspondence:
    other, symbols = disguised(theory, seed)
    by = find_correspondence(theory, other)
    assert by is not None and by.symbols == symbols
    return by


@pytest.mark.parametrize("seed", range(6))
def test_random_derivations_certify_in_other_words(seed: int) -> None:
    by = corresponding(seed)
    for number in range(10):
        chain = random_chain(AIM, Random(100 * seed + number), 4, size=30)
        mine = Problem("walk", chain.start, chain.end)
        problem = in_disguise(mine, by.symbols)
        assert translate_problem(problem, by) == mine
        derivation = translate_derivation(chain, problem, by)
        proof = certify(by.whole, problem, derivation)
        assert proof == translate_proof(certify(AIM, mine, chain), problem, by)
        back = translate_derivation(derivation, mine, by.inverse)
        certify(AIM, mine, back)
        assert back == chain


def test_constants_that_the_part_lacks_become_variables() -> None:
    """Two constants of a goal, one of them with the name of a variable of the goal."""
    by = corresponding(3)
    more = with_commutativity(by.whole, by.symbols["*"], x=0, d=0)
    wider = Correspondence(AIM, more, by.symbols)
    product = by.symbols["*"]
    start = app(product, app(product, app("x"), app("d")), app(by.symbols["e"]))
    problem = Problem(
        "goal", app(product, start, X), app(product, app(product, app("x"), app("d")), X)
    )
    theirs = translate_problem(problem, wider)
    assert theirs is not None and theirs.target is not None
    assert theirs.variables == ("x_2", "d", "x")
    step = Step((0,), "rid", LEFT_TO_RIGHT, {"x": app("*", var("x_2"), var("d"))}, theirs.target)
    proof = translate_proof(certify(AIM, theirs, Derivation(theirs.start, (step,))), problem, wider)
    assert proof.theory is more
    assert proof.problem == problem
    assert proof.axioms == (more.by_name[wider.equations["rid"].name],)


def test_functions_that_the_part_lacks() -> None:
    by = corresponding(4)
    more = theory_of(by.whole.equations, {**by.whole.signature.symbols, "h": 1})
    wider = Correspondence(AIM, more, by.symbols)
    assert translate_problem(Problem("p", app("h", X), X), wider) is None
    assert translate_problem(Problem("p", X, app("h", X)), wider) is None


def step(before: Term, position: tuple[int, ...], name: str, sides: tuple[Term, Term]) -> Step:
    """The step with an equation or a lemma that is written so."""
    values = match(sides[0], before.at(position))
    assert values is not None
    result = before.replace(position, sides[1].substitute(values))
    return Step(position, name, LEFT_TO_RIGHT, values, result)


def chained(start: Term, *names: tuple[tuple[int, ...], Proof | str]) -> Derivation:
    term, steps = start, []
    for position, used in names:
        if isinstance(used, Proof):
            assert used.problem.target is not None
            name, sides = used.problem.name, (used.problem.start, used.problem.target)
        else:
            name, sides = used, AIM.by_name[used].sides(LEFT_TO_RIGHT)
        steps.append(step(term, position, name, sides))
        term = steps[-1].result
    return Derivation(start, tuple(steps))


def proved(name: str, start: Term, *uses: tuple[tuple[int, ...], Proof | str]) -> Proof:
    derivation = chained(start, *uses)
    lemmas = [used for _, used in uses if isinstance(used, Proof)]
    return certify(AIM, Problem(name, start, derivation.end), derivation, lemmas)


def test_lemmas_come_along() -> None:
    """Lemmas of lemmas, shared, and called as equations of the other theory are."""
    by = corresponding(5)
    taken = [equation.name for equation in by.whole.equations]
    first = proved(taken[0], app("*", E, app("*", X, E)), ((), "lid"), ((), "rid"))
    second = proved(taken[1], app("*", first.problem.start, E), ((), "rid"), ((), first))
    start = app("*", first.problem.start, second.problem.start)
    whole = proved("goal", start, ((0,), first), ((1,), second))
    problem = in_disguise(whole.problem, by.symbols)
    proof = translate_proof(whole, problem, by)
    assert proof.theory is by.whole
    assert len(proof.lemmas) == 2
    assert proof.lemmas[1].lemmas == (proof.lemmas[0],)
    assert proof.lemmas[1].lemmas[0] is proof.lemmas[0]
    assert {lemma.problem.name for lemma in proof.lemmas}.isdisjoint(taken)
    assert {axiom.name for axiom in proof.axioms} == {
        by.equations[name].name for name in ("lid", "rid")
    }


def test_a_long_chain_of_lemmas() -> None:
    by = corresponding(6)
    lemma = proved("l0", app("*", E, X), ((), "lid"))
    for number in range(1, 2000):
        start = app("*", lemma.problem.start, E) if number < 20 else lemma.problem.start
        uses = (((), "rid"), ((), lemma)) if number < 20 else (((), lemma),)
        lemma = proved(f"l{number}", start, *uses)
    proof = translate_proof(lemma, in_disguise(lemma.problem, by.symbols), by)
    assert proof.theory is by.whole


def test_witnesses_are_translated() -> None:
    by = corresponding(7)
    mine = Problem("some", app("*", X, Y), X, exists=("y",))
    derivation = Derivation(
        app("*", X, E), (Step((), "rid", LEFT_TO_RIGHT, {"x": X}, X),), {"y": E}
    )
    problem = in_disguise(mine, by.symbols)
    proof = translate_proof(certify(AIM, mine, derivation), problem, by)
    assert proof.derivation.witnesses == {"y": app(by.symbols["e"])}


def test_an_equation_without_counterpart_is_named() -> None:
    by = Correspondence(AIM, AIM.before("id1"), {s: s for s in AIM.signature.symbols})
    problem = equation(r"y / (x \ y) = x")
    proof = proved("p", problem.start, ((), "id1"))
    with pytest.raises(NotAProof, match="aim:id1 has no equation like id1"):
        translate_proof(proof, problem, by)


@pytest.mark.parametrize("direction", [LEFT_TO_RIGHT, RIGHT_TO_LEFT])
def test_swapped_sides_turn_the_direction(direction: Direction) -> None:
    mine = theory_of([Equation("one", app("f", X), app("g", X, X))], {"f": 1, "g": 2})
    other = theory_of([Equation("two", app("g", Y, Y), app("f", Y))], {"f": 1, "g": 2})
    by = find_correspondence(mine, other)
    assert by is not None
    source, result = mine.by_name["one"].sides(direction)
    problem = Problem("p", source, result)
    chain = Derivation(source, (Step((), "one", direction, {"x": X}, result),))
    (turned,) = translate_derivation(chain, problem, by).steps
    assert (turned.equation, turned.direction) == ("two", direction.reverse)
    assert turned.substitution == {"y": X}
    certify(other, problem, translate_derivation(chain, problem, by))
