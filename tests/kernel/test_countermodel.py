"""Counter-models: tables are believed when every equation has been evaluated, and only then."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from threesil.kernel.countermodel import LARGEST, Countermodel, NotAModel, check, table_of
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.document import theory_of
from threesil.notations.reading import parse
from threesil.problems.files import parse_problem
from threesil.theories import get_theory

x, y, z = var("x"), var("y"), var("z")


def mul(a: Term, b: Term) -> Term:
    return app("*", a, b)


GROUPS = theory_of(
    "groups",
    "groups",
    {"*": 2, "i": 1, "e": 0},
    {"*": 1},
    [
        Equation("associative", mul(mul(x, y), z), mul(x, mul(y, z))),
        Equation("unit", mul(x, app("e")), x),
        Equation("inverse", mul(x, app("i", x)), app("e")),
    ],
)
IDEMPOTENT = Problem("idempotent", mul(x, x), x)


def table(n: int, arity: int, of: Callable[..., int]) -> tuple[int, ...]:
    return tuple(of(*values) for values in product(range(n), repeat=arity))


def cyclic(n: int) -> Tables:
    return Tables(
        n,
        {
            "*": table(n, 2, lambda a, b: (a + b) % n),
            "i": table(n, 1, lambda a: -a % n),
            "e": (0,),
        },
    )


def test_a_group_in_which_squares_differ() -> None:
    found = check(GROUPS, IDEMPOTENT, cyclic(3), {"x": 1})
    assert type(found) is Countermodel
    assert (found.tables.size, dict(found.values)) == (3, {"x": 1})
    assert repr(found) == "<counter-model of 'idempotent' in groups: 3 elements>"


def test_values_for_which_it_holds_are_refused() -> None:
    with pytest.raises(NotAModel, match="holds for these values"):
        check(GROUPS, IDEMPOTENT, cyclic(3), {"x": 0})


def test_what_holds_in_the_theory_is_never_refuted() -> None:
    for a in range(4):
        with pytest.raises(NotAModel):
            check(GROUPS, Problem("left unit", mul(app("e"), x), x), cyclic(4), {"x": a})


def test_known_equations_have_to_hold_too() -> None:
    wrong = Equation("wrong", mul(x, x), app("e"), "known")
    with pytest.raises(NotAModel, match="the equation wrong"):
        check(GROUPS.extended([wrong]), IDEMPOTENT, cyclic(3), {"x": 1})


def test_existential_goals_fail_for_all_witnesses() -> None:
    """In Z_4 no square is 1; in Z_3 the square of 2 is."""
    root = Problem("root", mul(y, y), x, exists=("y",))
    check(GROUPS, root, cyclic(4), {"x": 1})
    with pytest.raises(NotAModel, match="holds for these values"):
        check(GROUPS, root, cyclic(3), {"x": 1})
    for values in ({}, {"x": 1, "y": 1}, {"y": 1}):
        with pytest.raises(NotAModel, match="expected elements for: x"):
            check(GROUPS, root, cyclic(4), values)


def test_ground_goals_need_no_values() -> None:
    document = parse("cnf(a, axiom, f(X, X) = a).\ncnf(g, negated_conjecture, f(a, b) != a).", "x")
    tables = Tables(2, {"f": (0, 1, 1, 0), "a": (0,), "b": (1,)})
    assert check(document.theory, document.problems[0], tables).values == {}


def test_a_model_without_a_problem() -> None:
    assert repr(check(GROUPS, None, cyclic(5))) == "<model in groups: 5 elements>"
    with pytest.raises(NotAModel, match="no variable"):
        check(GROUPS, None, cyclic(5), {"x": 1})


def test_problems_without_a_target_are_not_refuted() -> None:
    robinson = get_theory("robinson")
    tables = Tables(1, dict.fromkeys(robinson.signature.symbols, (0,)))
    check(robinson, None, tables)
    with pytest.raises(NotAModel, match="without a target"):
        check(robinson, Problem("p", app("0")), tables)


def test_a_table_of_a_term_has_the_last_variable_fastest() -> None:
    term = mul(mul(x, y), app("i", x))
    tables = cyclic(3)
    assert table_of(term, GROUPS, tables, ("x", "y"), {}) == [0, 1, 2] * 3
    assert table_of(term, GROUPS, tables, ("y", "x"), {}) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert table_of(mul(y, z), GROUPS, tables, ("z", "x"), {"y": 2}) == [2] * 3 + [0] * 3 + [1] * 3
    assert table_of(app("e"), GROUPS, tables, ("x",), {}) == [0, 0, 0]


# Every wrong table is refused


def dihedral() -> Tables:
    """The symmetries of a square; 4s + r is a rotation by r, then a reflection if s is 1."""

    def times(a: int, b: int) -> int:
        (s, r), (t, q) = divmod(a, 4), divmod(b, 4)
        return 4 * (s ^ t) + ((-r if t else r) + q) % 4

    inverse = [next(b for b in range(8) if times(a, b) == 0) for a in range(8)]
    return Tables(8, {"*": table(8, 2, times), "i": tuple(inverse), "e": (0,)})


COMMUTES = Problem("commutes", mul(x, y), mul(y, x))


def test_dihedral_groups_do_not_commute() -> None:
    check(GROUPS, COMMUTES, dihedral(), {"x": 1, "y": 4})


@pytest.mark.parametrize("tables", [cyclic(2), cyclic(5), dihedral()], ids=("Z_2", "Z_5", "D_4"))
def test_each_change_of_one_entry_of_a_group_is_refused(tables: Tables) -> None:
    """No other group is so near: two groups differ in many entries."""
    for symbol, entries in tables.of.items():
        for place, old in enumerate(entries):
            for new in range(tables.size):
                if new == old:
                    continue
                changed = (*entries[:place], new, *entries[place + 1 :])
                mutant = Tables(tables.size, {**tables.of, symbol: changed})
                with pytest.raises(NotAModel, match="does not hold"):
                    check(GROUPS, None, mutant)


def brute(theory: Theory, problem: Problem, tables: Tables, values: dict[str, int]) -> bool:
    """The definition, once more, a term at a time."""

    def value(term: Term, given: dict[str, int]) -> int:
        if term.is_variable:
            return given[term.head]
        place = 0
        for arg in term.args:
            place = place * tables.size + value(arg, given)
        return tables.of[term.head][place]

    def everywhere(names: tuple[str, ...]) -> list[dict[str, int]]:
        rows = product(range(tables.size), repeat=len(names))
        return [dict(zip(names, row, strict=True)) for row in rows]

    model = all(
        value(e.lhs, given) == value(e.rhs, given)
        for e in theory.equations
        for given in everywhere(e.variables)
    )
    assert problem.target is not None
    return model and all(
        value(problem.start, values | more) != value(problem.target, values | more)
        for more in everywhere(problem.exists)
    )


def test_it_decides_as_the_definition_does() -> None:
    random = Random(0)
    laws = [(mul(x, x), x), (mul(x, y), mul(y, x)), (mul(mul(x, y), z), mul(x, mul(y, z)))]
    laws += [(mul(x, mul(x, y)), y), (mul(x, y), mul(x, z)), (mul(x, app("c")), x)]
    seen = set()
    for _ in range(3000):
        chosen = random.sample(laws, 2)
        theory = theory_of("t", "t", {"*": 2, "c": 0}, {"*": 1}, [Equation("1", *chosen[0])])
        problem = Problem("p", *chosen[1])
        if random.random() < 0.3:
            problem = dataclasses.replace(problem, exists=problem.variables[:1])
        n = random.choice((1, 2, 2, 3))
        tables = Tables(
            n, {"*": [random.randrange(n) for _ in range(n * n)], "c": [random.randrange(n)]}
        )
        free = [name for name in problem.variables if name not in problem.exists]
        values = {name: random.randrange(n) for name in free}
        right = brute(theory, problem, tables, values)
        seen.add(right)
        if right:
            check(theory, problem, tables, values)
        else:
            with pytest.raises(NotAModel):
                check(theory, problem, tables, values)
    assert seen == {True, False}


Z3 = cyclic(3).of
MALFORMED = {
    "too few entries": Tables(3, {**Z3, "i": (0, 2)}),
    "too many entries": Tables(3, {**Z3, "e": (0, 0)}),
    "an element too large": Tables(3, {**Z3, "e": (3,)}),
    "an element below 0": Tables(3, {**Z3, "e": (-3,)}),
    "no number": Tables(3, {**Z3, "e": (0.0,)}),  # type: ignore[dict-item]
    "a truth value": Tables(3, {**Z3, "e": (False,)}),
    "a missing table": Tables(3, {"*": Z3["*"], "e": (0,)}),
    "a table too many": Tables(3, {**Z3, "f": (0,)}),
    "another size": Tables(2, Z3),
    "no element": Tables(0, {"*": (), "i": (), "e": ()}),
    "less than none": Tables(-1, {"*": (0,), "i": (), "e": (0,)}),
    "a size that is no number": Tables(True, {"*": (0,), "i": (0,), "e": (0,)}),
}


@pytest.mark.parametrize("tables", MALFORMED.values(), ids=MALFORMED)
def test_malformed_tables_are_refused(tables: Tables) -> None:
    with pytest.raises(NotAModel):
        check(GROUPS, None, tables)


@pytest.mark.parametrize("value", [3, -1, True, 1.0, "1", None])
def test_malformed_values_are_refused(value: object) -> None:
    with pytest.raises(NotAModel, match="expected elements for: x"):
        check(GROUPS, IDEMPOTENT, cyclic(3), {"x": value})  # type: ignore[dict-item]


def test_symbols_and_arities_are_those_of_the_signature() -> None:
    for side in (app("*", x), app("f", x), app("*", x, x, x), app("e", x)):
        with pytest.raises(NotAModel, match="is not a symbol"):
            check(GROUPS, Problem("p", side, x), cyclic(3), {"x": 1})
        with pytest.raises(NotAModel, match="is not a symbol"):
            check(GROUPS.extended([Equation("p", side, x)]), None, cyclic(3))


def test_too_many_values_are_refused_at_once() -> None:
    term, names = x, [f"x{k}" for k in range(40)]
    for name in names:
        term = mul(term, var(name))
    with pytest.raises(NotAModel, match=f"the limit is {LARGEST}"):
        check(GROUPS.extended([Equation("long", term, x)]), None, cyclic(2))


def test_deep_terms() -> None:
    term = x
    for _ in range(50_000):
        term = app("i", term)
    check(GROUPS, Problem("deep", term, app("e")), cyclic(3), {"x": 1})


# Only check() makes a counter-model


def some_countermodel() -> Countermodel:
    return check(GROUPS, IDEMPOTENT, cyclic(3), {"x": 1})


def test_the_constructor_refuses() -> None:
    found = some_countermodel()
    for arguments in ((), (None,), (True,), (object(),), (found,)):
        with pytest.raises(NotAModel, match="by check"):
            Countermodel(GROUPS, IDEMPOTENT, found.tables, {"x": 0}, *arguments)


def test_a_countermodel_cannot_be_altered() -> None:
    found = some_countermodel()
    with pytest.raises(NotAModel):
        dataclasses.replace(found, problem=Problem("wrong", x, x))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.problem = COMMUTES  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.values["x"] = 0  # type: ignore[index]
    with pytest.raises(TypeError):
        found.tables.of["e"] = (1,)  # type: ignore[index]


def test_it_keeps_tables_of_its_own() -> None:
    entries, values = [0], {"x": 1}
    of = {**Z3, "e": entries}
    tables = Tables(3, of)  # type: ignore[arg-type]
    found = check(GROUPS, IDEMPOTENT, tables, values)
    entries[0], values["x"] = 1, 0
    of["*"] = (0,) * 9
    assert (found.tables.of["e"], found.tables.of["*"]) == ((0,), Z3["*"])
    assert dict(found.values) == {"x": 1}


def test_copies_and_pickles_are_checked_anew() -> None:
    found = some_countermodel()
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert type(again) is Countermodel
        assert again.tables == found.tables
    function, (theory, problem, _tables, values) = found.__reduce__()
    with pytest.raises(NotAModel):
        function(theory, problem, cyclic(1), values)


def test_other_types_are_refused() -> None:
    for theory, problem, tables in (
        (None, IDEMPOTENT, cyclic(3)),
        (GROUPS, "x = y", cyclic(3)),
        (GROUPS, IDEMPOTENT, None),
        (GROUPS, IDEMPOTENT, dict(Z3)),
    ):
        with pytest.raises(NotAModel, match="expected a"):
            check(theory, problem, tables, {"x": 1})  # type: ignore[arg-type]


def test_aim_has_a_model_that_is_no_group() -> None:
    """Smaller loops with commuting inner mappings are groups: in Z_3 × Z_2, twisted."""
    aim = get_theory("aim")
    problem = parse_problem("(x * y) * z = x * (y * z)", aim)

    def times(a: int, b: int) -> int:
        (r, s), (q, t) = divmod(a, 2), divmod(b, 2)
        return 2 * ((r + q) % 3) + (s ^ t ^ (r == 1 and q == 1))

    rows = [[times(a, b) for b in range(6)] for a in range(6)]
    left = [[rows[a].index(b) for b in range(6)] for a in range(6)]
    right = [[[row[b] for row in rows].index(a) for b in range(6)] for a in range(6)]
    m, ld, rd = (lambda a, b, of=of: of[a][b] for of in (rows, left, right))
    of = {
        "e": (0,),
        "*": table(6, 2, m),
        "\\": table(6, 2, ld),
        "/": table(6, 2, rd),
        "a": table(6, 3, lambda a, b, c: ld(m(a, m(b, c)), m(m(a, b), c))),
        "K": table(6, 2, lambda a, b: ld(m(b, a), m(a, b))),
        "T": table(6, 2, lambda u, a: ld(a, m(u, a))),
        "L": table(6, 3, lambda u, a, b: ld(m(b, a), m(b, m(a, u)))),
        "R": table(6, 3, lambda u, a, b: rd(m(m(u, a), b), m(a, b))),
    }
    check(aim, problem, Tables(6, of), {"x": 2, "y": 2, "z": 4})
