"""Laws of renaming: what is equal up to names, what is an instance, which names are free."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from strategies import terms
from threesil.kernel.naming import canonical, equation_key, fresh_name, is_instance
from threesil.kernel.terms import Term, app, var

NAMES = ["x", "y", "x1", "x2"]
TERMS = terms({"c": 0, "s": 1, "f": 2}, NAMES)
RENAMINGS = st.permutations([*NAMES, "z"]).map(
    lambda new: {old: var(name) for old, name in zip(NAMES, new, strict=False)}
)
SUBSTITUTIONS = st.dictionaries(st.sampled_from(NAMES), TERMS)
X, Y, Z = var("x"), var("y"), var("z")


@given(TERMS, RENAMINGS)
def test_renamings_have_one_canonical_term(term: Term, renaming: dict[str, Term]) -> None:
    assert canonical(term.substitute(renaming)) == canonical(term)
    assert canonical(canonical(term)) == canonical(term)


def test_variables_are_numbered_as_they_occur() -> None:
    term = app("f", var("x2"), app("f", var("x1"), var("x2")))
    assert canonical(term) == app("f", var("x1"), app("f", var("x2"), var("x1")))


def test_what_is_no_renaming_differs() -> None:
    assert canonical(app("f", X, X)) != canonical(app("f", X, Y))
    assert canonical(X) != canonical(app("x1"))


@given(TERMS, TERMS, RENAMINGS)
def test_an_equation_is_known_by_its_key(lhs: Term, rhs: Term, renaming: dict[str, Term]) -> None:
    key = equation_key(lhs, rhs)
    assert equation_key(rhs, lhs) == key
    assert equation_key(lhs.substitute(renaming), rhs.substitute(renaming)) == key


def test_the_sides_are_renamed_together() -> None:
    assert equation_key(app("f", X, Y), X) != equation_key(app("f", X, Y), Y)
    assert equation_key(app("f", X, Y), X) == equation_key(Z, app("f", Z, X))


@given(TERMS, TERMS, SUBSTITUTIONS)
def test_instances(lhs: Term, rhs: Term, substitution: dict[str, Term]) -> None:
    special = lhs.substitute(substitution), rhs.substitute(substitution)
    assert is_instance(special, (lhs, rhs))
    assert is_instance(special[::-1], (lhs, rhs))


def test_what_is_more_general_is_no_instance() -> None:
    general, special = (app("f", X, Y), app("f", Y, X)), (app("f", X, X), app("f", X, X))
    assert is_instance(special, general)
    assert not is_instance(general, special)


def test_free_names() -> None:
    assert fresh_name("a", ()) == "a"
    assert fresh_name("a", {"a"}) == "a_2"
    assert fresh_name("a", {"a", "a_2", "a_4"}) == "a_3"
