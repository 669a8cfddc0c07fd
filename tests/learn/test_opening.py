"""Which searches a schedule begins with, and how many lemmas they take."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from threesil.engine import Budget
from threesil.errors import InputError
from threesil.kernel.theory import Problem
from threesil.learn import lemma_choice
from threesil.learn.growing import derived
from threesil.learn.lemma_choice import choose_amounts
from threesil.learn.what_helps import LONGEST, choose_opening, search_times
from threesil.problems.files import parse_problem
from threesil.runs.run import Run
from threesil.search.best import TAKE_LEMMAS
from threesil.search.learned import Learned
from threesil.search.searcher import Searcher
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

GROUPS = get_theory("groups")
NEVER = math.inf


def names(opening: tuple[tuple[str, float], ...]) -> list[str]:
    return [name for name, _ in opening]


def test_what_proves_the_most_for_its_time_comes_first() -> None:
    times = {"whole": [0.01] * 8, "saturate": [0.0003] * 4 + [NEVER] * 4}
    opening = choose_opening(times)
    assert names(opening) == ["saturate", "whole"]
    assert 0.0003 < opening[0][1] < 0.0006 and 0.01 < opening[1][1] < 0.016
    many = {**times, "whole": [0.0004] * 8}
    assert names(choose_opening(many)) == ["whole"]


def test_a_search_resumes_where_it_stopped_but_the_guided_one_begins_anew() -> None:
    first, later = [0.0003] * 9 + [NEVER], [NEVER] * 9 + [0.004]
    between = [NEVER] * 9 + [0.006]
    for name in ("saturate", "guided"):
        taken = [min(pair) for pair in zip(first, later, strict=True)]
        opening = choose_opening({name: taken, "whole": between})
        assert names(opening) == [name]  # its turns are one
        assert (opening[0][1] > 0.0048) and (opening[0][1] < 0.0065)


def test_an_opening_ends() -> None:
    assert choose_opening({}) == ()
    assert choose_opening({"whole": [NEVER, 1.0]}) == ()
    grown = {name: [0.0005 * k for k in range(1, 60)] for name in ("whole", "complete")}
    assert 0 < sum(seconds for _, seconds in choose_opening(grown)) <= LONGEST


def test_each_search_takes_as_many_lemmas_as_make_it_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    lemmas = tuple(derived(GROUPS, considered=100))
    assert len(lemmas) > 12
    best = {"saturate": 5, "whole": len(lemmas)}

    def time_of(search: Searcher, problem: Problem, limit: float, stop: object) -> float:
        more = len(search.theory.equations) - len(GROUPS.equations)
        kind = search.name if search.name == "saturate" else "whole"
        return 0.001 * (1 + abs(more - best[kind]))

    monkeypatch.setattr(lemma_choice, "time_of", time_of)
    problems = [lemma.problem for lemma in lemmas]
    amounts = choose_amounts(Learned(GROUPS, lemmas), problems, 60.0)
    assert amounts["saturate"] == 5
    assert amounts["whole"] == amounts["complete"] == min(80, len(lemmas))
    assert choose_amounts(Learned(GROUPS), problems, 60.0) == dict.fromkeys(TAKE_LEMMAS, 0)


def test_best_begins_with_its_opening() -> None:
    loops = get_theory("moufang")
    lemmas = tuple(derived(loops, considered=100))
    opening = (("complete", 0.002), ("saturate", 0.001))
    learned = Learned(loops, lemmas, amounts={"complete": 0}, opening=opening)
    times = search_times(learned, [lemmas[-1].problem])
    assert list(times) == list(TAKE_LEMMAS) and all(len(taken) == 1 for taken in times.values())
    false = parse_problem("x * y = y * x", loops)
    for budget in (Budget(400, None), Budget(None, 0.5)):
        best = make_solver("best", loops, weights=learned, refute=False)
        turns = best.solve(false, budget).turns
        assert [turn.solver for turn in turns][:2] == ["complete", "saturate"]
    assert Learned(loops, lemmas).digest != learned.digest


def test_completion_cites_lemmas_and_decides_with_them() -> None:
    lemmas = tuple(derived(GROUPS, considered=100))
    amounts = {"whole": len(lemmas), "complete": len(lemmas)}
    learned = Learned(GROUPS, lemmas, amounts=amounts, opening=(("whole", 5.0),))
    best = make_solver("best", GROUPS, weights=learned, refute=False)
    goal = parse_problem("i(x * (y * i(z))) = z * (i(y) * i(x))", GROUPS)
    proof = best.solve(goal, Budget(None, 20.0)).proof
    assert proof is not None and proof.theory is GROUPS and not proof.known
    assert any(lemma.problem.name in learned.by_name for lemma in proof.lemmas)
    false = best.solve(parse_problem("x * y = y * x", GROUPS), Budget(None, 20.0))
    assert false.refuted and false.system is not None


@pytest.mark.parametrize(
    "text",
    ['{"lemmas": {"whole": "x"}}', '{"opening": [["whole"]]}', '{"opening": 3}', "[1]", "{"],
)
def test_a_damaged_judgement_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "learned.json").write_text('{"lemmas": {"whole": 5}, "opening": [["whole", 0.1]]}')
    found = Run(tmp_path).judgement()
    assert (found.helps, found.policy, found.lemmas) == (True, True, {"whole": 5})
    (tmp_path / "learned.json").write_text(text)
    with pytest.raises(InputError, match=r"learned.json"):
        Run(tmp_path).judgement()
