"""The infix notation: reading what was printed, and where errors are said to be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, left_nested, successors
from strategies import deep_terms, terms
from threesil.errors import InputError
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Signature, Theory
from threesil.notations.infix import (
    format_equation,
    format_term,
    parse_equation,
    parse_term,
    pieces,
)
from threesil.notations.tokens import Place

NAMES = ["u", "v", "w1", "_x", "a1", "Sx", "xy"]  # names that no signature here has
each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


def draw_term(theory: Theory, data: DataObject, layers: int = 300) -> Term:
    symbols = theory.signature.symbols
    return data.draw(st.one_of(terms(symbols, NAMES), deep_terms(symbols, NAMES, layers=layers)))


# Reading and printing


@each_theory
@settings(max_examples=40)
@given(data=st.data())
def test_reading_what_was_printed(theory: Theory, data: DataObject) -> None:
    term = draw_term(theory, data)
    assert parse_term(format_term(term, theory.signature), theory.signature) == term


@each_theory
@settings(max_examples=40)
@given(data=st.data())
def test_reading_equations(theory: Theory, data: DataObject) -> None:
    lhs, rhs = draw_term(theory, data, 20), draw_term(theory, data, 20)
    text = format_equation(Equation("q", lhs, rhs), theory.signature)
    assert parse_equation(text, theory.signature) == (lhs, rhs)


@each_theory
@settings(max_examples=40)
@given(data=st.data())
def test_blanks_do_not_matter(theory: Theory, data: DataObject) -> None:
    term = draw_term(theory, data, 20)
    text = format_term(term, theory.signature)
    spaced = "".join(f" {c} " if c in "()*+^/\\," else c for c in text)
    assert parse_term(f"  {spaced}\t", theory.signature) == term
    assert parse_term(text.replace(" ", ""), theory.signature) == term


@each_theory
@settings(max_examples=40)
@given(data=st.data())
def test_pieces_make_the_text(theory: Theory, data: DataObject) -> None:
    """The pieces marked for a position are, but for brackets, the text of the subterm there."""
    term = draw_term(theory, data, 20)
    position = data.draw(st.sampled_from([place for place, _ in term.positions()]))
    found = list(pieces(term, theory.signature, position))
    assert "".join(text for _, text in found) == format_term(term, theory.signature)
    marked = "".join(text for inside, text in found if inside)
    text = format_term(term.at(position), theory.signature)
    if text.isdigit():  # perhaps a part of a larger numeral
        assert marked.isdigit() and int(marked) >= int(text)
    else:
        assert marked in (text, f"({text})")


@pytest.mark.parametrize(
    ("theory", "text", "printed"),
    [
        (AIM, r"x * y \ z / e", r"((x * y) \ z) / e"),
        (AIM, r"x * (y \ z)", r"x * (y \ z)"),
        (AIM, r"L( x \ e , y , z ) * ( u / e )", r"L(x \ e,y,z) * (u / e)"),
        (AIM, "T((x),((y)))", "T(x,y)"),
        (POLYNOMIAL, "x + y * z ^ 2", "x + (y * (z ^ 2))"),
        (POLYNOMIAL, "x ^ y ^ z", "(x ^ y) ^ z"),
        (POLYNOMIAL, "2 * x ^ 2 * y + 3", "((2 * (x ^ 2)) * y) + 3"),
        (POLYNOMIAL, "x + y + z", "(x + y) + z"),
        (ROBINSON, "S(0)", "1"),
        (ROBINSON, "S(S(1 + 0))", "S(S(1 + 0))"),
        (ROBINSON, "S(2) * 0", "3 * 0"),
        (ROBINSON, "S(x)", "S(x)"),
    ],
)
def test_what_is_printed(theory: Theory, text: str, printed: str) -> None:
    assert format_term(parse_term(text, theory.signature), theory.signature) == printed


def test_numerals_are_chains_of_successors() -> None:
    assert parse_term("3", ROBINSON.signature) == successors(3, app("0"))
    assert parse_term("007", ROBINSON.signature) == successors(7, app("0"))


def test_a_definition_is_printed_with_its_own_sign() -> None:
    definition = AIM.by_name["T"]
    assert format_equation(definition, AIM.signature) == r"T(u,x) := x \ (u * x)"
    assert format_equation(AIM.by_name["lid"], AIM.signature) == "e * x = x"


def test_deep_numerals_and_brackets() -> None:
    number = parse_term("50000", ROBINSON.signature)
    assert number == successors(50_000, app("0"))
    assert format_term(number, ROBINSON.signature) == "50000"
    assert parse_term("(" * 50_000 + "0" + ")" * 50_000, ROBINSON.signature) == app("0")
    inner = parse_term("S(" * 50_000 + "x" + ")" * 50_000, ROBINSON.signature)
    assert inner == successors(50_000, var("x"))


def test_deep_sums() -> None:
    deep = left_nested(2000, "+", app("x"), app("y"))
    text = format_term(deep, POLYNOMIAL.signature)
    assert parse_term(text, POLYNOMIAL.signature) == deep
    assert parse_term(" + ".join(["x", *["y"] * 100_000]), POLYNOMIAL.signature).depth == 100_001


def test_other_signs() -> None:
    lhs, rhs = parse_equation("x * y ; e", AIM.signature, sign=";")
    assert (lhs, rhs) == (app("*", var("x"), var("y")), app("e"))


# Errors


def error_of(text: str, theory: Theory, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        parse_term(text, theory.signature, **options)
    return caught.value


UNKNOWN_F = (
    r"unknown function f; known symbols with arguments: */2, \/2, //2, a/3, K/2, T/2, L/3, R/3"
)


@pytest.mark.parametrize(
    ("theory", "text", "column", "message"),
    [
        # unclosed or unopened brackets
        (AIM, "(x * y", 1, "this bracket is never closed"),
        (AIM, "x * (y / (e)", 5, "this bracket is never closed"),
        (AIM, "x * T(y,e", 6, "this bracket is never closed"),
        (AIM, "x * y)", 6, r"expected * or \ or / or the end, found ')'"),
        (AIM, "(x, y)", 3, r"expected * or \ or / or ), found ','"),
        # unknown symbols
        (AIM, "x * f(y)", 5, UNKNOWN_F),
        (AIM, "x ? y", 3, r"expected * or \ or / or the end, found '?'"),
        (AIM, "x * 7", 5, r"unknown symbol 7; known symbols: e, *, \, /, a, K, T, L, R"),
        (ROBINSON, "2 - 1", 3, "expected + or * or the end, found '-'"),
        # wrong arities
        (AIM, "e * T(x)", 5, "T needs 2 arguments, 1 given"),
        (AIM, "a(x,y,z,u)", 1, "a needs 3 arguments, 4 given"),
        (ROBINSON, "S(0,0)", 1, "S needs 1 argument, 2 given"),
        (AIM, "e * T", 5, "T needs 2 arguments, none given"),
        (AIM, "e(x)", 1, "e is a constant and takes no arguments"),
        # missing operands
        (AIM, "x *", 4, "expected a term, found the end"),
        (AIM, "x *   ", 4, "expected a term, found the end"),
        (AIM, "* x", 1, "expected a term, found '*'"),
        (AIM, "x * / y", 5, "expected a term, found '/'"),
        (AIM, "T(x,)", 5, "expected a term, found ')'"),
        (AIM, "T()", 3, "expected a term, found ')'"),
        (AIM, "()", 2, "expected a term, found ')'"),
        # trailing input
        (AIM, "x y", 3, r"expected * or \ or / or the end, found 'y'"),
        (AIM, "x * y = z", 7, r"expected * or \ or / or the end, found '='"),
        (AIM, "T(x,y z)", 7, r"expected * or \ or / or , or ), found 'z'"),
        (POLYNOMIAL, "2 x", 3, "expected + or * or ^ or the end, found 'x'"),
        # nothing at all
        (AIM, "", 1, "expected a term, found the end"),
        (AIM, " \t ", 1, "expected a term, found the end"),
        # numbers
        (ROBINSON, "1 + 100001", 5, "the number is too large (at most 100000)"),
        (ROBINSON, "9" * 5000, 1, "the number is too large (at most 100000)"),
    ],
)
def test_places_of_errors(theory: Theory, text: str, column: int, message: str) -> None:
    error = error_of(text, theory)
    assert (error.line, error.column) == (1, column)
    assert error.message == message
    assert error.text == text


def test_variables_may_be_forbidden() -> None:
    error = error_of("x + w", POLYNOMIAL, variables=False)
    assert (error.column, error.message) == (
        5,
        "unknown symbol w; known symbols: 0, S, +, *, ^, x, y, z",
    )


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x * y", 6, "expected '=' and a second term, found the end"),
        ("x =", 4, "expected a term, found the end"),
        ("= x", 1, "expected a term, found '='"),
        ("x = y = z", 7, r"expected * or \ or / or the end, found '='"),
        ("(x = y)", 1, "this bracket is never closed"),
        ("x = (y", 5, "this bracket is never closed"),
        ("x y = z", 3, r"expected * or \ or / or =, found 'y'; write the operator, as in x * y"),
        ("", 1, "expected a term, found the end"),
        (
            "x = x + x",
            7,
            r"expected * or \ or / or the end, found '+'; "
            "the equations of this theory have no operator +",
        ),
        (
            "∃ x, x * x = x",
            1,
            "expected a term, found '∃'; what is to exist is written: exists x: s = t",
        ),
    ],
)
def test_places_of_errors_in_equations(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_equation(text, AIM.signature)
    assert (caught.value.column, caught.value.message) == (column, message)


def test_a_place_inside_a_file() -> None:
    """Columns count in the whole line, which the message shows with a caret."""
    line = "p17\tx * (y"
    place = Place("problems.tsv", 12, 5, line)
    error = error_of("x * (y", AIM, place=place)
    assert (error.source, error.line, error.column) == ("problems.tsv", 12, 9)
    head, shown, caret = str(error).splitlines()
    assert head == "problems.tsv:12:9: this bracket is never closed"
    assert shown[caret.index("^")] == "("


def test_long_lines_are_cut_around_the_place() -> None:
    error = error_of("x * " * 1000 + "?" + " * x" * 1000, AIM)
    _, shown, caret = str(error).splitlines()
    assert shown[caret.index("^")] == "?"
    assert len(shown) < 150


@pytest.mark.parametrize(
    ("symbols", "infix", "numerals", "message"),
    [
        ({"+": 2}, {"*": 1}, None, r"the symbol \* has no arity"),
        ({"+": 1}, {"+": 1}, None, r"the infix symbol \+ needs arity 2"),
        ({"0": 0}, {}, ("0", "S"), "the symbol S has no arity"),
    ],
)
def test_signatures_that_are_none(
    symbols: dict[str, int],
    infix: dict[str, int],
    numerals: tuple[str, str] | None,
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        Signature(symbols, infix, numerals)
