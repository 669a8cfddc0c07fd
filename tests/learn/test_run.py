"""Training runs as directories: what they hold, and that nothing stops them for good."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from learn.workers import Command, start, train
from samples import POLYNOMIAL, ROBINSON, easy_problems
from threesil.engine import Batch
from threesil.errors import InputError
from threesil.formats.infix import format_term
from threesil.learn.checkpoint import checkpoints, read_checkpoint, write_checkpoint
from threesil.learn.config import Config, load_config, make_config
from threesil.learn.plots import label_of, plot_runs
from threesil.learn.records import find_runs, read_facts, read_metrics
from threesil.learn.run import Plan, Run
from threesil.nets import Model
from threesil.problems import load_problems, sample_set
from threesil.proof import certify

TINY = {
    "ME": 6,
    "m": 50,
    "f": 50,
    "NB": 5,
    "k": 2,
    "bias": 5.0,
    "prune": True,
    "level_size": 10,
    "threshold": 0.3,
    "evaluations": 20,
    "final_learning_rate": 0.0001,
    "width": 16,
    "threads": 1,
}


def config(**changes: Any) -> Config:
    return make_config({**TINY, **changes}, "")


@pytest.fixture(scope="module")
def problem_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty terms of Robinson arithmetic, the easiest first."""
    path = tmp_path_factory.mktemp("problems") / "terms.tsv"
    sampled = sorted(sample_set(ROBINSON, 60, seed=1), key=lambda p: p.start.size)
    chosen = [*easy_problems(ROBINSON)[:9], *sampled[:21]]
    lines = [format_term(p.start, ROBINSON.signature) for p in chosen]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def plan(problem_file: Path) -> Plan:
    return Plan("robinson", "3sil", 3, str(problem_file))


@pytest.fixture(scope="module")
def finished(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed. Tests leave it alone."""
    directory = tmp_path_factory.mktemp("finished") / "run"
    assert Run.create(directory, plan, config()).train()
    return directory


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """The same, to be spoilt."""
    return Path(shutil.copytree(finished, tmp_path / "copy"))


def metrics_of(directory: Path) -> list[dict[str, Any]]:
    """All that does not depend on the clock."""
    rows = read_metrics(directory)
    return [{key: row[key] for key in row if key != "seconds"} for row in rows]


def assert_same_run(a: Path, b: Path) -> None:
    """Weights, history and metrics, bit for bit."""
    for name in ("history.jsonl", "config.toml"):
        assert (a / name).read_bytes() == (b / name).read_bytes(), name
    models = [Model.load(d / "model.safetensors", ROBINSON) for d in (a, b)]
    assert models[0].parameters.tobytes() == models[1].parameters.tobytes()
    assert (models[0].shape, models[0].notes) == (models[1].shape, models[1].notes)
    assert metrics_of(a) == metrics_of(b)
    states = [checkpoints(d / "checkpoints")[-1] for d in (a, b)]
    assert states[0].name == states[1].name
    (mine, facts), (other, other_facts) = map(read_checkpoint, states)
    assert facts == other_facts
    assert mine.keys() == other.keys()
    for name in mine:
        np.testing.assert_array_equal(mine[name], other[name])


def unfinish(directory: Path) -> None:
    """Takes away what a run writes at its end."""
    for name in ("model.safetensors", "history.jsonl"):
        (directory / name).unlink()


def go_on(directory: Path) -> Run:
    """Resumes a run and trains it to its end."""
    run = Run.resume(directory)
    assert run.train()
    return run


# What a run holds


def test_a_run_leaves_its_files(finished: Path, plan: Plan) -> None:
    names = {p.name for p in finished.iterdir()}
    (events,) = (name for name in names if name.startswith("events."))
    assert names == {
        "run.json",
        "config.toml",
        "checkpoints",
        "metrics.jsonl",
        "history.jsonl",
        "model.safetensors",
        events,
    }
    assert (finished / events).stat().st_size > 0
    facts = json.loads((finished / "run.json").read_text())
    assert {key: facts[key] for key in vars(plan)} == vars(plan)
    assert facts["digest"] == ROBINSON.digest
    assert load_config(finished / "config.toml", ROBINSON) == config()
    assert [p.name for p in checkpoints(finished / "checkpoints")] == [
        "epoch-000005.safetensors",
        "epoch-000006.safetensors",
    ]
    assert len(list((finished / "checkpoints").iterdir())) == 2


def test_metrics_tell_the_story(finished: Path) -> None:
    rows = read_metrics(finished)
    assert [row["epoch"] for row in rows] == list(range(6))
    for row in rows:
        assert 0 <= row["success"] <= 1
        assert 1 <= row["level"] <= 3
        assert row["episodes"] == 50
        assert row["steps"] > 0
        assert row["problems"] == 30
        assert row["seconds"] > 0
        assert row["loss"] > 0
    solved = [row["solved"] for row in rows]
    assert solved == sorted(solved)
    assert solved[-1] > 5


def test_tensorboard_reads_the_same_metrics(finished: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished))
    events.Reload()
    rows = read_metrics(finished)
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
    assert len({line["problem"] for line in lines}) == read_metrics(finished)[-1]["solved"]


def test_the_model_says_how_it_was_made(finished: Path, plan: Plan) -> None:
    model = Model.load(finished / "model.safetensors", ROBINSON)
    assert model.notes["epochs"] == 6
    assert model.notes["config"] == vars(config())
    assert {key: model.notes[key] for key in vars(plan)} == vars(plan)
    arrays, _ = read_checkpoint(checkpoints(finished / "checkpoints")[-1])
    np.testing.assert_array_equal(model.parameters, arrays["agent.parameters"])


def test_the_seed_decides_everything(finished: Path, plan: Plan, tmp_path: Path) -> None:
    again = Run.create(tmp_path / "again", plan, config(width=5, threads=2))
    assert again.train()
    mine = Model.load(tmp_path / "again" / "model.safetensors", ROBINSON)
    theirs = Model.load(finished / "model.safetensors", ROBINSON)
    np.testing.assert_array_equal(mine.parameters, theirs.parameters)
    assert metrics_of(tmp_path / "again") == metrics_of(finished)
    other = Run.create(tmp_path / "other", Plan(plan.theory, "3sil", 4, plan.problems), config())
    assert other.train()
    assert metrics_of(tmp_path / "other") != metrics_of(finished)


def test_a_run_can_end_with_its_last_level(plan: Plan, tmp_path: Path) -> None:
    easy = config(ME=40, threshold=0.0, stop_at_end=True)
    run = Run.create(tmp_path / "run", plan, easy)
    assert run.train()
    assert run.curriculum.finished
    assert run.epoch < 40
    assert read_metrics(run.directory)[-1]["finished"]
    assert go_on(run.directory).epoch == run.epoch


def test_a_finished_run_has_nothing_to_do(finished: Path, copy: Path) -> None:
    run = go_on(copy)
    assert run.epoch == 6
    assert not run.warnings
    assert_same_run(copy, finished)


# Refused


def test_a_directory_holds_one_run(copy: Path, plan: Plan) -> None:
    before = {p: p.read_bytes() for p in copy.iterdir() if p.is_file()}
    with pytest.raises(InputError, match="holds a run already; go on with it by --resume"):
        Run.create(copy, plan, config(ME=9))
    assert {p: p.read_bytes() for p in copy.iterdir() if p.is_file()} == before


def test_no_run_in_a_directory(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match=r"is not a training run: it has no run\.json"):
            Run.resume(directory)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "can't be read"), ('{"theory": "robinson"}', "lacks method, problems, seed")],
)
def test_a_damaged_description_is_refused(copy: Path, text: str, message: str) -> None:
    (copy / "run.json").write_text(text)
    with pytest.raises(InputError, match=message):
        Run.resume(copy)


def test_a_damaged_configuration_is_refused(copy: Path) -> None:
    (copy / "config.toml").write_text("kk = 1\n")
    with pytest.raises(InputError, match="unknown key kk"):
        Run.resume(copy)


def test_changed_problems_are_refused(tmp_path: Path, problem_file: Path) -> None:
    mine = tmp_path / "mine.tsv"
    shutil.copy(problem_file, mine)
    plan = Plan("robinson", "3sil", 3, str(mine))
    assert Run.create(tmp_path / "run", plan, config(ME=1)).train()
    lines = mine.read_text().splitlines()
    for changed in (lines[:-1], [*lines, "0 + 0"], [*lines[:-1], "0 + 0"]):
        mine.write_text("\n".join(changed))
        with pytest.raises(InputError, match="the problems changed since the run began"):
            Run.resume(tmp_path / "run")
    mine.unlink()
    with pytest.raises(InputError, match=r"mine\.tsv"):
        Run.resume(tmp_path / "run")


def test_a_changed_theory_is_refused(tmp_path: Path) -> None:
    text = "Theory t: T.\nConstants e.\nAxiom unit: e * x = x.\nTheorem p: e * (e * x) = x.\n"
    theory, directory = tmp_path / "t.thy", tmp_path / "run"
    theory.write_text(text)
    plan = Plan(str(theory), "3sil", 3, str(theory))
    assert Run.create(directory, plan, config(ME=1, level_size=0)).train()
    Run.resume(directory)
    theory.write_text(text + "Axiom two: x * e = x.\n")
    with pytest.raises(InputError, match="the theory changed since the run began"):
        Run.resume(directory)


def test_unknown_methods_and_problem_sets_leave_no_directory(plan: Plan, tmp_path: Path) -> None:
    for wrong, message in (
        (Plan("robinson", "magic", 1, plan.problems), "unknown method 'magic'; expected one of 3s"),
        (Plan("robinson", "3sil", 1, "nothing"), "no file and no problem set 'nothing'"),
        (Plan("nothing", "3sil", 1, plan.problems), "unknown theory 'nothing'"),
    ):
        with pytest.raises(InputError, match=message):
            Run.create(tmp_path / "run", wrong, config())
        assert not (tmp_path / "run").exists()


def test_problems_that_are_solved_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("3\n")
    plan = Plan("robinson", "3sil", 3, str(tmp_path / "terms.tsv"))
    assert Run.create(tmp_path / "run", plan, config()).train()


# Stopped and killed


def test_a_run_that_is_stopped_goes_on_as_if_nothing_had_happened(
    finished: Path, plan: Plan, tmp_path: Path
) -> None:
    random = Random(1)
    directory = tmp_path / "run"
    run = Run.create(directory, plan, config())
    stops = 0
    while True:
        left = random.randint(1, 60)

        def stop() -> bool:
            nonlocal left
            left -= 1
            return left <= 0

        epoch = run.epoch
        if run.train(stop=stop):
            break
        assert run.epoch >= epoch
        assert not (directory / "model.safetensors").exists()
        assert [row["epoch"] for row in read_metrics(directory)] == list(range(run.epoch))
        stops += 1
        run = Run.resume(directory)
    assert stops >= 2
    assert_same_run(directory, finished)


@pytest.mark.parametrize("seed", range(2))
def test_a_run_that_is_killed_at_any_moment_goes_on_as_if_nothing_had_happened(
    finished: Path, plan: Plan, tmp_path: Path, seed: int
) -> None:
    """SIGKILL at a random function call, again and again, until the run gets through."""
    random = Random(seed)
    directory = tmp_path / "run"
    Run.create(directory, plan, config())
    kills = 0
    while True:
        process = start(train, directory, random.randint(5_000, 30_000 + 10_000 * kills))
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        kills += 1
        assert kills < 60
    assert kills >= 3
    assert_same_run(directory, finished)


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


def longer(plan: Plan) -> list[str]:
    """The arguments of a run whose epochs take a moment."""
    changes = {**TINY, "ME": 12, "m": 1000, "f": 1000, "NB": 40}
    settings = [f"--set={key}={str(value).lower()}" for key, value in changes.items()]
    return ["robinson", "--config=paper", "--problems", plan.problems, "--seed=3", *settings]


@pytest.fixture(scope="module")
def longer_finished(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("longer")
    done = Command(directory, "train", *longer(plan), "--out", "run").wait()
    assert done.returncode == 0, done.stderr
    assert "12 epochs" in done.stdout
    return directory / "run"


def epochs_done(directory: Path) -> int:
    found = checkpoints(directory / "checkpoints")
    return int(found[-1].stem.removeprefix("epoch-")) if found else 0


@pytest.mark.parametrize("how", ["interrupt", "kill"])
def test_the_command_can_be_ended_in_the_middle_of_an_epoch(
    how: str, longer_finished: Path, plan: Plan, tmp_path: Path
) -> None:
    random = Random(how)
    directory = tmp_path / "run"
    command = Command(tmp_path, "train", *longer(plan), "--out", "run")
    ended = 0
    for epoch in (1, 3, 6):
        wait_for(lambda epoch=epoch: epochs_done(directory) >= epoch)
        time.sleep(random.uniform(0, 0.05))
        if how == "kill":
            command.process.kill()
        else:
            command.interrupt()
        done = command.wait()
        assert "Traceback" not in done.stderr
        if done.returncode == 0:
            break  # it was faster
        if how == "kill":
            assert done.returncode == -signal.SIGKILL
        else:
            assert done.returncode == 1
            assert "stopping after this batch" in done.stderr
            stopped = f"stopped after epoch {epochs_done(directory)}; go on with: "
            assert done.stdout == f"{stopped}threesil train --resume run\n"
        assert not (directory / "model.safetensors").exists()
        ended += 1
        command = Command(tmp_path, "train", "--resume", "run")
    assert ended
    done = command.wait()
    assert done.returncode == 0, done.stderr
    assert_same_run(directory, longer_finished)


def test_lines_of_lost_epochs_are_forgotten(finished: Path, copy: Path) -> None:
    """The metrics are written before the checkpoint; a line may be cut off, too."""
    unfinish(copy)
    checkpoints(copy / "checkpoints")[-1].unlink()
    lines = (copy / "metrics.jsonl").read_text().splitlines(keepends=True)
    for text in ("".join(lines), "".join(lines)[:-30], "".join(lines[:5]) + '{"epo'):
        (copy / "metrics.jsonl").write_text(text)
        run = Run.resume(copy)
        assert run.epoch == 5
        assert run.train()
        assert_same_run(copy, finished)
        checkpoints(copy / "checkpoints")[-1].unlink()


# Damaged and foreign checkpoints


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "truncated":
        del content[len(content) // 2 :]
    elif how == "empty":
        content.clear()
    elif how == "flipped":
        content[-1000] ^= 1
    elif how == "header":
        content[3] ^= 255
    path.write_bytes(content)


@pytest.mark.parametrize("how", ["truncated", "empty", "flipped", "header"])
def test_a_damaged_checkpoint_is_passed_over(finished: Path, copy: Path, how: str) -> None:
    unfinish(copy)
    newest = checkpoints(copy / "checkpoints")[-1]
    damage(newest, how)
    run = Run.resume(copy)
    assert run.epoch == 5
    (warning,) = run.warnings
    assert str(newest) in warning
    assert "damaged" in warning
    assert "the one before it is used" in warning
    assert run.train()
    assert_same_run(copy, finished)
    assert not Run.resume(copy).warnings


def test_without_a_good_checkpoint_a_run_starts_over(finished: Path, copy: Path) -> None:
    unfinish(copy)
    for path in checkpoints(copy / "checkpoints"):
        damage(path, "flipped")
    run = Run.resume(copy)
    assert (run.epoch, run.curriculum.level, run.method.solved) == (0, 1, 0)
    assert len(run.warnings) == 2
    assert run.train()
    assert_same_run(copy, finished)


def test_no_flipped_bit_of_a_checkpoint_goes_through(copy: Path) -> None:
    path = checkpoints(copy / "checkpoints")[-1]
    content = path.read_bytes()
    header = 8 + int.from_bytes(content[:8], "little")
    spared = content.index(b'"facts"')  # see the next test
    random = Random(2)
    for _ in range(150):
        flipped = bytearray(content)
        position = random.choice([random.randrange(header), random.randrange(len(content))])
        if spared <= position < spared + 7:
            continue
        flipped[position] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        with pytest.raises(InputError):
            read_checkpoint(path)


def test_a_checkpoint_without_facts_is_refused(copy: Path) -> None:
    path = checkpoints(copy / "checkpoints")[-1]
    with safe_open(path, framework="numpy") as file:
        metadata = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    del metadata["facts"]
    save_file(tensors, path, metadata)
    with pytest.raises(InputError):
        read_checkpoint(path)


def other_run(plan: Plan, directory: Path, **changes: Any) -> Path:
    """The last checkpoint of another run."""
    assert Run.create(directory, plan, config(ME=2, **changes)).train()
    return checkpoints(directory / "checkpoints")[-1]


def assert_foreign(copy: Path, foreign: Path) -> None:
    shutil.copy(foreign, copy / "checkpoints" / "epoch-000007.safetensors")
    run = Run.resume(copy)
    (warning,) = run.warnings
    assert "a checkpoint of another run" in warning
    assert run.epoch == 6


def test_a_checkpoint_of_another_theory_is_refused(copy: Path, tmp_path: Path) -> None:
    lines = []
    for p in sample_set(POLYNOMIAL, 10, seed=1):
        assert p.target is not None
        sides = (format_term(t, POLYNOMIAL.signature) for t in (p.start, p.target))
        lines.append("\t".join(sides))
    (tmp_path / "polynomials.tsv").write_text("\n".join(lines))
    plan = Plan("polynomial", "3sil", 3, str(tmp_path / "polynomials.tsv"))
    assert_foreign(copy, other_run(plan, tmp_path / "other"))


@pytest.mark.parametrize("what", ["seed", "problems", "size"])
def test_a_checkpoint_of_another_run_is_refused(
    copy: Path, tmp_path: Path, plan: Plan, what: str
) -> None:
    seed, problems = plan.seed, plan.problems
    if what == "seed":
        seed += 1
    if what == "problems":
        problems = str(tmp_path / "other.tsv")
        Path(problems).write_text("0 + 0\n1 + 0\n0 * 1\n")
    other = Plan("robinson", "3sil", seed, problems)
    changes = {"size": 32} if what == "size" else {}
    assert_foreign(copy, other_run(other, tmp_path / "other", **changes))


# A full disk


def test_a_full_disk_leaves_the_last_checkpoint(
    finished: Path, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run", plan, config())
    before: dict[Path, bytes] = {}

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def progress(metrics: dict[str, Any]) -> None:
        if metrics["epoch"] == 2:
            found = (tmp_path / "run" / "checkpoints").iterdir()
            before.update({path: path.read_bytes() for path in found})
            monkeypatch.setattr("os.fsync", full)

    with pytest.raises(OSError, match="No space left"):
        run.train(progress)
    monkeypatch.undo()
    after = {p: p.read_bytes() for p in (tmp_path / "run" / "checkpoints").iterdir()}
    assert after == before
    resumed = Run.resume(tmp_path / "run")
    assert (resumed.epoch, resumed.warnings) == (3, [])
    assert resumed.train()
    assert_same_run(tmp_path / "run", finished)


def test_a_write_that_fails_half_way_leaves_the_last_checkpoint(finished: Path, copy: Path) -> None:
    """The checkpoint is longer than any file may be; the kernel cuts the write short."""
    unfinish(copy)
    newest = checkpoints(copy / "checkpoints")[-1]
    limit = newest.stat().st_size // 2
    newest.unlink()
    before = [(p.name, p.read_bytes()) for p in (copy / "checkpoints").iterdir()]
    done = Command(copy.parent, "train", "--resume", copy, file_size=limit).wait()
    assert done.returncode not in (0, 2)
    assert [(p.name, p.read_bytes()) for p in (copy / "checkpoints").iterdir()] == before
    assert not go_on(copy).warnings
    assert_same_run(copy, finished)


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    for epoch in (1, 2, 3, 10):
        write_checkpoint(tmp_path, epoch, {"a": np.arange(epoch)}, {"epoch": epoch})
    newest = checkpoints(tmp_path)
    assert [p.name for p in newest] == ["epoch-000003.safetensors", "epoch-000010.safetensors"]
    arrays, facts = read_checkpoint(newest[-1])
    np.testing.assert_array_equal(arrays["a"], np.arange(10))
    assert facts == {"epoch": 10}


# Looking at runs


def test_runs_are_found_where_they_are_and_right_below(finished: Path, copy: Path) -> None:
    assert list(find_runs([finished])) == [finished]
    assert list(find_runs([copy.parent, finished])) == [copy, finished]
    assert list(find_runs([copy.parent / "nothing"])) == []
    assert read_facts(copy)["method"] == "3sil"


def test_runs_are_drawn(finished: Path, copy: Path, tmp_path: Path) -> None:
    assert label_of(finished) == "robinson 3sil k=2, n=16, bias, pruning"
    for suffix, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        out = tmp_path / f"picture{suffix}"
        plot_runs([finished, copy], out)
        assert out.read_bytes().startswith(magic)
    with pytest.raises(InputError, match="can't write"):
        plot_runs([finished], tmp_path / "picture.nothing")
    (copy / "metrics.jsonl").unlink()
    plot_runs([finished, copy], tmp_path / "picture.png")
    with pytest.raises(InputError, match="none of the runs has finished an epoch"):
        plot_runs([copy], tmp_path / "picture.png")
