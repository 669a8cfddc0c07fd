"""A training run as a directory: what it holds, when it ends, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import threesil
from samples import ROBINSON
from small_runs import assert_same_run, config, create, go_on, resumed
from threesil.engine import Batch, Stop
from threesil.errors import InputError
from threesil.kernel.proof import certify
from threesil.learn import train as workflow
from threesil.learn.task import Task, make_task, read_config
from threesil.nets.policy import Policy
from threesil.problems.files import load_problems
from threesil.runs.checkpoint import checkpoints, read_checkpoint
from threesil.runs.run import Run


def test_a_run_leaves_its_files(finished: Path, task: Task) -> None:
    names = {p.name for p in finished.iterdir()}
    (events,) = (name for name in names if name.startswith("events."))
    assert names == {
        "run.json",
        "problems.jsonl",
        "config.toml",
        "checkpoints",
        "metrics.jsonl",
        "history.jsonl",
        "model.safetensors",
        events,
    }
    assert (finished / events).stat().st_size > 0
    facts = json.loads((finished / "run.json").read_text())
    assert {key: facts[key] for key in task.notes} == task.notes
    assert task.notes == {
        "theory": "robinson",
        "method": "3sil",
        "seed": 3,
        "problems": "terms.tsv",
    }
    assert facts["version"] == threesil.__version__
    assert facts["digest"] == ROBINSON.digest
    assert read_config(Run(finished)) == config()
    assert [p.name for p in checkpoints(finished / "checkpoints")] == [
        "epoch-000005.safetensors",
        "epoch-000006.safetensors",
    ]
    assert len(list((finished / "checkpoints").iterdir())) == 2


def test_a_run_ends_when_its_cpu_time_is_spent(task: Task, tmp_path: Path) -> None:
    run = create(tmp_path / "run", task, config(ME=1000, cpu_seconds=0.2))
    assert run.train()
    spent = [row["cpu"] for row in Run(run.run.directory).metrics()]
    assert sum(spent) >= 0.2 > sum(spent[:-1])
    assert (run.run.directory / "model.safetensors").exists()
    again = resumed(run.run.directory)
    assert again.train()  # what was spent before counts
    assert len(Run(run.run.directory).metrics()) == len(spent)


def test_metrics_tell_the_story(finished: Path) -> None:
    rows = Run(finished).metrics()
    assert [row["epoch"] for row in rows] == list(range(6))
    for row in rows:
        assert 0 <= row["success"] <= 1
        assert 1 <= row["level"] <= 3
        assert row["episodes"] == 50
        assert row["steps"] > 0
        assert row["problems"] == 30
        assert row["seconds"] > 0
        assert row["cpu"] > 0
        assert row["loss"] > 0
    solved = [row["solved"] for row in rows]
    assert solved == sorted(solved)
    assert solved[-1] > 5


def test_tensorboard_reads_the_same_metrics(finished: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished))
    events.Reload()
    rows = Run(finished).metrics()
    for key in ("success", "solved", "loss", "level"):
        scalars = events.Scalars(key)
        assert [s.step for s in scalars] == [row["epoch"] for row in rows]
        assert [s.value for s in scalars] == pytest.approx([row[key] for row in rows])


def test_the_history_is_made_of_proofs(finished: Path, problem_file: Path) -> None:
    problems = {p.name: p for p in load_problems(problem_file, ROBINSON)}
    lines = [json.loads(line) for line in (finished / "history.jsonl").read_text().splitlines()]
    for line in lines:
        problem = problems[line["problem"]]
        batch = Batch(ROBINSON, [problem])
        certify(ROBINSON, problem, batch.derivation_of(0, line["actions"]))
    assert len({line["problem"] for line in lines}) == Run(finished).metrics()[-1]["solved"]


def test_the_weights_say_how_they_were_made(finished: Path, task: Task) -> None:
    model = Policy.load(finished / "model.safetensors", ROBINSON)
    assert model.notes["epochs"] == 6
    assert model.notes["config"] == vars(config())
    assert {key: model.notes[key] for key in task.notes} == task.notes
    arrays, _ = read_checkpoint(checkpoints(finished / "checkpoints")[-1])
    np.testing.assert_array_equal(model.parameters, arrays["agent.parameters"])


def test_a_run_can_end_with_its_last_level(task: Task, tmp_path: Path) -> None:
    easy = config(ME=40, threshold=0.0, stop_at_end=True)
    run = create(tmp_path / "run", task, easy)
    assert run.train()
    assert run.curriculum.finished
    assert run.epoch < 40
    assert Run(run.run.directory).metrics()[-1]["finished"]
    assert go_on(run.run.directory).epoch == run.epoch


def test_a_finished_run_has_nothing_to_do(finished: Path, copy: Path) -> None:
    run = go_on(copy)
    assert run.epoch == 6
    assert not run.warnings
    assert_same_run(copy, finished)


def test_a_run_that_is_stopped_at_once_begins_no_epoch(task: Task, tmp_path: Path) -> None:
    run, stop = create(tmp_path / "run", task, config()), Stop()
    stop.set()
    assert not run.train(stop=stop)
    assert not list(run.run.directory.glob("events.*"))


# Refused


def test_a_directory_holds_one_run(copy: Path, task: Task) -> None:
    before = {p: p.read_bytes() for p in copy.iterdir() if p.is_file()}
    with pytest.raises(InputError, match="holds a run already; resume it with --resume"):
        create(copy, task, config(ME=9))
    assert {p: p.read_bytes() for p in copy.iterdir() if p.is_file()} == before


def test_no_run_in_a_directory(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match=r"is not a training run: it has no run\.json"):
            resumed(directory)


def test_unknown_methods_and_problem_sets_leave_no_directory(
    problem_file: Path, tmp_path: Path
) -> None:
    file = str(problem_file)
    for theory, method, problems, message in (
        ("robinson", "magic", file, "unknown method 'magic'; expected one of 3s"),
        ("robinson", "3sil", "nothing", "no file and no problem set 'nothing'"),
        ("nothing", "3sil", file, "unknown theory 'nothing'"),
    ):
        with pytest.raises(InputError, match=message):
            workflow.train(theory, method=method, problems=problems, out=tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_problems_that_are_solved_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("3\n")
    task = make_task("robinson", "3sil", 3, str(tmp_path / "terms.tsv"))
    assert create(tmp_path / "run", task, config()).train()
