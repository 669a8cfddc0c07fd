"""The schedule: what each search did in its turns."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from samples import written
from threesil.engine import Budget, Completion, Found, Status
from threesil.errors import InputError
from threesil.kernel.outcome import RUNNING, SZS, Turn
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Problem
from threesil.problems.files import parse_problem
from threesil.runs.weights import find_judge
from threesil.search.best import Unguided
from threesil.search.sharing import SharedRules
from threesil.search.solvers import make_solver
from threesil.theories import get_theory
from threesil.theories.aim import AIM


def test_the_turns_add_up() -> None:
    """What its searches spent is what the schedule spent, and is heard of as it comes."""
    heard: list[Turn] = []
    outcome = Unguided(AIM).solve(
        parse_problem("x * y = y * x", AIM), Budget(3000, None, progress=heard.append)
    )
    begun, ended = heard[::2], heard[1::2]
    assert outcome.turns == tuple(ended)
    assert {turn.status for turn in begun} == {RUNNING}
    assert [turn.solver for turn in begun] == [turn.solver for turn in ended]
    assert len({turn.solver for turn in heard}) > 1
    assert sum(turn.expansions for turn in heard) == outcome.expansions
    assert 0 < sum(turn.seconds for turn in heard) <= outcome.cpu_seconds
    known = {status.name.lower() for status in Status}
    assert all(turn.status in known for turn in ended)
    assert all(turn.figures["terms"] > 0 for turn in ended if turn.solver == "saturate")


def test_the_turn_that_proves_is_the_last() -> None:
    outcome = Unguided(AIM).solve(parse_problem("x * T(y,x) = y * x", AIM), Budget(1000))
    assert outcome.proved
    assert [turn.status == "proved" for turn in outcome.turns[-1:]] == [True]


def test_where_expansions_are_counted_the_schedule_is_repeatable() -> None:
    theory = get_theory("boolean")
    problem = parse_problem("x * y = x + y", theory)
    first, second = (
        Unguided(theory, refute=False).solve(problem, Budget(30_000, None)) for _ in range(2)
    )
    turns = [[(t.solver, t.expansions, t.status) for t in o.turns] for o in (first, second)]
    assert turns[0] == turns[1]
    used = {"complete", "saturate", "saturate with rules", "complete with equations"}
    assert used <= {name for name, *_ in turns[0]}


def test_a_model_ends_the_schedule() -> None:
    theory = get_theory("boolean")
    problem = parse_problem("x * y = x + y", theory)
    outcomes = [Unguided(theory).solve(problem, Budget(30_000, None)) for _ in range(2)]
    assert all(outcome.model is not None for outcome in outcomes)
    turns = [[(t.solver, t.expansions, t.status) for t in o.turns] for o in outcomes]
    assert turns[0] == turns[1]
    assert turns[0][-1][::2] == ("refute", "refuted")


def test_where_normal_forms_refute_a_model_is_shown_if_there_is_one_at_once() -> None:
    groups = get_theory("groups")
    small = Unguided(groups).solve(parse_problem("x * x = e", groups), Budget(None, 10.0))
    assert small.model is not None and small.model.tables.size == 3 and small.system is None


def test_weights_for_critical_pairs_are_used_for_these(tmp_path: Path) -> None:
    """Beside the bundled policy, if there is one."""
    general = find_judge(None)
    other = replace(general, parameters=-np.asarray(general.parameters))
    path = tmp_path / "pairs.safetensors"
    other.save(path)
    theory = get_theory("boolean")
    problem = parse_problem("x * y = x + y", theory)
    outcomes = [
        make_solver("best", theory, weights=model, refute=False).solve(problem, Budget(3000, None))
        for model in (None, other, path, str(path))
    ]
    turns = [[(t.solver, t.expansions, t.figures) for t in o.turns] for o in outcomes]
    assert turns[0] != turns[1] and turns[1] == turns[2] == turns[3]
    best = make_solver("best", AIM, weights=other)
    assert isinstance(best, Unguided) and best.explorer is not None
    with pytest.raises(InputError, match=r"select critical pairs.*--solver select or best"):
        make_solver("guided", AIM, weights=path)


@pytest.mark.parametrize(
    "budget", [Budget(2000, None), Budget(None, 1.0)], ids=["counted", "timed"]
)
def test_what_does_nothing_leaves_the_schedule(
    budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that was idle for ever had its turns doubled until no number could say how long."""
    theory = get_theory("boolean")
    runs: list[Budget] = []

    def idle(self: object, budget: Budget) -> Found:
        runs.append(budget)
        return Found(Status.EXPANSIONS, 0)

    for search in ("threesil.engine.completion.CompletionRun", "threesil.engine.SaturationRun"):
        monkeypatch.setattr(f"{search}.run", idle)
    monkeypatch.setattr("threesil.engine.search.Saturation.prove", lambda *_: idle(None, budget))
    problem = parse_problem("x * y = x + y", theory)
    outcome = Unguided(theory, refute=False).solve(problem, budget)
    assert outcome.status is SZS.GAVE_UP
    turns = [turn.solver for turn in outcome.turns]
    assert 20 <= max(turns.count(name) for name in turns) <= 20 * 8  # of a name there are several


def test_an_equation_of_three_thousand_factors(tmp_path: Path) -> None:
    factors = "(" * 2999 + "x" + " * x)" * 2999
    theory = written(tmp_path, f"Axiom long: {factors} = x.")
    problem = Problem("goal", var("x"), app("*", var("x"), var("x")))
    outcome = Unguided(theory, refute=False).solve(problem, Budget(None, 3.0))
    assert outcome.status in (SZS.GAVE_UP, SZS.TIMEOUT)


def test_shared_rules_end_with_their_completion() -> None:
    theory = get_theory("boolean")
    problem = parse_problem("x * y = x + y", theory)
    run = Completion(theory.without([e.name for e in theory.equations], "none")).begin(problem)
    shared = SharedRules(theory, problem, run, 5)
    assert shared.run(Budget(10)).status is Status.EXPANSIONS
    assert run.run(Budget(10)).status is Status.EXHAUSTED
    assert shared.run(Budget(10)).status is Status.EXHAUSTED
