"""Where memory runs out: an outcome, never the end of the process; the next problem works."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proof_samples import GROUPS
from samples import AIM, equation, untrained
from threesil.engine import Budget, Found, Status
from threesil.kernel.outcome import OUT_OF_MEMORY, SZS
from threesil.kernel.theory import Problem
from threesil.measure.evaluate import evaluate
from threesil.problems.files import parse_problem
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.search.best import Unguided
from threesil.search.finite.finder import Finder
from threesil.search.ladder import Ladder
from threesil.search.searcher import Searcher
from threesil.search.single import Plain

_FULL = """
Theory full: Theories that completion never ends in.
Axiom one: f(f(x,y),f(z,f(x,w))) = f(f(y,z),f(w,x)).
Axiom two: f(f(x,x),g(y,x)) = g(f(y,x),f(x,g(y,y))).
Theorem hard: f(x,g(y,z)) = g(f(x,y),z).
"""
_WIDE = f"""
Theory wide: A class of more terms than memory has room for.
Axiom commutative: f(x,y) = f(y,x).
Axiom associative: f(f(x,y),z) = f(x,f(y,z)).
Theorem hard: {"".join(f"f(a{k}," for k in range(11))}b{")" * 11} = {"f(c," * 11}b{")" * 11}.
"""
_EASY = "f(f(x,y),f(z,f(x,w))) = f(f(y,z),f(w,x))"
_MEGABYTES = 10

# What a process with little memory does: prints JSON.
_HEAD = """
import json, sys
from pathlib import Path
from threesil.engine import Budget
from threesil.notations.reading import read
from threesil.problems.files import parse_problem
from threesil.work.machine import limit_memory
from threesil.search.solvers import make_solver
document = read(Path(sys.argv[1]))
theory, (problem,) = document.theory, document.problems
"""
_PROVE = """
options = {"refute": False} if sys.argv[2] == "best" else {}
solver = make_solver(sys.argv[2], theory, **options)
easy = parse_problem(sys.argv[4], theory)
assert solver.solve(easy, Budget(None, 60.0)).proved
limit_memory(int(sys.argv[3]))
outcomes = [solver.solve(one, Budget(None, 600.0)) for one in (problem, problem, easy)]
print(json.dumps([(one.status, one.reason) for one in outcomes]))
"""
_LONG_LIST = """
from threesil import _native
from threesil.engine.compiled import compile_theory
_, rules = compile_theory(theory)
codes = [1] * 20_000_000
limit_memory(16)
refused = []
for call in (
    lambda: _native.Problems(rules, [(codes, [])]),
    lambda: _native.Laws([2], 100, [(codes, [~0])]),
    lambda: _native.TermSearch(rules, False).prove(codes, 10, 1.0, 20, 6, 100, 10),
):
    try:
        call()
    except MemoryError:
        refused.append("MemoryError")
print(json.dumps(refused))
"""
_EVALUATE = """
from threesil.problems.sets import ProblemSet
from threesil.measure.evaluate import evaluate
from threesil.provers.request import Request
limit_memory(int(sys.argv[2]))
easy = parse_problem(sys.argv[3], theory)
found = evaluate(ProblemSet(theory, (problem, easy)), Request("complete"))
print(json.dumps([(row.status, row.reason) for row in found]))
"""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("theory") / "wide.thy"
    path.write_text(_WIDE)
    return path


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("theory") / "full.thy"
    path.write_text(_FULL)
    return path


def answers(program: str, *arguments: object) -> list[list[str]]:
    """What a program prints that is run by itself."""
    command = [sys.executable, "-c", _HEAD + program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("solver", ["complete", "select", "saturate", "plain", "best"])
def test_a_search_without_memory_has_an_outcome_and_the_next_one_works(
    solver: str, full: Path, wide: Path
) -> None:
    over_terms = solver in ("saturate", "plain")
    given, easy_one = (wide, "f(x,y) = f(y,x)") if over_terms else (full, _EASY)
    first, second, easy = answers(_PROVE, given, solver, _MEGABYTES, easy_one)
    assert first[0] == second[0] == "ResourceOut"
    assert "memory" in first[1] and "memory" in second[1]
    assert easy[0] == "Theorem"


def test_lists_that_memory_has_no_room_for_end_no_process(full: Path) -> None:
    assert answers(_LONG_LIST, full) == ["MemoryError"] * 3


def test_evaluation_writes_a_row_and_goes_on(full: Path) -> None:
    hard, easy = answers(_EVALUATE, full, _MEGABYTES + 14, _EASY)  # a thread needs some
    assert hard[0] == "ResourceOut" and "memory" in hard[1]
    assert easy[0] == "Theorem"


def test_the_command_says_so(full: Path) -> None:
    program = f"""
import threesil.cli.proving  # before the limit
from threesil.cli import main
limit_memory(int(sys.argv[2]))
sys.argv = ["threesil", "prove", {str(full)!r}, *"--solver complete --seconds 600 --json".split()]
sys.exit(main())
"""
    command = [sys.executable, "-c", _HEAD + program, str(full)]
    done = subprocess.run([*command, "24"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["status"] == "ResourceOut"
    # Not even the file can be read.
    done = subprocess.run([*command, "2"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "threesil: there is not enough memory for this"


class _Hungry(Searcher):
    """One that Python has no memory for."""

    name = "hungry"
    about = "asks for more memory than there is"

    def search(self, problem: Problem, budget: Budget) -> Found:
        np.empty(2**60, np.uint8)
        raise AssertionError


def test_python_without_memory_is_the_same() -> None:
    problem = parse_problem("x * y = y * x", GROUPS)
    outcome = _Hungry(GROUPS).solve(problem, Budget(10, 1.0))
    assert outcome.status is SZS.RESOURCE_OUT and outcome.reason == OUT_OF_MEMORY
    assert outcome.by == "hungry"


def _lacks(*_: object, **__: object) -> Found:
    raise MemoryError


def test_a_schedule_goes_on_without_the_search_that_has_no_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for search in ("prove", "_resume"):
        monkeypatch.setattr(f"threesil.engine.search.Saturation.{search}", _lacks)
    monkeypatch.setattr("threesil.search.best._LOOK_PLAIN", 0)
    problem = parse_problem("(e * x) * (e * y) = x * y", GROUPS)
    outcome = Unguided(GROUPS).solve(problem, Budget(5000, 20.0))
    assert outcome.proved
    assert "memory" in {turn.status for turn in outcome.turns}


def test_a_schedule_of_which_nothing_is_left_is_out_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for search in ("CompletionRun.run", "Saturation.prove", "Saturation._resume"):
        owner = "completion" if search.startswith("Completion") else "search"
        monkeypatch.setattr(f"threesil.engine.{owner}.{search}", _lacks)
    problem = parse_problem("x * y = y * (x * x)", GROUPS)
    outcome = Unguided(GROUPS, refute=False).solve(problem, Budget(5000, 20.0))
    assert outcome.status is SZS.RESOURCE_OUT


def test_the_finder_of_models_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threesil.search.finite.finder.Finder._quick_try", _lacks)
    finder = Finder(GROUPS, [parse_problem("x * y = y * x", GROUPS)])
    for _ in range(2):
        sought = finder.run(Budget(1000, 5.0))
        assert sought.status is Status.MEMORY and sought.reason == OUT_OF_MEMORY


def test_episodes_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threesil.engine.core.Batch.play", _lacks)
    ladder = Ladder(AIM, untrained(AIM).network())
    problems = [equation("x * T(y,x) = y * x"), equation("e * x = x")]
    found = list(ladder.solve_all(problems, Budget(100, 5.0)))
    assert [one.status for one in found] == [SZS.RESOURCE_OUT] * 2


def test_a_completion_that_was_given_up_has_nothing_more_to_say(full: Path) -> None:
    program = """
from threesil.engine import Completion
run = Completion(theory).begin(problem)
limit_memory(24)
found = run.run(Budget(None, 60.0))
again = run.run(Budget(None, 60.0))
try:
    run.judged()
    said = "judged"
except ValueError as error:
    said = str(error)
print(json.dumps([found.status, again.status, run.rules(), run.lemmas([]), said, run.ended]))
"""
    first, again, rules, lemmas, said, ended = answers(program, full)
    assert first == again == Status.MEMORY
    assert not rules and not lemmas and ended
    assert "no proof" in said


# What nobody expected


class _Broken(Plain):
    """One with a mistake in it."""

    def search(self, problem: Problem, budget: Budget) -> Found:
        if problem.name == "broken":
            raise ZeroDivisionError("a mistake")
        return super().search(problem, budget)


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> ProblemSet:
    """Problems of which the second one meets the mistake, whatever solver is asked for."""
    monkeypatch.setattr(
        "threesil.provers.solvers.make_solver", lambda name, theory, **_: _Broken(theory)
    )
    texts = {"fine": "x * T(y,x) = y * x", "broken": "x * e = x", "last": "e * x = x"}
    made = [replace(equation(text), name=name) for name, text in texts.items()]
    return ProblemSet(AIM, tuple(made))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_is_a_row_that_names_it_and_others_go_on(workers: int, three: ProblemSet) -> None:
    rows = evaluate(three, Request("plain", expansions=300), workers=workers)
    assert [row.status for row in rows] == [SZS.THEOREM, SZS.ERROR, SZS.THEOREM]
    assert rows[1].reason.startswith("ZeroDivisionError: a mistake (test_memory.py, line ")
