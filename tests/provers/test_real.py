"""Prover9 and E themselves."""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

import pytest

from samples import AIM, POLYNOMIAL, easy_problems, equation, written
from threesil.errors import MissingTool
from threesil.kernel.outcome import SZS
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Goal, Move, Problem, Signature, Theory
from threesil.problems.sets import load_set
from threesil.provers.base import ExternalProver, Task
from threesil.provers.registry import find

NAMES = ("prover9", "prover9-default", "e", "e-auto")
each_name = pytest.mark.parametrize("name", NAMES)


def real(name: str) -> ExternalProver:
    try:
        return find(name)
    except MissingTool as error:
        pytest.skip(str(error))


@each_name
def test_easy_problems(name: str) -> None:
    prover = real(name)
    for problem in easy_problems(AIM):
        outcome = prover.run(Task(AIM, problem), 20)
        assert outcome.status == SZS.THEOREM, (problem.name, outcome)
        assert outcome.words
        assert outcome.cpu_seconds > 0


@each_name
def test_symbols_that_look_like_variables(name: str) -> None:
    """In the theory of polynomials x, y and z are constants."""
    (problem,) = (p for p in easy_problems(POLYNOMIAL) if p.name == "(x + 0) * 1")
    assert real(name).run(Task(POLYNOMIAL, problem), 20).claimed


@each_name
def test_what_is_not_a_theorem(name: str) -> None:
    outcome = real(name).run(Task(AIM, equation("x * y = y * x")), 1)
    assert outcome.status in (SZS.TIMEOUT, SZS.GAVE_UP)


@pytest.mark.parametrize("name", ["e", "e-auto"])
def test_a_counterexample_is_a_claim(name: str, tmp_path: Path) -> None:
    """The search in a theory with a unit comes to its end."""
    unit = written(tmp_path, "Constants e.", "Axiom l: f(e,x) = x.", "Axiom r: f(x,e) = x.")
    outcome = real(name).run(Task(unit, equation("f(x,y) = f(y,x)", unit)), 20)
    assert (outcome.status, outcome.claimed) == (SZS.COUNTER_SATISFIABLE, True), outcome
    assert outcome.by == name


@each_name
def test_lemmas_are_assumptions(name: str) -> None:
    goal = equation("T(x,y) = x")
    lemma = equation("x * y = y * x")
    assert lemma.target is not None
    lemmas = (Equation("commutes", lemma.start, lemma.target, "known"),)
    outcome = real(name).run(Task(AIM, goal, lemmas), 20)
    assert outcome.claimed
    assert "commutes" in (outcome.words or "")


@pytest.mark.parametrize("name", ["prover9", "prover9-default"])
def test_hints_prove_nothing(name: str) -> None:
    goal = equation("x * y = y * x")
    assert goal.target is not None
    hints = (Equation("wish", goal.start, goal.target),)
    outcome = real(name).run(Task(AIM, goal, (), hints), 1)
    assert not outcome.claimed
    proved = real(name).run(Task(AIM, equation("T(e,x) = e"), (), hints), 20)
    assert proved.claimed


def test_memory(tmp_path: Path) -> None:
    outcome = real("prover9").run(Task(AIM, equation("x * y = y * x")), 60, 10)
    assert outcome.status == SZS.RESOURCE_OUT


@each_name
def test_versions(name: str) -> None:
    assert real(name).version()[0].isdigit()


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "recorded"), [("prover9", "prover9_kbo_2s"), ("prover9-default", "prover9_2s")]
)
def test_recorded_results(data: Path, name: str, recorded: str) -> None:
    """What the prover proved at once when it was recorded, it proves."""
    prover = real(name)
    rows = [line.split("\t") for line in (data / f"provers/results/{recorded}.tsv").open()]
    easy = {row[0] for row in rows if row[1] == "proved" and float(row[3]) < 0.05}
    problems = [problem for problem in load_set(AIM, "dev") if problem.name in easy]
    for problem in problems[:25]:
        assert prover.run(Task(AIM, problem), 30).claimed, problem.name


@each_name
def test_odd_names(name: str) -> None:
    """Names that clash with the prover's own syntax are written as something else."""
    operators = ["*", "/", "\\", "+", "-", "^", "@", "<=", "v"]
    constants = ["0", "x", "X", "e", "all", "exists", "if", "$T", "cnf", "end_of_list", "f'", "é"]
    functions = ["F", "z", "formulas", "label", "true", "_", "c1", "c_x", "mul"]
    symbols = dict.fromkeys(operators, 2) | dict.fromkeys(constants, 0)
    signature = Signature(symbols | dict.fromkeys(functions, 1), dict.fromkeys(operators, 1))
    term = var("x")
    for symbol in functions:
        term = app(symbol, term)
    for operator, constant in zip(cycle(operators), constants, strict=False):
        term = app(operator, term, app("*", app(constant), var("v")))
    axioms = (Equation("odd 'name'", term, var("A")), Equation("", app("e"), app("X")))
    theory = Theory("odd", "Odd", signature, axioms, (Move(0),), Goal.EQUATION)
    outcome = real(name).run(Task(theory, Problem("p", term, var("A"))), 20)
    assert outcome.claimed, outcome


def test_the_example_of_the_document_runs(capsys: pytest.CaptureFixture[str]) -> None:
    real("prover9")
    text = (Path(__file__).parents[2] / "docs" / "provers.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(example, "provers.md", "exec"), {})
    assert capsys.readouterr().out.startswith("Theorem True ")
