"""Whatever names there are, what people read can be taken in one way only."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model_samples import model
from proof_samples import theory_of
from threesil.kernel.proof import Derivation, Proof, Step, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, Equation, Problem, Signature
from threesil.notations.infix import format_term, parse_equation, parse_term
from threesil.notations.names import is_seen, label, quoted, title, unquoted
from threesil.notations.reading import parse
from threesil.notations.reading.typed import understood
from threesil.notations.writing import write
from threesil.notations.writing.latex import latex_name, latex_variables
from threesil.notations.writing.parts import failure, statement
from threesil.notations.writing.text import format_model, format_proof
from threesil.problems.files import format_problem, parse_problem
from threesil.proofs.export import MODEL_FORMATS, export_certificates

MAGMAS = theory_of("magmas", {"*": 2, "e": 0, "-": 1, "'": 1}, idem="x * x = x")
CLAIM = "x, y: x * y = y * x" + " " * 40
HIDING = (
    "a\nb",
    "\x1b[2J",
    "a\u202eb",
    "\u200f",
    "x\u0338",
    "\u3164",
    "\u05d0",
    "\uff1d",
    "\u0445",
)
NASTY = st.text(
    st.sampled_from("xye0 1,:=*-'\"\\[]()?#\n\t\x1b\u202e\u05d0\u0445\u3164\uff1d\u0338α·∘⁻¹"),
    max_size=6,
)


def trivial(name: str, theory_name: str = "magmas") -> Proof:
    theory = theory_of(theory_name, {"*": 2, "e": 0}, idem="x * x = x")
    return certify(theory, Problem("p", var(name), var(name)), Derivation(var(name)))


def test_a_variable_called_as_a_statement_is_quoted() -> None:
    made = trivial(CLAIM)
    assert statement(made) == f'for all ["{CLAIM}"]: ["{CLAIM}"] = ["{CLAIM}"]'
    assert understood(made.problem, made.theory) == statement(made)
    assert format_proof(made) == f'    ["{CLAIM}"]'
    assert r"\text{[\char" not in export_certificates([made], "latex")
    assert f'$\\text{{["{CLAIM}"]}}$' in export_certificates([made], "latex")


def test_a_variable_called_as_a_constant_is_told_from_it() -> None:
    start = app("*", var("e"), var("e"))
    step = Step((), "idem", LEFT_TO_RIGHT, {"x": var("e")}, var("e"))
    made = certify(MAGMAS, Problem("p", start, var("e")), Derivation(start, (step,)))
    assert statement(made) == 'for all ["e"]: ["e"] * ["e"] = ["e"]'
    assert '"e"' in export_certificates([made], "latex")


@pytest.mark.parametrize("name", HIDING)
def test_nothing_hides_in_a_name(name: str) -> None:
    assert not is_seen(name)
    for shown in (title(name), label(name), quoted(name), statement(trivial(name))):
        assert '"' in shown
        assert all(c == " " or unicodedata.category(c)[0] in "LNPS" for c in shown)
        assert name not in shown or shown.isascii()
    made = trivial("x", name)
    for form in ("text", "latex", "tstp"):
        assert not set(name) - set("ab[2Jx\n\x1b") & set(export_certificates([made], form))


def test_what_shows_itself_is_left_alone() -> None:
    for name in ("b2", "mul-succ", "GRP001-1", "aim:id1", "two#1", "λ", "T", "E1_E2", "*"):
        assert title(name) == label(name) == name
    for name in ("right unit", "lemma 1"):
        assert label(name) == name and title(name) == f'"{name}"'
    for name in ("", "a, b", "p: all", "x = y", "a  b", " a", "for all x, y: x = y", '"'):
        assert label(name) == title(name) == quoted(name)


@given(NASTY | st.text(max_size=8))
def test_what_is_quoted_is_read_back(name: str) -> None:
    assert unquoted(quoted(name)) == name
    assert "\n" not in quoted(name) and quoted(name).count('"') - name.count('"') == 2


@st.composite
def terms(draw: st.DrawFn) -> tuple[Term, Signature]:
    """Terms of symbols and variables with any names, which may be the same."""
    names = draw(st.lists(NASTY, min_size=4, max_size=8, unique=True))
    symbols = {n: draw(st.integers(0, 3)) for n in names[: len(names) // 2] if n not in ("=", "")}
    infix = {n: 1 for n, arity in symbols.items() if arity == 2 and draw(st.booleans())}
    signature = Signature(symbols, infix)
    leaves = st.sampled_from(names).map(var)
    constants = [app(n) for n, arity in symbols.items() if arity == 0]
    leaf = leaves | st.sampled_from(constants) if constants else leaves
    applied = [(n, arity) for n, arity in symbols.items() if arity]

    def larger(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        return st.sampled_from(applied).flatmap(
            lambda of: st.lists(inner, min_size=of[1], max_size=of[1]).map(lambda a: Term(of[0], a))
        )

    return draw(st.recursive(leaf, larger, max_leaves=8) if applied else leaf), signature


@given(terms())
def test_every_term_is_read_back_whatever_its_names_are(given: tuple[Term, Signature]) -> None:
    term, signature = given
    text = format_term(term, signature)
    assert "\n" not in text and parse_term(text, signature) == term


@given(terms(), st.data())
def test_problems_are_read_back_whatever_their_names_are(
    given: tuple[Term, Signature], data: st.DataObject
) -> None:
    term, signature = given
    equation = Equation("one", term, var("x"))
    theory = parse("Axiom a: x = x.", "t").theory.extended([], "t", symbols=signature.symbols)
    names = Problem("p", equation.lhs, equation.rhs).variables
    exists = tuple(data.draw(st.lists(st.sampled_from(names), unique=True)))
    problem = Problem("p", equation.lhs, equation.rhs, exists=exists)
    line = format_problem(problem, theory)
    if "#" not in line:
        read = parse_problem(line.split("\t", 1)[1], theory)
        assert (read.start, read.target, set(read.exists)) == (term, var("x"), set(exists))


@given(st.lists(NASTY, min_size=2, max_size=2, unique=True))
def test_no_two_names_look_alike_in_latex(names: list[str]) -> None:
    signature = Signature({names[0]: 0} if names[0] != "=" else {})
    shown = [latex_name(name) for name in names]
    assert shown[0] != shown[1]
    both = [latex_variables([name], signature) for name in names]
    assert both[0] != both[1] and (names[0] == "=" or both[0] != shown[0])


def test_numbers_are_told_from_what_has_a_number() -> None:
    assert latex_name("x1") == "x_{1}" and latex_name("x_1") == r"\mathrm{x\_1}"
    assert latex_name("") == r'\text{""}' and latex_name("+-") == r"\mathrm{+-}"


def test_models_quote_too() -> None:
    content = 'Constants "e = 0, f".\nAxiom a: "g, h"("e = 0, f") = "e = 0, f".\n'
    found = model(content, '"g, h"(["e"]) = x', largest=2)
    text = format_model(found)
    assert text.startswith('"e = 0, f" = ') and '"g, h"(x)' in text
    assert '["e"] = ' not in failure(found)  # no symbol is called e
    assert "e = " in failure(found)
    clash = model("Constants e.\nAxiom a: f(e) = e.\n", 'f(["e"]) = e', largest=2)
    assert failure(clash).startswith('for ["e"] = ')
    for form in MODEL_FORMATS:
        assert export_certificates([found, clash], form)


def test_theory_files_hold_such_symbols() -> None:
    content = 'Constants "\\u202e".\nAxiom a: f("\\u202e") = "\\u202e".\n'
    document = parse(content, "t")
    assert document.theory.signature.symbols == {"\u202e": 0, "f": 1}
    again = parse(write(document, "theory"), "t").theory
    assert len(again.signature.symbols) == 2


def test_equations_are_read_with_such_variables() -> None:
    signature = Signature({"e": 0, "*": 2}, {"*": 1})
    assert parse_equation('["e"] * e = ["a b"]', signature) == (
        app("*", var("e"), app("e")),
        var("a b"),
    )
