"""The rule tables of the three theories against the facts about them, and what a theory must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest

from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, term
from threesil import theories
from threesil.engine import End, Episode
from threesil.errors import InputError
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
)
from threesil.notations.infix import format_equation, format_term
from threesil.theories import all_theories, benchmark_of, get_theory
from threesil.theories.polynomial import expand
from threesil.theories.table import theory_from_table


def rules(theory: Theory) -> Iterator[tuple[int, Term, Term]]:
    """(action number, source, result) of every way to rewrite."""
    for index, action in enumerate(theory.actions):
        if isinstance(action, Rewrite):
            for name, direction in action.alternatives:
                source, result = theory.by_name[name].sides(direction)
                yield index + theory.first_action, source, result


def moves(theory: Theory) -> dict[int, int]:
    """The argument that each move's number leads to."""
    return {
        index + theory.first_action: action.argument
        for index, action in enumerate(theory.actions)
        if isinstance(action, Move)
    }


# AIM


def test_aim_actions() -> None:
    assert len(AIM.equations) == 87
    assert len(AIM.actions) == 177
    assert AIM.first_action == 0
    assert moves(AIM) == {0: 0, 1: 1, 2: 2}
    for k, equation in enumerate(AIM.equations):
        assert AIM.number(equation.name, LEFT_TO_RIGHT) == 2 * k + 3
        assert AIM.number(equation.name, RIGHT_TO_LEFT) == 2 * k + 4
    assert (AIM.goal, AIM.no_repeats, AIM.enter_leaves) == (Goal.EQUATION, True, True)


def test_aim_rules_that_introduce_variables() -> None:
    found = {
        n for n, source, result in rules(AIM) if set(result.variables()) - set(source.variables())
    }
    assert found == {8, 10, 12, 14, 38, 40, 46, 48, 54, 164}


def test_aim_rules_that_apply_to_every_term() -> None:
    found = {number for number, source, _ in rules(AIM) if source.is_variable}
    assert found == {4, 6, 8, 10, 12, 14, 38, 40, 42, 44, 54, 164, 166, 174}


def test_aim_options_on_leaves() -> None:
    """On a constant exactly the rules for every term, on e two more."""
    everywhere = {4, 6, 8, 10, 12, 14, 38, 40, 42, 44, 54, 164, 166, 174}
    episode = Episode(AIM, Problem("p", var("x"), app("e")))
    assert episode.legal() == [0, 1]
    episode.step(0)
    assert set(episode.legal()) == everywhere
    episode = Episode(AIM, Problem("p", var("x"), app("e")))
    episode.step(1)
    assert set(episode.legal()) == everywhere | {46, 48}


@pytest.mark.parametrize(
    ("k", "name", "kind", "text"),
    [
        (0, "lid", "axiom", "e * x = x"),
        (5, "s2", "axiom", "(x / y) * y = x"),
        (6, "a", "definition", r"a(x,y,z) := (x * (y * z)) \ ((x * y) * z)"),
        (7, "K", "definition", r"K(x,y) := (y * x) \ (x * y)"),
        (10, "R", "definition", "R(u,x,y) := ((u * x) * y) / (x * y)"),
        (11, "TT", "axiom", "T(T(u,x),y) = T(T(u,y),x)"),
        (16, "RR", "axiom", "R(R(u,x,y),z,w) = R(R(u,z,w),x,y)"),
        (17, "id1", "known", r"y / (x \ y) = x"),
        (25, "prop_81894ca4", "known", "(x * T(y,x)) / x = y"),
        (52, "prop_1e558562", "known", r"L((x \ y) / z,z,x) = (z * ((x * z) \ y)) / z"),
        (75, "prov9_2e3bc568bd_alt1", "known", r"K(x \ (x / (e / y)),x) * y = T(y,x)"),
        (80, "prov9_a06014c62d", "known", r"T(x,x * T(x \ e,y)) = x"),
        (86, "prov9_183b179b43", "known", r"K(x,x \ e) * x = T(x,x \ e)"),
    ],
)
def test_aim_equations(k: int, name: str, kind: str, text: str) -> None:
    equation = AIM.equations[k]
    assert (equation.name, equation.kind) == (name, kind)
    assert format_equation(equation, AIM.signature) == text


def test_variables_are_numbered_from_the_right() -> None:
    """Except in definitions, which count their parameters."""
    assert AIM.by_name["b1"].variables == ("y", "x")
    assert AIM.by_name["s2"].variables == ("x", "y")
    assert AIM.by_name["TL"].variables == ("y", "x", "z", "u")
    assert AIM.by_name["L"].variables == ("u", "x", "y")
    assert AIM.by_name["T"].variables == ("u", "x")


# Robinson arithmetic


def test_robinson_actions() -> None:
    assert len(ROBINSON.actions) == 9
    assert ROBINSON.first_action == 1
    assert moves(ROBINSON) == {8: 0, 9: 1}
    assert shown(ROBINSON) == {
        1: {"x + 0 -> x"},
        2: {"x -> x + 0"},
        3: {"x + S(y) -> S(x + y)"},
        4: {"S(x + y) -> x + S(y)"},
        5: {"x * 0 -> 0"},
        6: {"x * S(y) -> (x * y) + x"},
        7: {"(x * y) + x -> x * S(y)"},
    }
    assert (ROBINSON.goal, ROBINSON.constructors) == (Goal.NORMAL_FORM, {"0", "S"})
    assert not ROBINSON.enter_leaves
    assert not ROBINSON.no_repeats


def shown(theory: Theory) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for number, *sides in rules(theory):
        text = " -> ".join(format_term(side, theory.signature) for side in sides)
        found.setdefault(number, set()).add(text)
    return found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", {2}),  # S over a leaf: no way in
        ("2", {2, 8}),
        ("0 + 0", {1, 2}),
        ("0 + S(0)", {2, 3, 9}),
        ("S(0) + 0", {1, 2, 8}),
        ("S(0 + 1)", {2, 4, 8}),
        ("(0 * 1) + 0", {1, 2, 7, 8}),
        ("0 + (0 * 1)", {2, 9}),
        ("(1 * 0) + 0", {1, 2, 8}),
        ("0 * 1", {2, 6, 9}),
        ("1 * 0", {2, 5, 8}),
    ],
)
def test_robinson_options(text: str, numbers: set[int]) -> None:
    episode = Episode(ROBINSON, Problem(text, term(text, ROBINSON)))
    assert {action + 1 for action in episode.legal()} == numbers


def test_robinson_wins_with_any_number() -> None:
    for text in ("0", "1", "7"):
        assert Episode(ROBINSON, Problem(text, term(text, ROBINSON))).end is End.SOLVED
    assert Episode(ROBINSON, Problem("p", term("S(0 + 0)", ROBINSON))).end is End.RUNNING


# Polynomials


def test_polynomial_actions() -> None:
    assert len(POLYNOMIAL.actions) == 28
    assert POLYNOMIAL.first_action == 1
    assert moves(POLYNOMIAL) == {8: 0, 9: 1}
    assert shown(POLYNOMIAL) == {
        1: {"a + 0 -> a"},
        2: {"a -> a + 0"},
        3: {"a + S(b) -> S(a + b)"},
        4: {"S(a + b) -> a + S(b)"},
        5: {"a * 0 -> 0"},
        6: {"a * S(b) -> (a * b) + a"},
        7: {"(a * b) + a -> a * S(b)"},
        10: {"a + b -> b + a", "a * b -> b * a"},
        11: {"a ^ 0 -> 1"},
        12: {"a ^ S(b) -> (a ^ b) * a"},
        13: {"(a ^ b) * a -> a ^ S(b)"},
        14: {"(a + b) + c -> a + (b + c)", "(a * b) * c -> a * (b * c)"},
        15: {"a + (b + c) -> (a + b) + c", "a * (b * c) -> (a * b) * c"},
        16: {"a * (b + c) -> (a * b) + (a * c)"},
        17: {"(a * b) + (a * c) -> a * (b + c)"},
        18: {"a * 1 -> a"},
        19: {"a -> a * 1"},
        20: {"1 ^ a -> 1"},
        21: {"a ^ 1 -> a"},
        22: {"a -> a ^ 1"},
        23: {"a ^ (b + c) -> (a ^ b) * (a ^ c)"},
        24: {"(a ^ b) * (a ^ c) -> a ^ (b + c)"},
        25: {"(a * b) ^ c -> (a ^ c) * (b ^ c)"},
        26: {"(a ^ c) * (b ^ c) -> (a * b) ^ c"},
        27: {"(a ^ b) ^ c -> a ^ (b * c)"},
        28: {"a ^ (b * c) -> (a ^ b) ^ c"},
    }
    assert (POLYNOMIAL.goal, POLYNOMIAL.enter_leaves) == (Goal.TARGET, True)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("x", {2, 19, 22}),
        ("x ^ 1", {2, 8, 9, 12, 19, 21, 22}),
        ("x * 1", {2, 6, 8, 9, 10, 18, 19, 22}),
        ("(x ^ 2) * (x ^ 2)", {2, 8, 9, 10, 19, 22, 24, 26}),
        ("0 ^ 0", {2, 8, 9, 11, 19, 22}),
        ("S(x)", {2, 8, 19, 22}),
        ("(x + y) * z", {2, 8, 9, 10, 19, 22}),
    ],
)
def test_polynomial_options(text: str, numbers: set[int]) -> None:
    problem = Problem(text, term(text, POLYNOMIAL), term("y + y", POLYNOMIAL))
    assert {action + 1 for action in Episode(POLYNOMIAL, problem).legal()} == numbers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("0", "0"),
        ("x * 0", "0"),
        ("(1 + 1) * 2", "4"),
        ("x + x", "2 * x"),
        ("y + x", "x + y"),
        ("x * x * x", "x ^ 3"),
        ("(x + 1) ^ 2", "x ^ 2 + 2 * x + 1"),
        ("(x + y) * (x + z)", "x ^ 2 + x * y + x * z + y * z"),
        ("z + y + 3 + x + y ^ 2 + x * y + x ^ 2", "x ^ 2 + x * y + x + y ^ 2 + y + z + 3"),
        ("S(S(x) * 2)", "2 * x + 3"),
        ("(2 * x * y) ^ 2", "4 * x ^ 2 * y ^ 2"),
        ("0 ^ 0", "1"),
        ("x ^ (1 + 1)", "x ^ 2"),
        ("(x ^ 2) ^ 3", "x ^ 6"),
    ],
)
def test_expand(before: str, after: str) -> None:
    assert expand(term(before, POLYNOMIAL)) == term(after, POLYNOMIAL)


def test_expanding_twice_changes_nothing() -> None:
    sample = benchmark_of(POLYNOMIAL).sample
    assert sample is not None
    random = Random(3)
    for _ in range(200):
        problem = sample(random)
        assert problem.target == expand(problem.start)
        assert expand(problem.target) == problem.target


def test_an_exponent_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="exponent"):
        expand(term("x ^ y", POLYNOMIAL))


# All of them


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_number_is_the_inverse_of_actions(theory: Theory) -> None:
    for index, action in enumerate(theory.actions):
        if isinstance(action, Rewrite):
            for name, direction in action.alternatives:
                assert theory.number(name, direction) == index
    assert theory.number("nowhere", LEFT_TO_RIGHT) is None


def test_directions_without_an_action_have_no_number() -> None:
    assert ROBINSON.number("mul-zero", LEFT_TO_RIGHT) == 4
    assert ROBINSON.number("mul-zero", RIGHT_TO_LEFT) is None


def test_registry() -> None:
    names = [theory.name for theory in all_theories()]
    assert names[:3] == ["robinson", "polynomial", "aim"]
    shipped = Path(theories.__file__).parent.glob("*.thy")
    assert sorted(names[3:]) == sorted(file.stem for file in shipped)
    for theory in all_theories():
        assert get_theory(theory.name) is theory
        assert get_theory(theory) is theory
    with pytest.raises(InputError, match="unknown theory 'nowhere'"):
        get_theory("nowhere")


def test_digests_tell_theories_apart() -> None:
    assert len({theory.digest for theory in THEORIES}) == 3
    again = Theory(**{**vars_of(ROBINSON), "title": "Another title"})
    assert again.digest == ROBINSON.digest
    fewer = Theory(**{**vars_of(ROBINSON), "actions": ROBINSON.actions[:-1]})
    assert fewer.digest != ROBINSON.digest


def vars_of(theory: Theory) -> dict[str, object]:
    return {f.name: getattr(theory, f.name) for f in fields(theory) if f.init}


# What a theory must be

SYMBOLS = Signature({"c": 0, "d": 0, "f": 2})
SWAP = Equation("swap", app("f", var("x"), var("y")), app("f", var("y"), var("x")))
FORGET = Equation("forget", app("f", var("x"), var("y")), var("x"))
BOTH = (LEFT_TO_RIGHT, RIGHT_TO_LEFT)


def theory_of(equations: tuple[Equation, ...], goal: Goal, **options: object) -> Theory:
    rewrites = tuple(Rewrite(((eq.name, d),)) for eq in equations for d in BOTH)
    return Theory("mine", "", SYMBOLS, equations, rewrites, goal, **options)


def test_names_of_equations_differ() -> None:
    with pytest.raises(ValueError, match="same name"):
        theory_of((SWAP, SWAP), Goal.EQUATION)


@pytest.mark.parametrize("goal", [Goal.EQUATION, Goal.TARGET])
def test_constructors_go_with_normal_forms(goal: Goal) -> None:
    with pytest.raises(ValueError, match="constructors"):
        theory_of((SWAP,), goal, constructors=frozenset("c"))
    with pytest.raises(ValueError, match="constructors"):
        theory_of((SWAP,), Goal.NORMAL_FORM)


def test_only_equations_take_in_variables() -> None:
    assert theory_of((FORGET,), Goal.EQUATION)
    with pytest.raises(ValueError, match="forget <- introduces a variable"):
        theory_of((FORGET,), Goal.TARGET)


@pytest.mark.parametrize(
    ("rows", "moves_"),
    [
        ([("q", "c = d", 1, 3)], {4: 0}),  # 2 is missing
        ([("q", "c = d", 2, None)], {4: 0}),
    ],
)
def test_tables_without_gaps(
    rows: list[tuple[str, str, int | None, int | None]], moves_: dict[int, int]
) -> None:
    with pytest.raises(ValueError, match="gaps"):
        theory_from_table("mine", SYMBOLS, rows, moves_, title="", goal=Goal.TARGET)


def test_rows_that_share_a_number_are_alternatives() -> None:
    theory = theory_from_table(
        "mine",
        SYMBOLS,
        [("q", "c = d", 1, None), ("r", "d = c", 1, None)],
        {2: 0, 3: 1},
        title="",
        goal=Goal.TARGET,
    )
    alternatives = (("q", LEFT_TO_RIGHT), ("r", LEFT_TO_RIGHT))
    assert theory.actions == (Rewrite(alternatives), Move(0), Move(1))
    assert Episode(theory, Problem("p", app("d"), app("c"))).step(0) is End.SOLVED


def test_a_bad_equation_in_a_table_says_where() -> None:
    with pytest.raises(InputError) as caught:
        theory_from_table("mine", SYMBOLS, [("q", "c = f(c)", 1, 2)], {3: 0}, title="")
    assert (caught.value.source, caught.value.column) == ("mine.q", 5)
