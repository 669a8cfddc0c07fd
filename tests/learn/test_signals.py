"""The command is ended in the middle of an epoch, and locked out by another."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from random import Random

import pytest

from small_runs import TINY, assert_same_run, hurry, tiny
from threesil.learn.train import resume
from threesil.runs.checkpoint import checkpoints
from waiting import wait_for_work, wait_until
from workers import Command


def longer(problem_file: Path) -> list[str]:
    """The arguments of a run whose epochs take a moment."""
    changes = {**TINY, "ME": 12, "m": 1000, "f": 1000, "NB": 40}
    settings = [f"--set={key}={str(value).lower()}" for key, value in changes.items()]
    return ["robinson", "--config=paper", "--problems", str(problem_file), "--seed=3", *settings]


@pytest.fixture(scope="module")
def longer_finished(problem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("longer")
    done = Command(directory, "train", *longer(problem_file), "--out", "run").wait()
    assert done.returncode == 0, done.stderr
    assert "12 epochs" in done.stdout
    return directory / "run"


def epochs_done(directory: Path) -> int:
    found = checkpoints(directory / "checkpoints")
    return int(found[-1].stem.removeprefix("epoch-")) if found else 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_command_can_be_ended_in_the_middle_of_an_epoch(
    how: signal.Signals, longer_finished: Path, problem_file: Path, tmp_path: Path
) -> None:
    random = Random(how.value)
    directory = tmp_path / "run"
    command = Command(tmp_path, "train", *longer(problem_file), "--out", "run")
    ended = 0
    for epoch in (1, 3, 6):
        wait_until(lambda epoch=epoch: epochs_done(directory) >= epoch)
        time.sleep(random.uniform(0, 0.05))
        command.send(how)
        done = command.wait()
        assert "Traceback" not in done.stderr
        if done.returncode == 0:
            break  # it was faster
        if how is signal.SIGKILL:
            assert done.returncode == -signal.SIGKILL
        else:
            assert done.returncode == 128 + how
            stopped = f"stopped after epoch {epochs_done(directory)}; resume it with: "
            assert done.stdout == f"{stopped}threesil train --resume run\n"
        assert not (directory / "model.safetensors").exists()
        ended += 1
        assert not [p for p in directory.rglob(".*") if how is not signal.SIGKILL]
        command = Command(tmp_path, "train", "--resume", "run")
    assert ended
    done = command.wait()
    assert done.returncode == 0, done.stderr
    assert_same_run(directory, longer_finished)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_command_can_be_ended_while_it_makes_problems(
    how: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = ("generated=40", "minutes=0", "ME=1", "NB=5", "expansions=50", "threads=1")
    asked = ["train", "groups", *(f"--set={setting}" for setting in settings), "--out", "run"]
    command = Command(tmp_path, *asked)
    measured = tmp_path / "run" / "measured.jsonl"
    wait_until(lambda: measured.exists() and measured.stat().st_size > 500)
    command.send(how)
    done = command.wait()
    assert "Traceback" not in done.stderr
    if how is signal.SIGKILL:
        assert done.returncode == -signal.SIGKILL
    else:
        assert done.returncode == 128 + how
        then = "resume it with: threesil train --resume run"
        assert done.stdout == f"stopped while problems were made; {then}\n"
    listed = Command(tmp_path, "runs", ".").wait()
    assert listed.returncode == 0 and "expert" in listed.stdout
    hurry(monkeypatch)
    resumed = resume(tmp_path / "run")
    assert resumed.finished and resumed.shares


HUGE = 10**9
ENDLESS = {
    "collection": ("robinson", "3sil", {"m": 3_000_000}),
    "tree searches": ("robinson", "3sil", {"m": 1, "search": 5, "expansions": HUGE, "steps": 1000}),
    "proofs": ("aim", "expert", {"m": 5, "expansions": HUGE}),
    "evaluation": ("robinson", "3sil", {"m": 1, "NB": 0, "evaluations": 10**6}),
}


@pytest.mark.parametrize(
    ("where", "how"),
    [
        ("collection", signal.SIGINT),
        ("tree searches", signal.SIGTERM),
        ("proofs", signal.SIGHUP),
        ("evaluation", signal.SIGINT),
    ],
)
def test_whatever_is_under_way_ends_at_once(
    where: str, how: signal.Signals, tmp_path: Path
) -> None:
    """Each would go on for hours."""
    theory, method, changes = ENDLESS[where]
    lines = ["x * y = y * x", "x = y"] if theory == "aim" else ["(9 * 9) * 81", "(8 * 9) * 72"]
    (tmp_path / "problems.txt").write_text("\n".join(lines))
    settings = [
        f"--set={key}={str(value).lower()}" for key, value in tiny(method, **changes).items()
    ]
    arguments = [theory, "--method", method, "--problems=problems.txt", "--config=paper", *settings]
    command = Command(tmp_path, "train", *arguments, "--set=threads=2", "--out", "run")
    wait_until((tmp_path / "run" / "run.json").exists)
    wait_for_work(command.process.pid, 1.0)
    assert command.process.is_alive()
    command.send(how)
    done = command.wait()
    assert done.returncode == 128 + how, done.stderr
    assert done.stdout == "stopped after epoch 0; resume it with: threesil train --resume run\n"
    assert not [p.name for p in (tmp_path / "run").iterdir() if p.name.startswith(".")]


def test_a_second_training_is_refused(
    longer_finished: Path, problem_file: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "run"
    first = Command(tmp_path, "train", *longer(problem_file), "--out", "run")
    wait_until((directory / "run.json").exists)
    (tmp_path / "other").mkdir()
    for arguments in (["--resume", directory], [*longer(problem_file), "--out", directory]):
        done = Command(tmp_path / "other", "train", *arguments).wait()
        assert done.returncode == 2
        assert not done.stdout
        assert "Traceback" not in done.stderr
        message = f"{directory} is being written to by another threesil (pid {first.process.pid})"
        assert message in done.stderr or f"{directory} holds a run already" in done.stderr
    assert first.wait().returncode == 0
    assert_same_run(directory, longer_finished)
