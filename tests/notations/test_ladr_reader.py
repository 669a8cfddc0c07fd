"""LADR: what is read, as Prover9 reads it, and what is refused where."""

from __future__ import annotations

import pytest

from threesil.errors import InputError
from threesil.notations.document import Document
from threesil.notations.reading import parse
from threesil.notations.reading.typed import understood


def assume(*formulas: str, before: str = "") -> Document:
    lines = "\n".join(formulas)
    return parse(f"{before}formulas(assumptions).\n{lines}\nend_of_list.\n", "t")


def goals(document: Document) -> list[str]:
    return [f"{p.name}: {understood(p, document.theory)}" for p in document.problems]


# The right sides were printed by Prover9 with all its brackets.
@pytest.mark.parametrize(
    ("formula", "lhs", "rhs"),
    [
        ("x'' = x", "'('(?x))", "?x"),
        ("a=-b", "a", "-(b)"),
        ("a*-b = c", "*(a, -(b))", "c"),
        ("-(x)' = y", "-('(?x))", "?y"),
        ("-(x) * y = x", "*(-(?x), ?y)", "?x"),
        ("-a = b", "-(a)", "b"),
        ("--x = x", "-(-(?x))", "?x"),
        ("a v b = c", "v(a, b)", "c"),
        ("*(x,y) = x", "*(?x, ?y)", "?x"),
        ("'(a) = b", "'(a)", "b"),
        ("f(a,b)' = X1", "'(f(a, b))", "X1"),
        ("x*y'' = x_2", "*(?x, '('(?y)))", "?x_2"),
        ("all a (a*b = a)", "*(?a, b)", "?a"),
        ("all x exists y (x*y=c)", "*(?x, sk_y(?x))", "c"),
        ("all x all y x*y=y*x", "*(?x, ?y)", "*(?y, ?x)"),
        ('"my f"(x) = 0', "my f(?x)", "0"),
        ("(a) = ((b))", "a", "b"),
        ("-(a != b)", "a", "b"),
    ],
)
def test_formulas(formula: str, lhs: str, rhs: str) -> None:
    (equation,) = assume(f"{formula}.").theory.equations
    assert (repr(equation.lhs), repr(equation.rhs)) == (lhs, rhs)


def test_commands() -> None:
    document = assume(
        "A o b o c = d. %BEGIN\n no formula END%",
        'x=A # label("a. b") # answer(n) # label(known).',
        before='set(auto). assign(max_seconds, 3). if(Prover9). op(400, infix_left, ["o", p]).\n'
        "end_if. if(Mace4). nonsense of another program. end_if. list(weights). weight(a)=3.\n"
        "end_of_list.  set(prolog_style_variables). % a comment\n",
    )
    first, second = document.theory.equations
    assert repr(first.lhs) == "o(o(?A, b), c)"
    assert (second.name, second.kind, repr(second.lhs)) == ("a. b", "known", "x")
    assert document.notes == ("list(weights) is passed over",)
    assert dict(document.theory.signature.infix) == {"o": 1}


def test_goals_hints_and_denials() -> None:
    text = "formulas(usable).\nx = x * c.\nend_of_list.\nformulas(goals).\nx * y = y * x.\n"
    text += "exists y all z (x * y = z) # label(some).\nend_of_list.\n"
    text += "formulas(hints).\nx * x = x # label(h).\nx != c.\nend_of_list.\n"
    document = parse(text, "t")
    assert goals(document) == [
        "t#1: for all x, y: x * y = y * x",
        "some: for all x there is y: x * y = h_z(y)",
    ]
    assert [h.name for h in document.hints] == ["h"]
    assert any("hint" in note for note in document.notes)
    denied = assume("x * c1 != c1 * c2.")
    assert goals(denied) == ["t: there is x: x * c1 = c1 * c2"]
    assert any("denied goal" in note for note in denied.notes)
    assert assume("a != b.", "b != c.").any_goal


@pytest.mark.parametrize(
    ("formula", "column", "message"),
    [
        ("a*b*c = d.", 4, "write brackets"),
        ("a + b * c = d.", 7, "write brackets"),
        ("a = b = c.", 7, "write brackets"),
        ("a - b = c.", 3, "expected an operator"),
        ("f(x) = f(x,x).", 8, "2 arguments here and 1 before"),
        ("[a,b] = c.", 1, "lists"),
        ("p(x).", 1, "predicate"),
        ("-p(x).", 1, "predicate"),
        ("a = b | c = d.", 7, "disjunction"),
        ("a = b -> c = d.", 7, "implication"),
        ("a <= b.", 3, "relation"),
        ("=(a).", 1, "relation"),
        ("-(a = b, c = d).", 8, "expected an operator"),
        ("$T = a.", 1, "truth value"),
        ("a = b %BEGIN c %END.", 7, "comment has no END%"),
        ("f() = a.", 3, "expected a term"),
        ("f(x = a.", 2, "never closed"),
        ('"f = a.', 1, "quote is never closed"),
        ("a = b", 6, "expected an operator"),
        ("all (x = x).", 5, "expected a variable"),
        ("é = a.", 1, "unexpected character"),
    ],
)
def test_what_is_refused(formula: str, column: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        assume(formula)
    if message != "expected an operator" or "-" in formula:
        assert (caught.value.line, caught.value.column) == (2, column)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("formulas(foo).\na = b.\nend_of_list.\n", "no list 'foo'"),
        ("set(auto).\nredeclare(negations, NOT).\n", "expected redeclare"),
        ("op(400, nofix, o).\n", "expected op"),
        ('op(400, infix, "=").\n', "can't be changed"),
        (
            "formulas(sos).\na != b.\nend_of_list.\nformulas(goals).\na = c.\nend_of_list.\n",
            "diseq",
        ),
        ("formulas(goals).\na != b.\nend_of_list.\n", "disequation"),
        ("formulas(sos).\n% a = b.\n", "never closed"),
        ("formulas(sos).\na = b # label.\nend_of_list.\n", "label.NAME. behind #"),
    ],
)
def test_files_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse(text)
    assert caught.value.line is not None


def test_a_redeclared_minus() -> None:
    (equation,) = assume("x - y = -(y,x).", before='op(450, infix, "-").\n').theory.equations
    assert (repr(equation.lhs), repr(equation.rhs)) == ("-(?x, ?y)", "-(?y, ?x)")
    with pytest.raises(InputError, match="inside a term"):
        assume("(a = b) - (c = d).", before='op(450, infix, "-").\n')


# What Prover9 reads beyond that; each was seen in what it prints.


@pytest.mark.parametrize(
    ("commands", "formula", "sides"),
    [
        ("", "v v w = w v v", "v(?v_2, ?w) = v(?w, ?v_2)"),
        ("", "f(v v w,v) = v v v(b,c)", "f(v(?v_2, ?w), ?v_2) = v(?v_2, v(b, c))"),
        ("", "v = a", "?v = a"),
        ("", "f(*,-) = -b", None),
        ("", "f(*,-) = *'", "f(*, -) = '(*)"),
        ('op(350, prefix, "i").', "i x * y = i(x) v i i y", "*(i(?x), ?y) = v(i(?x), i(i(?y)))"),
        ("op(310, postfix, inv).", "-a inv = b' inv", "-(inv(a)) = inv('(b))"),
        ("op(450, infix_left, o).", "o = a", "o = a"),
        ('redeclare(equality, "==").', "a == b", "a = b"),
        ('redeclare(negation, "not").', "not (a != b)", "a = b"),
        ('redeclare(universal_quantification, "!").', "! a f(a) = b", "f(?a) = b"),
        ('redeclare(attribute, "@@").', "a = b @@ label(one)", "a = b"),
        ("", "$c = $f(x)", "$c = $f(?x)"),
        ("if(Mace4). if(Prover9). end_if. op(310, postfix, a). end_if.", "a = b", "a = b"),
        ("if(prover9). op(310, postfix, a). end_if.", "a = b", "a = b"),
        ("%BEGIN a = b. %END \n x END%", "a = b", "a = b"),
    ],
)
def test_what_else_prover9_reads(commands: str, formula: str, sides: str | None) -> None:
    if sides is None:  # neither does it
        with pytest.raises(InputError):
            assume(f"{formula}.", before=f"{commands}\n")
        return
    (equation,) = assume(f"{formula}.", before=f"{commands}\n").theory.equations
    assert f"{equation.lhs!r} = {equation.rhs!r}" == sides


def test_a_list_that_is_not_closed_is_read_to_the_end() -> None:
    document = parse("formulas(sos).\na = b.\nb = c.\n", "t")
    assert len(document.theory.equations) == 2
    assert any("not closed" in note for note in document.notes)


def test_two_thousand_blanks() -> None:
    """An expression that is no formula is refused at once, however many blanks it has."""
    with pytest.raises(InputError):
        assume("a = b #" + " " * 200_000 + "#")
