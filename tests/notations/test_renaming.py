"""Problems for provers: what is written says the same under other names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, SearchStrategy

from samples import THEORIES, equation, left_nested, problems, successors
from strategies import terms
from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Goal, Move, Problem, Signature, Theory
from threesil.notations.infix import parse_equation
from threesil.notations.reading import parse
from threesil.notations.renaming import Renaming, rename, statements
from threesil.notations.writing import ladr, tptp, waldmeister
from threesil.theories.aim import AIM

OPERATORS = ["*", "/", "\\", "+", "-", "^", "@", "<="]
SYMBOLS = ["f", "F", "x", "X", "v", "V", "all", "exists", "name", "KBO", "Proof", "any", "mul"]
SYMBOLS += ["s_x", "c_x", "C_x", "f'", "g''", "end_of_list", "cnf", "e", "E", "_", "$true", "A_1"]
SYMBOLS += ["a_name_of_some_thirty_letters", "a_name_of_some_thirty_letter2", "é"]
VARIABLES = ["x", "X", "v", "u1", "_x", "a'", "c_x", "e", "Name", "long_variable_of_thirty_letters"]

Sides = tuple[Term, Term]


def document_sides(text: str, renaming: Renaming) -> Iterator[Sides]:
    document = parse(text)
    yield from ((e.lhs, e.rhs) for e in document.theory.equations)
    for problem in document.problems:
        assert problem.target is not None
        yield problem.start, problem.target


def waldmeister_sides(text: str, renaming: Renaming) -> Iterator[Sides]:
    body = re.sub("%[^\n]*|CONCLUSION", "%", text.split("EQUATIONS\n")[1])
    for part in body.split("%"):
        if part.strip():
            yield parse_equation(part.replace("\n", " "), renaming.signature)


FORMATS = {
    "ladr": (ladr.LANGUAGE, document_sides),
    "tptp": (tptp.LANGUAGE, document_sides),
    "waldmeister": (waldmeister.LANGUAGE, waldmeister_sides),
}
each_format = pytest.mark.parametrize("name", FORMATS)


def write(name: str, theory: Theory, problem: Problem, lemmas: tuple[Equation, ...] = ()) -> str:
    if name == "ladr":
        return ladr.write_problem(theory, problem, lemmas=lemmas, seconds=5, megabytes=100)
    module = tptp if name == "tptp" else waldmeister
    return module.write_problem(theory, problem, lemmas=lemmas)


def check(name: str, theory: Theory, problem: Problem, lemmas: tuple[Equation, ...] = ()) -> None:
    """Written, read and renamed back, all equations are what they were."""
    language, sides = FORMATS[name]
    renaming = statements(language, theory, problem, lemmas).renaming
    text = write(name, theory, problem, lemmas)
    found = [(renaming.back(lhs), renaming.back(rhs)) for lhs, rhs in sides(text, renaming)]
    given = [(e.lhs, e.rhs) for e in (*theory.equations, *lemmas)]
    assert problem.target is not None
    assert found == [*given, (problem.start, problem.target)]
    assert text == write(name, theory, problem, lemmas)


@st.composite
def odd_theories(draw: st.DrawFn) -> tuple[Theory, tuple[Equation, ...], Problem]:
    """Theories whose names no prover likes."""
    names = draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=12, unique=True))
    operators = draw(st.lists(st.sampled_from(OPERATORS), max_size=4, unique=True))
    symbols = {name: draw(st.integers(0, 3)) for name in names} | {"0": 0}
    infix = draw(st.booleans())
    signature = Signature(
        symbols | dict.fromkeys(operators, 2), dict.fromkeys(operators, 1) if infix else {}
    )
    term: SearchStrategy[Term] = terms(signature.symbols, VARIABLES, max_leaves=6)
    sides = draw(st.lists(st.tuples(term, term), min_size=1, max_size=5))
    equations = [Equation(f"q{k}", *pair) for k, pair in enumerate(sides)]
    cut = draw(st.integers(1, len(equations)))
    theory = Theory("odd", "Odd", signature, tuple(equations[:cut]), (Move(0),), Goal.EQUATION)
    return theory, tuple(equations[cut:]), Problem("p", draw(term), draw(term))


@each_format
@settings(max_examples=60)
@given(data=st.data())
def test_odd_names(name: str, data: DataObject) -> None:
    theory, lemmas, problem = data.draw(odd_theories())
    check(name, theory, problem, lemmas)


@each_format
@settings(max_examples=40)
@given(data=st.data())
def test_names_are_legal_and_different(name: str, data: DataObject) -> None:
    theory, lemmas, problem = data.draw(odd_theories())
    language, _ = FORMATS[name]
    given = statements(language, theory, problem, lemmas)
    renaming = given.renaming
    new = [*renaming.symbols.values(), *renaming.variables.values(), *renaming.constants.values()]
    assert len({language.key(n) for n in new}) == len(new)
    assert all(language.takes_variable(n) for n in renaming.variables.values())
    for symbol in (*renaming.symbols.values(), *renaming.constants.values()):
        assert language.takes_symbol(symbol) or symbol in renaming.signature.infix


@each_format
def test_the_theories(name: str) -> None:
    for theory in THEORIES:
        for problem in problems(theory):
            target = problem.start if problem.target is None else problem.target
            check(name, theory, Problem(problem.name, problem.start, target))


@each_format
def test_deep_terms(name: str) -> None:
    left = successors(20_000, var("x"))
    right = left_nested(500, "*", var("x"), app("e"))
    signature = Signature({"S": 1, "*": 2, "e": 0}, {"*": 1})
    equations = (Equation("deep", left, right),)
    theory = Theory("deep", "Deep", signature, equations, (Move(0),), Goal.EQUATION)
    check(name, theory, Problem("p", left, right))
    lines = write(name, theory, Problem("p", left, right)).splitlines()
    assert name != "waldmeister" or max(map(len, lines)) < 4096


def test_names_of_aim() -> None:
    assert rename(ladr.LANGUAGE, AIM.signature).symbols == {s: s for s in AIM.signature.symbols}
    expected = {"e": "e", "*": "mul", "\\": "ld", "/": "rd", "a": "a"}
    expected |= {"K": "k", "T": "t", "L": "l", "R": "r"}
    assert rename(tptp.LANGUAGE, AIM.signature).symbols == expected
    assert rename(waldmeister.LANGUAGE, AIM.signature).symbols == expected


def test_ladr_text() -> None:
    lemma = Equation("my lemma", var("v"), app("e"))
    hint = Equation("lid", app("e"), var("A"))
    text = ladr.write_problem(
        AIM,
        equation(r"x * T(y,x) = y \ x"),
        lemmas=[lemma],
        hints=[hint],
        seconds=1.5,
        megabytes=100,
        settings=["assign(order,kbo)"],
    )
    lines = text.splitlines()
    assert lines[:4] == [
        "assign(max_seconds, 2).",
        "assign(max_megs, 100).",
        "assign(order,kbo).",
        "formulas(assumptions).",
    ]
    assert '((x * y) / y) = x # label("s1").' in lines
    assert 'x_v = e # label("my_lemma").' in lines
    assert lines[-6:] == [
        "formulas(goals).",
        r'(x * T(y,x)) = (y \ x) # label("goal").',
        "end_of_list.",
        "formulas(hints).",
        'e = x_A # label("lid_2").',
        "end_of_list.",
    ]


def test_tptp_text() -> None:
    lines = tptp.write_problem(AIM, equation(r"x * T(y,x) = y \ x")).splitlines()
    assert lines[0] == "cnf(lid, axiom, mul(e,X) = X)."
    assert "cnf('TT', axiom, t(t(U,X),Y) = t(t(U,Y),X))." in lines
    assert lines[-1] == "cnf(goal, negated_conjecture, mul(c_x,t(c_y,c_x)) != ld(c_y,c_x))."


def test_waldmeister_text() -> None:
    text = waldmeister.write_problem(AIM, equation(r"x * T(y,x) = y \ x"))
    assert "  r > l > t > k > a > rd > ld > mul > c_x > c_y > e\n" in text
    assert "  t: ANY ANY -> ANY\n" in text
    assert text.endswith("CONCLUSION\n  mul(c_x,t(c_y,c_x)) = ld(c_y,c_x)\n")


def test_waldmeister_takes_fewer_than_100_symbols() -> None:
    symbols = {f"f{k}": 1 for k in range(100)}
    axiom = (Equation("q", app("f0", var("x")), var("x")),)
    theory = Theory("many", "Many", Signature(symbols), axiom, (Move(0),), Goal.EQUATION)
    with pytest.raises(InputError, match="at most 99"):
        waldmeister.write_problem(theory, Problem("p", var("x"), var("x")))


def test_existential_goals() -> None:
    problem = Problem("p", *parse_equation("x * y = e", AIM.signature), exists=("y",))
    assert tptp.write_problem(AIM, problem).endswith(
        "cnf(goal, negated_conjecture, mul(c_x,Y) != e).\n"
    )
    text = ladr.write_problem(AIM, problem, seconds=1, megabytes=10)
    assert 'exists y ((x * y) = e) # label("goal").' in text
    assert waldmeister.write_problem(AIM, problem).endswith("CONCLUSION\n  mul(c_x,y) = e\n")
