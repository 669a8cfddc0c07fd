"""The finder: what it finds is certified, and where there is nothing it says so."""

from __future__ import annotations

from itertools import product, repeat

import pytest

from model_samples import GROUPS
from threesil.engine import Budget, Status, Stop
from threesil.kernel.countermodel import Countermodel, NotAModel, check
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Problem, Theory
from threesil.notations.reading import parse
from threesil.problems.files import parse_problem
from threesil.search.finite.finder import Finder, find
from threesil.search.finite.quick import Quick

SILLY = """Axiom one: f(g(x, y, z)) = g(f(x), f(y), f(z)).
Axiom two: g(x, x, y) = f(f(y)).
Axiom three: f(f(f(x))) = x.
"""
ENOUGH = Budget(None, 20.0)


def theory(text: str) -> Theory:
    return parse(text, "t", "theory").theory


def refute(within: Theory, *equations: str, largest: int = 6) -> list[Countermodel | None]:
    problems = [parse_problem(text, within) for text in equations]
    return list(find(within, problems, ENOUGH, largest=largest).models)


def size(model: Countermodel | None) -> int:
    assert model is not None
    return model.tables.size


def test_the_smallest_group_that_does_not_commute_has_six_elements() -> None:
    """No smaller one is passed over, whatever elements are numbered alike."""
    (found,) = refute(theory(GROUPS), "x * y = y * x")
    assert size(found) == 6


def test_goals_share_a_search_and_each_has_its_model() -> None:
    groups = theory(GROUPS)
    found = refute(groups, "x * x = e", "x * (x * x) = e", "i(i(x)) = x", "x = y", largest=4)
    assert [model and model.tables.size for model in found] == [3, 2, None, 2]


def test_values_that_are_to_exist() -> None:
    """Some value for all: every choice fails."""
    groups = theory(GROUPS)
    found = refute(groups, "exists y: y * y = x", "exists y: y * x = e", largest=4)
    assert found[0] is not None and found[0].tables.size == 2
    assert found[1] is None


def test_a_theory_about_nothing_we_know() -> None:
    silly = theory(SILLY)
    found = refute(silly, "f(x) = x", "g(x, y, z) = g(y, x, z)", "f(f(f(x))) = x", largest=4)
    assert found[2] is None
    assert size(found[0]) == 3


@pytest.mark.parametrize("largest", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_none_that_exists_is_missed(largest: int) -> None:
    """All tables of a size, one by one, say the same as the search."""
    laws = ["x = (y * x) * y", "x * y = (x * x) * x", "x * (y * z) = (z * x) * y"]
    goals = ["x * y = y * x", "x * x = x", "x * y = x", "x * (y * x) = x"]
    for law in laws:
        within = theory(f"Axiom law: {law}.\n")
        problems = [parse_problem(goal, within) for goal in goals]
        found = find(within, problems, ENOUGH, smallest=largest, largest=largest)
        for problem, model in zip(problems, found.models, strict=True):
            assert (model is not None) == _some(within, problem, largest), (law, problem.name)


def _some(within: Theory, problem: Problem, n: int) -> bool:
    for table in product(range(n), repeat=n * n):
        for values in product(range(n), repeat=len(problem.variables)):
            try:
                check(
                    within,
                    problem,
                    Tables(n, {"*": table}),
                    dict(zip(problem.variables, values, strict=True)),
                )
                return True
            except NotAModel as error:
                if "equation" in str(error):
                    break
    return False


def test_any_model() -> None:
    (found,) = find(theory(GROUPS), [None], ENOUGH).models
    assert found is not None and found.problem is None and found.tables.size == 2


def test_a_goal_that_holds_ends_with_its_reason() -> None:
    groups = theory(GROUPS)
    found = find(groups, [parse_problem("x * e = x", groups)], ENOUGH, largest=3)
    assert found.status is Status.EXHAUSTED
    assert found.reason == "no model with at most 3 elements refutes it"


def test_definitions_are_computed() -> None:
    within = theory(GROUPS + "Definition k(x, y) := (i(x) * i(y)) * (x * y).\n")
    assert size(refute(within, "x * x = e")[0]) == 3
    assert size(refute(within, "k(x, y) = e")[0]) == 6


def test_a_known_equation_that_does_not_follow_is_looked_at_too() -> None:
    within = parse("Axiom law: x * x = x.\nKnown commutes: x * y = y * x.\n", "t", "theory").theory
    left, assoc = refute(within, "x * y = x", "(x * y) * z = x * (y * z)", largest=3)
    assert size(left) == 2
    assert size(assoc) == 3


def test_the_work_is_the_same_every_time_and_can_be_cut_into_pieces() -> None:
    groups = theory(GROUPS)
    problems = [parse_problem("x * y = y * x", groups)]
    whole = find(groups, problems, Budget(None, None))
    pieces = Finder(groups, problems)
    spent = 0
    while (found := pieces.run(Budget(5, None))).status is Status.EXPANSIONS:
        spent += found.expansions
    assert spent > 5
    assert found.models[0] is not None and whole.models[0] is not None
    assert found.models[0].tables.size == whole.models[0].tables.size


def test_it_can_be_stopped_and_resumed() -> None:
    groups, stop = theory(GROUPS), Stop()
    finder = Finder(groups, [parse_problem("x * e = x", groups)])
    assert finder.run(Budget(None, 0.05)).status is Status.SECONDS
    stop.set()
    assert finder.run(Budget(None, 5.0, stop=stop)).status is Status.STOPPED


def test_symbols_with_many_arguments_do_not_fit() -> None:
    wide = ", ".join(f"x{k}" for k in range(16))
    within = theory(f"Axiom law: f({wide}) = x0.\n")
    assert size(refute(within, "x = y")[0]) == 2  # its table is computed
    wide, cyclic = (", ".join(f"x{(k + turn) % 24}" for k in range(24)) for turn in (0, 1))
    within = theory(f"Axiom law: f({wide}) = f({cyclic}).\n")
    found = find(within, [parse_problem("x = y", within)], ENOUGH)
    assert found.status is Status.EXHAUSTED
    assert "do not fit into memory" in found.reason


def test_a_theory_of_one_element_only() -> None:
    within = theory("Constants e.\nAxiom law: x * y = z * w.\nAxiom unit: e * x = x.\n")
    found = find(within, [parse_problem("x = y", within)], ENOUGH, largest=8)
    assert found.status is Status.EXHAUSTED


def test_a_quick_way_without_end_does_not_keep_the_solver_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Quick, "tries", lambda *_: repeat(None))
    bands = theory("Axiom a: (x * y) * z = x * (y * z).\nAxiom b: x * x = x.\n")
    (found,) = find(bands, [parse_problem("(x * y) * x = x * y", bands)], ENOUGH).models
    assert found is not None
    holds = parse_problem("x * (x * y) = x * y", bands)
    none = find(bands, [holds], Budget(None, 1.0), largest=3)
    assert (none.status, none.models) == (Status.SECONDS, (None,))
