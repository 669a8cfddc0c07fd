"""A run keeps all that it was made from: it can be moved, resumed there, and used for proving."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from samples import AIM, THEORIES, problems, written
from small_runs import assert_same_run, config, create, go_on, resumed, unfinish
from threesil.errors import InputError
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of
from threesil.learn.task import SAMPLED, Task, make_task, read_task, write_task
from threesil.problems.sets import sample_set
from threesil.runs.checkpoint import checkpoints
from threesil.runs.problem_lines import read_problem
from threesil.runs.run import Run
from threesil.search.prover import Prover

UNITS = (
    "Constants e.",
    "Axiom left: e * x = x.",
    "Known right: x * e = x.",
    "Theorem p1: e * (x * e) = x.",
    "Theorem p2: (e * e) * x = x.",
)


def test_the_problem_file_is_not_needed_any_more(
    finished: Path, problem_file: Path, tmp_path: Path
) -> None:
    mine = Path(shutil.copy(problem_file, tmp_path / "terms.tsv"))
    task = make_task("robinson", "3sil", 3, str(mine))
    assert create(tmp_path / "run", task, config()).train()
    mine.unlink()
    moved = Path(shutil.move(tmp_path / "run", tmp_path / "moved"))
    unfinish(moved)
    checkpoints(moved / "checkpoints")[-1].unlink()
    assert go_on(moved).epoch == 6
    assert_same_run(moved, finished)


@pytest.mark.parametrize("lemma", ["", ":right"])
@pytest.mark.parametrize("zipped", [False, True])
def test_the_theory_file_is_not_needed_any_more(lemma: str, zipped: bool, tmp_path: Path) -> None:
    theory = written(tmp_path, *UNITS, name="units")
    file = tmp_path / "units.thy"
    if zipped:
        content = gzip.compress(file.read_bytes())
        file.unlink()
        file = tmp_path / "units.thy.gz"
        file.write_bytes(content)
    task = make_task(f"{file}{lemma}", "3sil", 3, str(file))
    assert create(tmp_path / "run", task, config(ME=1, level_size=0)).train()
    file.unlink()
    moved = Path(shutil.move(tmp_path / "run", tmp_path / "moved"))
    found = Run(moved).theory()
    assert found.name == f"units{lemma}"
    assert (found.digest == theory.digest) == (not lemma)
    assert go_on(moved, ME=2).epoch == 2
    if not lemma:
        prover = Prover(found, solver="guided", weights=moved)
        assert prover.prove("e * (x * e) = x", expansions=500).proved


def test_no_path_of_the_machine_is_written_down(finished: Path, problem_file: Path) -> None:
    for path in finished.rglob("*"):
        if path.is_file() and not path.name.startswith("events."):
            assert str(problem_file.parent).encode() not in path.read_bytes()


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_problems_are_read_as_they_were_written(theory: Theory, tmp_path: Path) -> None:
    given = (*problems(theory), *sample_set(theory, 20, seed=2))
    task = Task(theory, given, "3sil", 5, theory.name, "mine")
    write_task(Run(tmp_path), task, config(), {})
    read = read_task(Run(tmp_path))
    assert [(p.name, p.start, p.target) for p in read.problems] == [
        (p.name, p.start, p.target) for p in given
    ]
    assert (read.theory, read.seed, read.notes) == (theory, 5, task.notes)
    assert read.identity(config()) == task.identity(config(ME=9))


def test_symbols_and_variables_may_look_alike(tmp_path: Path) -> None:
    symbols = {"?f x": 1, "%20": 0, "é\n": 2}
    sides = app("?f x", var("x")), app("é\n", var("x"), app("%20"))
    equations = (Equation("one", *sides),)
    signature = Signature(symbols)
    actions = (*moves_of(signature), *rewrites_of(equations, Goal.EQUATION))
    theory = Theory("odd", "Odd", signature, equations, actions, Goal.EQUATION)
    odd = Problem("p\n", app("?f x", var("%20")), app("é\n", var("? y"), var("é\n")))
    task = Task(theory, (odd,), "3sil", 1, "odd", "odd")
    (line,) = task.problem_lines.splitlines()
    assert read_problem(line, theory) == odd


def test_a_changed_theory_is_refused(tmp_path: Path) -> None:
    written(tmp_path, *UNITS, name="units")
    file = str(tmp_path / "units.thy")
    task = make_task(file, "3sil", 3, file)
    assert create(tmp_path / "run", task, config(ME=1, level_size=0)).train()
    kept = tmp_path / "run" / "theory" / "units.thy"
    text = kept.read_text()
    kept.write_text(text + "Axiom two: x * e = e.\n")
    with pytest.raises(InputError, match="the theory changed since the run began"):
        resumed(tmp_path / "run")
    kept.write_text("Axiom")
    with pytest.raises(InputError, match=r"units\.thy"):
        resumed(tmp_path / "run")


def test_changed_problems_are_refused(copy: Path) -> None:
    path = copy / "problems.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    for changed in (lines[:-1], [*lines, lines[0]], [*lines[:-1], lines[0]]):
        path.write_text("".join(changed))
        with pytest.raises(InputError, match="the problems changed since the run began"):
            resumed(copy)


def test_random_problems_are_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threesil.learn.task._SAMPLES", 20)
    task = make_task("aim", "3sil", 1, SAMPLED)
    assert task.problem_set == SAMPLED
    assert len(task.problems) == 20
    assert task.theory is AIM
    write_task(Run(tmp_path), task, config(), {})
    facts = json.loads((tmp_path / "run.json").read_text())
    assert (facts["source"], facts["problems"]) == ("aim", "sampled")
    assert read_task(Run(tmp_path)).problem_lines == task.problem_lines
