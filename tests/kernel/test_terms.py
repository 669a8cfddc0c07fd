"""Laws of terms: equality, positions, substitution, matching; and no recursion anywhere."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from samples import successors
from strategies import deep_terms, terms
from threesil.kernel.terms import Position, Term, app, match, var

SYMBOLS = {"c": 0, "d": 0, "s": 1, "f": 2, "g": 3}
NAMES = ["x", "y", "z"]
TERMS = st.one_of(terms(SYMBOLS, NAMES), deep_terms(SYMBOLS, NAMES, layers=60))
SUBSTITUTIONS = st.dictionaries(st.sampled_from([*NAMES, "unused"]), terms(SYMBOLS, NAMES))
X, Y = var("x"), var("y")


def some_position(term: Term, data: DataObject) -> Position:
    return data.draw(st.sampled_from([position for position, _ in term.positions()]))


def rebuilt(term: Term) -> Term:
    """The same term as new objects."""
    return term.fold(lambda t, args: Term(t.head, args, is_variable=t.is_variable))


# Equality


@given(TERMS)
def test_equal_terms_have_equal_hashes(term: Term) -> None:
    other = rebuilt(term)
    assert other is not term
    assert other == term
    assert hash(other) == hash(term)
    assert repr(other) == repr(term)


@given(TERMS, TERMS)
def test_equality_is_that_of_what_is_written(a: Term, b: Term) -> None:
    assert (a == b) == (repr(a) == repr(b))


@given(TERMS)
def test_copies_and_pickles_are_equal(term: Term) -> None:
    assert copy.deepcopy(term) == copy.copy(term) == term
    assert pickle.loads(pickle.dumps(term)) == term


def test_a_variable_is_not_a_constant() -> None:
    assert var("x") != app("x")
    assert app("f", var("x")) != app("f", app("x"))
    assert var("x") != "x"


def test_equality_of_terms_with_much_sharing() -> None:
    """2^60 nodes as trees, 60 objects each."""
    a, b = X, var("x")
    for _ in range(60):
        a, b = app("f", a, a), app("f", b, b)
    assert a == b
    assert a.size == 2**61 - 1
    assert a.substitute({"x": Y}) != b


def test_terms_are_immutable() -> None:
    term = app("f", X, Y)
    with pytest.raises(AttributeError):
        term.head = "g"
    with pytest.raises(AttributeError):
        term.other = 1  # type: ignore[attr-defined]


def test_a_variable_has_no_arguments() -> None:
    with pytest.raises(ValueError, match="the variable x"):
        Term("x", [Y], is_variable=True)


# Positions


@given(TERMS)
def test_positions_lead_to_the_subterms(term: Term) -> None:
    found = list(term.positions())
    assert [t for _, t in found] == list(term.subterms())
    assert len({position for position, _ in found}) == len(found) == term.size
    assert max(len(position) for position, _ in found) + 1 == term.depth
    for position, subterm in found:
        assert term.at(position) is subterm


@given(TERMS, TERMS, st.data())
def test_what_is_put_somewhere_is_found_there(term: Term, new: Term, data: DataObject) -> None:
    position = some_position(term, data)
    result = term.replace(position, new)
    assert result.at(position) == new
    assert result.size == term.size - term.at(position).size + new.size
    assert result.replace(position, term.at(position)) == term


@given(TERMS, terms(SYMBOLS, NAMES), st.data())
def test_replacing_leaves_the_rest_alone(term: Term, new: Term, data: DataObject) -> None:
    position = some_position(term, data)
    result = term.replace(position, new)
    for other, subterm in term.positions():
        shared = min(len(other), len(position))
        if other[:shared] != position[:shared]:
            assert result.at(other) is subterm


@given(TERMS, st.data())
def test_positions_compose(term: Term, data: DataObject) -> None:
    outer = some_position(term, data)
    inner = some_position(term.at(outer), data)
    assert term.at(outer).at(inner) is term.at((*outer, *inner))


@pytest.mark.parametrize("position", [(2,), (-1,), (0, 0), (1, 1), (1, 0, 0)])
def test_no_such_position(position: Position) -> None:
    term = app("f", X, app("s", Y))
    for call in (lambda: term.at(position), lambda: term.replace(position, X)):
        with pytest.raises(IndexError, match="no position"):
            call()


# Substitution


@given(TERMS)
def test_the_empty_substitution_changes_nothing(term: Term) -> None:
    assert term.substitute({}) is term
    assert term.substitute({name: var(name) for name in NAMES}) == term


@given(TERMS, SUBSTITUTIONS, SUBSTITUTIONS)
def test_substitutions_compose(term: Term, first: dict[str, Term], second: dict[str, Term]) -> None:
    both = {name: value.substitute(second) for name, value in first.items()}
    assert term.substitute(first).substitute(second) == term.substitute({**second, **both})


@given(TERMS, SUBSTITUTIONS)
def test_variables_of_an_instance(term: Term, substitution: dict[str, Term]) -> None:
    expected = {name for v in term.variables() for name in substitution.get(v, var(v)).variables()}
    assert set(term.substitute(substitution).variables()) == expected


@given(TERMS, terms(SYMBOLS, NAMES), SUBSTITUTIONS, st.data())
def test_substituting_and_replacing_commute(
    term: Term, new: Term, substitution: dict[str, Term], data: DataObject
) -> None:
    position = some_position(term, data)
    before = term.replace(position, new).substitute(substitution)
    after = term.substitute(substitution).replace(position, new.substitute(substitution))
    assert before == after


def test_substitution_is_simultaneous() -> None:
    assert app("f", X, Y).substitute({"x": Y, "y": X}) == app("f", Y, X)


@given(TERMS)
def test_variables_come_in_order_of_first_occurrence(term: Term) -> None:
    names = [t.head for t in term.subterms() if t.is_variable]
    assert list(term.variables()) == sorted(set(names), key=names.index)


# Matching


@given(TERMS, SUBSTITUTIONS)
def test_an_instance_matches(pattern: Term, substitution: dict[str, Term]) -> None:
    instance = pattern.substitute(substitution)
    found = match(pattern, instance)
    assert found is not None
    assert set(found) == set(pattern.variables())
    assert pattern.substitute(found) == instance


@given(terms(SYMBOLS, NAMES, max_leaves=4), TERMS)
def test_a_match_makes_the_pattern_the_term(pattern: Term, term: Term) -> None:
    found = match(pattern, term)
    if found is not None:
        assert pattern.substitute(found) == term


@pytest.mark.parametrize(
    ("pattern", "term"),
    [
        (app("f", X, X), app("f", app("c"), app("d"))),
        (app("c"), X),
        (app("s", X), X),
        (app("s", X), app("f", X, X)),
        (app("f", X, Y), app("f", X)),
    ],
)
def test_no_match(pattern: Term, term: Term) -> None:
    assert match(pattern, term) is None


# Depth


def test_deep_terms() -> None:
    """Deeper than any call stack: every operation, and giving the memory back."""
    depth = 50_000
    a, b = successors(depth, X), successors(depth, var("x"))
    bottom = (0,) * depth
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b}) == 1
    assert a.depth == a.size == depth + 1
    assert a.variables() == ("x",)
    assert a.at(bottom) is X
    assert a.substitute({"x": Y}) == a.replace(bottom, Y) == successors(depth, Y)
    assert match(a, a.substitute({"x": Y})) == {"x": Y}
    assert repr(a) == "S(" * depth + "?x" + ")" * depth
    assert a != successors(depth, Y)
    assert copy.deepcopy(a) == pickle.loads(pickle.dumps(a)) == a
    del a, b
