"""The quick way: small tables all of them, larger ones that are worth a try."""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from threesil.engine import Budget, Status, Stop
from threesil.engine.tables import Sides, TableSearch
from threesil.kernel.countermodel import NotAModel, check
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Theory
from threesil.notations.reading import parse
from threesil.notations.writing.structures import name_of
from threesil.problems.files import parse_problem
from threesil.search.finite.families import families
from threesil.search.finite.finder import find
from threesil.search.finite.lattices import lattices
from threesil.theories import get_theory

x, y, z, w = (var(name) for name in "xyzw")
FOREVER = Budget(None, None)


def theory(content: str) -> Theory:
    return parse(content, "t", "theory").theory


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysolvers", None)


LAWS = [
    (app("f", x, app("f", y, x)), y),
    (app("f", app("f", x, y), z), app("f", x, app("f", y, z))),
    (app("f", x, y), app("f", app("f", y, y), x)),
    (x, app("f", app("f", y, x), app("f", z, w))),
    (app("f", app("f", x, y), app("f", z, w)), app("f", app("f", x, z), app("f", y, w))),
]


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_all_tables_are_gone_through(n: int) -> None:
    """What backtracking says is what all tables say, one by one."""
    a, b = app("a"), app("b")
    goals = [(app("f", a, b), app("f", b, a)), (app("f", a, a), a), (app("f", a, b), a)]
    squares = [np.array(t).reshape(n, n) for t in product(range(n), repeat=n * n)]
    for law, goal in product(LAWS, goals):
        search = TableSearch({"f": 2}, n, [law], [goal], ["a", "b"], 10**6)
        status, _, found = search.search({}, 10**6, FOREVER)
        expected = any(_holds(law, t, n) and _fails(goal, t, n) for t in squares)
        assert (status is Status.PROVED) == expected, (law, goal)
        assert status is not Status.EXPANSIONS
        if found:
            table = np.array(found["f"]).reshape(n, n)
            assert _holds(law, table, n)
            values = {"a": found["a"][0], "b": found["b"][0]}
            assert _value(goal[0], table, values) != _value(goal[1], table, values)


def _value(term: Term, table: npt.NDArray[Any], values: dict[str, int]) -> int:
    return int(term.fold(lambda t, args: int(table[args]) if args else values[t.head]))


def _holds(law: Sides, table: npt.NDArray[Any], n: int) -> bool:
    left, right = law
    names = dict.fromkeys((*left.variables(), *right.variables()))
    return all(
        _value(left, table, v) == _value(right, table, v)
        for v in (dict(zip(names, c, strict=True)) for c in product(range(n), repeat=len(names)))
    )


def _fails(goal: Sides, table: npt.NDArray[Any], n: int) -> bool:
    left, right = goal
    return any(
        _value(left, table, {"a": a, "b": b}) != _value(right, table, {"a": a, "b": b})
        for a, b in product(range(n), repeat=2)
    )


def test_tables_that_are_given_stay() -> None:
    """With the table of a group there is one unit and one inverse."""
    groups = [(app("f", app("e"), x), x), (app("f", app("i", x), x), app("e"))]
    search = TableSearch({"f": 2, "i": 1, "e": 0}, 5, groups, [], [], 10**6)
    table = (np.add.outer(range(5), range(5)) % 5).astype(np.int8)
    status, tried, found = search.search({"f": table}, 100, FOREVER)
    assert status is Status.PROVED and tried <= 25
    assert found["i"] == [0, 4, 3, 2, 1] and found["e"] == [0]
    table[0, 0] = 1
    assert search.search({"f": table}, 100, FOREVER)[0] is Status.EXHAUSTED


def test_limits() -> None:
    law = (app("f", x, app("f", y, z)), app("f", app("f", x, x), app("f", z, y)))
    goal = (app("f", app("a"), app("a")), app("a"))
    search = TableSearch({"f": 2}, 6, [law], [goal], ["a"], 10**6)
    assert search.search({}, 3, FOREVER)[0] in (Status.EXPANSIONS, Status.PROVED)
    stop = Stop()
    stop.set()
    assert search.search({}, 10**6, Budget(None, None, stop=stop))[0] is Status.STOPPED
    assert not TableSearch({"f": 2}, 6, [law], [], [], 100).fits
    assert not TableSearch({"f": 60}, 6, [], [], [], 10**6).fits
    assert not TableSearch({"f": 2}, 99, [law], [], [], 10**9).fits


def test_families_are_what_they_are_called() -> None:
    for n in range(2, 10):
        tables = families(n)
        assert all(t.shape == (n, n) and t.min() >= 0 and t.max() < n for t in tables)
        assert len({t.tobytes() for t in tables}) == len(tables)
    eight = {name_of(t.reshape(-1).tolist(), 8) for t in families(8)}
    groups = {"the cyclic group Z_8", "the group Z_2 × Z_4", "the group Z_2 × Z_2 × Z_2"}
    assert eight >= groups | {"the dihedral group D_4", "the quaternion group Q_8", "a loop"}
    assert "the symmetric group S_3" in {name_of(t.reshape(-1).tolist(), 6) for t in families(6)}
    assert "the group Z_3 × Z_3" in {name_of(t.reshape(-1).tolist(), 9) for t in families(9)}
    four = {name_of(t.reshape(-1).tolist(), 4) for t in families(4)}
    assert "a latin quandle" in four  # a x + (1 + a) y over the field of four elements


def test_there_are_as_many_lattices_as_there_should_be() -> None:
    """The sequence A006966 of the On-Line Encyclopedia of Integer Sequences."""
    assert [len(lattices(n)) for n in range(1, 9)] == [1, 1, 1, 2, 5, 15, 53, 222]


@pytest.mark.usefixtures("no_solver")
def test_lattices_are_tried_where_chains_are_models() -> None:
    """A lattice that is modular and not distributive, one that is not modular."""
    within = get_theory("lattices")
    problems = [
        parse_problem("m(x, j(y, z)) = j(m(x, y), m(x, z))", within),
        parse_problem("m(x, j(y, m(x, z))) = j(m(x, y), m(x, z))", within),
    ]
    sought = find(within, problems, Budget(None, 20.0))
    assert [model and model.tables.size for model in sought.models] == [5, 5]


@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize(
    ("name", "goal", "size"),
    [
        ("aim", "x * y = y * x", 6),
        ("aim", "(x * y) * z = x * (y * z)", 6),
        ("aim", "T(x,y) = x", 6),
        ("groups", "x * y = y * x", 6),
        ("groups", "x * (x * x) = e", 2),
        ("boolean", "x * y = x + y", 2),
        ("rings", "x * y = y * x", 4),
        ("quandles", "x * y = y * x", 2),
    ],
)
def test_without_any_solver(name: str, goal: str, size: int) -> None:
    within = get_theory(name)
    sought = find(within, [parse_problem(goal, within)], Budget(None, 20.0))
    assert sought.models[0] is not None
    assert sought.models[0].tables.size == size


@pytest.mark.usefixtures("no_solver")
def test_the_reason_names_the_solver_that_is_missing() -> None:
    groups = get_theory("groups")
    sought = find(groups, [parse_problem("x * e = x", groups)], Budget(None, 60.0), largest=5)
    assert sought.status is Status.EXHAUSTED and "python-sat" in sought.reason


def test_nothing_is_believed_unchecked() -> None:
    within = theory("Axiom law: x * (y * z) = (x * y) * z.\n")
    problem = parse_problem("x * y = y * x", within)
    (found,) = find(within, [problem], FOREVER).models
    assert found is not None
    with pytest.raises(NotAModel):
        check(within, problem, Tables(2, {"*": (1, 0, 0, 0)}), dict(found.values))
