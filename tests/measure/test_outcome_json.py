"""One JSON view of an outcome, for the command line, the page and files."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from threesil.cli import main
from threesil.engine import Budget
from threesil.kernel.outcome import SZS, Outcome, Turn
from threesil.measure.outcome_json import facts_of, outcome_to_json, turn_to_json
from threesil.measure.results import row_of
from threesil.notations.model_json import model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import system_to_json
from threesil.problems.files import parse_problem
from threesil.problems.targets import read_targets
from threesil.provers.prove import prove
from threesil.provers.request import Request
from threesil.search.solvers import make_solver
from threesil.theories import get_theory
from threesil.web.tasks import TASKS

GROUPS = get_theory("groups")
GOAL = parse_problem("i(x * y) = i(y) * i(x)", GROUPS)
FALSE = parse_problem("x * y = y * x", GROUPS)
CERTIFICATES = {"proof", "model", "models", "system"}


def solved(name: str, text: str) -> Outcome:
    return make_solver(name, GROUPS).solve(parse_problem(text, GROUPS), Budget(None, 60.0))


def test_it_begins_like_a_row_of_results() -> None:
    outcome = solved("complete", GOAL.name)
    value = outcome_to_json(outcome, GROUPS)
    row = row_of(outcome, GROUPS, outcome.problem).to_json()
    assert list(value)[: len(row)] == list(row)
    assert row.items() <= value.items()
    assert json.loads(json.dumps(value)) == value


def test_what_shows_it_comes_last_and_what_does_not_apply_is_left_out() -> None:
    outcome = solved("complete", GOAL.name)
    value = outcome_to_json(outcome, GROUPS)
    assert outcome.proof is not None and value["proof"] == proof_to_json(outcome.proof)
    assert CERTIFICATES & set(value) == {"proof"}
    assert not {"claim", "words", "given", "provers"} & set(value)
    assert facts_of(outcome, GROUPS) == {k: v for k, v in value.items() if k != "proof"}
    refuted = solved("refute", FALSE.name)
    assert refuted.model is not None
    value = outcome_to_json(refuted, GROUPS)
    assert value["model"] == model_to_json(refuted.model)
    assert CERTIFICATES & set(value) == {"model"}
    normal = solved("complete", FALSE.name)
    assert normal.system is not None
    value = outcome_to_json(normal, GROUPS)
    assert value["system"] == system_to_json(normal.system)
    assert CERTIFICATES & set(value) == {"system"}


def test_goals_that_fail_together_have_all_their_models() -> None:
    square = parse_problem("x * x = e", GROUPS)
    outcome = make_solver("refute", GROUPS).solve_any([FALSE, square], Budget(None, 60.0))
    value = outcome_to_json(outcome, GROUPS)
    assert [model["problem"]["name"] for model in value["models"]] == [FALSE.name, square.name]
    assert value["model"] == value["models"][0]
    assert "provers" not in value  # each part is another goal


def test_turns_and_what_others_said() -> None:
    turn = Turn("complete", 0.12345678, 7, "seconds", {"rules": 3.0})
    own = Outcome(FALSE, SZS.TIMEOUT, 1.0, 1.0, 7, by="best", turns=(turn,))
    e = Outcome(FALSE, SZS.THEOREM, 0.5, 0.5, by="e", words="1 $F.")
    other = Outcome(FALSE, SZS.ERROR, 0.25, by="twee", reason="exit code 9")
    joint = Outcome(
        FALSE, SZS.THEOREM, 2.0, 1.5, 7, by="e", words="1 $F.", parts=(own, e, other), given=4
    )
    value = outcome_to_json(joint, GROUPS)
    assert (value["claim"], value["words"], value["given"]) == (True, "1 $F.", 4)
    assert value["certified"] is False and not CERTIFICATES & set(value)
    assert value["turns"] == [turn_to_json(turn)]
    assert turn_to_json(turn) == {
        "solver": "complete",
        "cpu_seconds": 0.123457,
        "expansions": 7,
        "status": "seconds",
        "figures": {"rules": 3.0},
    }
    assert value["provers"] == {
        "e": {"status": "Theorem", "seconds": 0.5, "reason": ""},
        "twee": {"status": "Error", "seconds": 0.25, "reason": "exit code 9"},
    }


# The command and the page say the same


TIMES = {"seconds", "cpu_seconds", "turns"}
ASKED = ["i(x * y) = i(y) * i(x)", "x * y = y * x", "x * (y * x) = y * (x * x)"]


def view(text: str) -> dict[str, Any]:
    (target,) = read_targets([text], "groups")
    request = Request("unguided", expansions=3000)
    (answer,) = prove([target], request)
    return outcome_to_json(answer.outcome, GROUPS)


def without_times(value: dict[str, Any], *more: str) -> dict[str, Any]:
    return {key: part for key, part in value.items() if key not in TIMES | set(more)}


def turns(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in turn.items() if k != "cpu_seconds"} for turn in value["turns"]]


@pytest.mark.parametrize("text", ASKED)
def test_it_is_what_the_command_prints(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = view(text)
    for more in ([], ["--explain"]):
        command = ["prove", text, "--theory", "groups", "--solver", "unguided", "--json", *more]
        monkeypatch.setattr(sys, "argv", ["threesil", *command, "--expansions", "3000"])
        with pytest.raises(SystemExit):
            main()
        printed = json.loads(capsys.readouterr().out)
        assert without_times(printed) == without_times(expected)
        assert ("turns" in printed) == bool(more)
        if more:
            assert turns(printed) == turns(expected)


@pytest.mark.parametrize("text", ASKED)
def test_it_is_what_the_page_answers(text: str) -> None:
    """Pictures, under `shown`, stand there for what shows it."""
    expected = view(text)
    told: list[dict[str, Any]] = []
    task = {"text": text, "theory": "groups", "solver": "unguided", "expansions": 3000}
    TASKS["prove"](task, told.append)
    (answer,) = [one for one in told if one["event"] == "answer"]
    facts = without_times(expected, *CERTIFICATES)
    assert {key: answer[key] for key in facts} == facts
    assert turns(answer) == turns(expected)
    shown = {key for key, value in answer["shown"].items() if value is not None}
    assert shown == CERTIFICATES & set(expected) - {"models"}
    begun = [one for one in told if one["event"] == "turn" and one["status"] != "running"]
    assert [one["solver"] for one in begun] == [turn["solver"] for turn in expected["turns"]]
