"""Damaged, foreign and hostile files, and full disks: a message, and what was good stays."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from samples import POLYNOMIAL
from small_runs import assert_same_run, config, create, damage, go_on, resumed, unfinish
from threesil.errors import InputError
from threesil.learn.plots import plot_runs
from threesil.learn.task import Task, make_task
from threesil.notations.infix import format_term
from threesil.problems.sets import sample_set
from threesil.runs.checkpoint import checkpoints, read_checkpoint, write_checkpoint
from threesil.runs.run import Run
from workers import Command


@pytest.mark.parametrize("how", ["truncated", "empty", "flipped", "header"])
def test_a_damaged_checkpoint_is_passed_over(finished: Path, copy: Path, how: str) -> None:
    unfinish(copy)
    newest = checkpoints(copy / "checkpoints")[-1]
    damage(newest, how)
    run = resumed(copy)
    assert run.epoch == 5
    (warning,) = run.warnings
    assert str(newest) in warning
    assert "damaged" in warning
    assert "the one before it is used" in warning
    assert run.train()
    assert_same_run(copy, finished)
    assert not resumed(copy).warnings


def test_without_a_good_checkpoint_a_run_starts_over(finished: Path, copy: Path) -> None:
    unfinish(copy)
    for path in checkpoints(copy / "checkpoints"):
        damage(path, "flipped")
    run = resumed(copy)
    assert (run.epoch, run.curriculum.level, run.method.solved) == (0, 1, 0)
    assert len(run.warnings) == 2
    assert run.train()
    assert_same_run(copy, finished)


def test_no_flipped_bit_of_a_checkpoint_goes_through(copy: Path) -> None:
    path = checkpoints(copy / "checkpoints")[-1]
    content = path.read_bytes()
    header = 8 + int.from_bytes(content[:8], "little")
    random = Random(2)
    for _ in range(150):
        flipped = bytearray(content)
        position = random.choice([random.randrange(header), random.randrange(len(content))])
        flipped[position] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        with pytest.raises(InputError):
            read_checkpoint(path)


Arrays = dict[str, np.ndarray]
Facts = dict[str, Any]


def forge(path: Path, change: Callable[[Arrays, Facts], Any]) -> None:
    """Writes a checkpoint anew, changed, with the right checksum."""
    arrays, facts = read_checkpoint(path)
    change(arrays, facts)
    write_checkpoint(path.parent, int(path.stem[-6:]), arrays, facts)


@pytest.mark.parametrize(
    "change",
    [
        lambda a, f: f.clear(),
        lambda a, f: f.update(epoch=5),
        lambda a, f: f.update(epoch="6"),
        lambda a, f: f.update(level=0),
        lambda a, f: f.update(level=10**30),
        lambda a, f: f.update(level=1.5),
        lambda a, f: a.clear(),
        lambda a, f: a.pop("agent.mean"),
        lambda a, f: a.update({"agent.parameters": a["agent.parameters"][:-1]}),
        lambda a, f: a.update({"agent.parameters": a["agent.parameters"] * np.nan}),
        lambda a, f: a.update({"agent.square": a["agent.square"].astype(np.float64)}),
        lambda a, f: a.update({"agent.updates": np.zeros(0, np.float32)}),
        lambda a, f: a.update({"history.actions": a["history.actions"][1:]}),
    ],
    ids=range(13),
)
def test_a_forged_checkpoint_is_passed_over(
    copy: Path, finished: Path, change: Callable[[Arrays, Facts], Any]
) -> None:
    forge(checkpoints(copy / "checkpoints")[-1], change)
    run = resumed(copy)
    assert run.epoch == 5
    (warning,) = run.warnings
    assert "checkpoint" in warning
    assert run.train()
    assert_same_run(copy, finished)


def test_a_forged_solution_is_left_out(copy: Path) -> None:
    def wrong(arrays: Arrays, _facts: Facts) -> None:
        arrays["history.problem"][0] = arrays["history.problem"][-1]

    solved = resumed(copy).method.solved
    forge(checkpoints(copy / "checkpoints")[-1], wrong)
    run = resumed(copy)
    assert (run.epoch, run.method.solved) == (6, solved - 1)
    (warning,) = run.warnings
    assert "a stored solution is no solution and is left out" in warning


@pytest.mark.parametrize("method", ["bc", "acer", "sil-paac"])
def test_forged_replays_are_refused(method: str, task: Task, tmp_path: Path) -> None:
    settings = config(method, ME=2, m=30, f=30)
    assert create(tmp_path / "run", replace(task, method=method), settings).train()
    path = checkpoints(tmp_path / "run" / "checkpoints")[-1]
    arrays, facts = read_checkpoint(path)
    changes: list[tuple[str, Callable[[np.ndarray], Any]]] = [
        ("replay.problem", lambda a: a + 1000),
        ("replay.problem", lambda a: a - 1000),
        ("replay.end", lambda a: a + 100),
        ("replay.length", lambda a: a - 1000),
        ("replay.length", lambda a: a + 2**62),
        ("replay.actions", lambda a: a + 50_000),
        ("replay.actions", lambda a: a[1:]),
    ]
    changes += [
        (name, lambda a: a[1:]) for name in ("replay.mu", "replay.priority") if name in arrays
    ]
    if method == "acer":
        changes.append(("average.parameters", lambda a: a[1:]))
        changes.append(("critic.agent.parameters", lambda a: a * np.nan))
    for name, change in changes:
        forged = {**arrays, name: np.ascontiguousarray(change(arrays[name]))}
        forged[name] = forged[name].astype(arrays[name].dtype)
        write_checkpoint(path.parent, 2, forged, facts)
        run = resumed(tmp_path / "run")
        assert run.epoch == 1, name
        assert "a damaged checkpoint" in run.warnings[0]


def test_new_checkpoints_stay_when_a_run_starts_over(copy: Path, finished: Path) -> None:
    """The damaged ones have higher numbers."""
    unfinish(copy)
    for path in checkpoints(copy / "checkpoints"):
        damage(path, "flipped")
    kept = []

    def progress(metrics: dict[str, Any]) -> None:
        kept.append([p.name[6:12] for p in checkpoints(copy / "checkpoints")])

    assert resumed(copy).train(progress)
    assert kept[:3] == [["000001"], ["000001", "000002"], ["000002", "000003"]]
    assert_same_run(copy, finished)


def test_a_directory_in_place_of_a_checkpoint_is_passed_over(copy: Path, finished: Path) -> None:
    unfinish(copy)
    newest = checkpoints(copy / "checkpoints")[-1]
    newest.unlink()
    newest.mkdir()
    run = resumed(copy)
    assert run.epoch == 5
    with pytest.raises(OSError, match="epoch-000006"):
        run.train()
    newest.rmdir()
    go_on(copy)
    assert_same_run(copy, finished)


def test_a_file_in_place_of_the_checkpoints_is_named(copy: Path) -> None:
    shutil.rmtree(copy / "checkpoints")
    (copy / "checkpoints").write_text("")
    with pytest.raises(InputError, match="not a directory of checkpoints; move it away"):
        resumed(copy)


def other_run(task: Task, directory: Path, **changes: Any) -> Path:
    """The last checkpoint of another run."""
    assert create(directory, task, config(ME=2, **changes)).train()
    return checkpoints(directory / "checkpoints")[-1]


def assert_foreign(copy: Path, foreign: Path) -> None:
    shutil.copy(foreign, copy / "checkpoints" / "epoch-000007.safetensors")
    run = resumed(copy)
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
    other = make_task("polynomial", "3sil", 3, str(tmp_path / "polynomials.tsv"))
    assert_foreign(copy, other_run(other, tmp_path / "other"))


@pytest.mark.parametrize("what", ["seed", "problems", "size"])
def test_a_checkpoint_of_another_run_is_refused(
    copy: Path, tmp_path: Path, task: Task, what: str
) -> None:
    other, changes = task, {}
    if what == "seed":
        other = replace(task, seed=4)
    elif what == "problems":
        other = replace(task, problems=task.problems[:3])
    else:
        changes = {"size": 32}
    assert_foreign(copy, other_run(other, tmp_path / "other", **changes))


# Descriptions and metrics

HOSTILE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00\x01" * 50,
    b"\x00" * 100,
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"theory": "robinson"}',
    b'{"theory": 1, "method": 2, "seed": "three"}',
    b'{"theory": "robinson", "method": "3sil", "seed": NaN}',
    b'{"theory": "robinson", "method": "3sil", "seed": 1e999}',
    b'{"theory": "robinson", "method": "3sil", "seed": ' + b"9" * 5000 + b"}",
    b'{"theory": "robinson", "theory": "aim", "method": "3sil", "seed": 1}',
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_description_is_refused(copy: Path, content: bytes) -> None:
    (copy / "run.json").write_bytes(content)
    for read in (
        resumed,
        lambda run: Run(run).facts,
        lambda run: plot_runs([Run(run)], copy / "x.png"),
    ):
        with pytest.raises(InputError, match=r"run\.json") as caught:
            read(copy)
        assert "start another run" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"seed": -1}, "start another run"),
        ({"seed": 10**30}, "start another run"),
        ({"seed": True}, "seed should be a whole number"),
        ({"source": None}, "source should be a text"),
        ({"source": "/etc/passwd"}, "source is no theory of this run"),
        ({"source": "theory/../../secret"}, "source is no theory of this run"),
        ({"source": "theory/.."}, "source is no theory of this run"),
        ({"source": "theory/nothing.thy"}, "there is no such file"),
        ({"source": "aim"}, "the theory changed since the run began"),
        ({"digest": 5}, "digest should be a text"),
        ({"digest": "5"}, "the theory changed since the run began"),
        ({"problem_digest": ""}, "the problems changed since the run began"),
        ({"config": None}, "config should be an object"),
        ({"stages": {"policy": 1}}, "stages should be an object"),
        ({"config": {"ME": "six"}}, "ME = 'six': expected an integer"),
        ({"config": {"ME": 10**400}}, "a number is too large"),
        ({"config": {"kk": 1}}, "unknown key kk"),
        ({"config": {}}, "the run began with"),
    ],
    ids=str,
)
def test_a_forged_description_is_refused(copy: Path, changes: Facts, message: str) -> None:
    facts = {**json.loads((copy / "run.json").read_text()), **changes}
    (copy / "run.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match=message):
        resumed(copy)


CONFIGS = [
    b"kk = 1\n",
    b"ME = \n",
    b"ME = 1\nME = 2\n",
    b"ME = nan\n",
    b"noise = nan\n",
    b"entropy_weight = inf\n",
    b"ME = 0x" + b"f" * 5000,
    b"ME = [0x" + b"f" * 5000 + b"]",
    b"ME = " + b"9" * 5000,
    b"ME = " + b"[" * 5000,
    b"[ME]\nx = 1\n",
    b"\xff\xfe",
    b"\x00\x00",
]


@pytest.mark.parametrize("content", CONFIGS, ids=range(len(CONFIGS)))
def test_a_hostile_configuration_is_refused(copy: Path, content: bytes) -> None:
    (copy / "config.toml").write_bytes(content)
    for read in (resumed, lambda run: plot_runs([Run(run)], copy / "picture.png")):
        with pytest.raises(InputError, match=r"config\.toml"):
            read(copy)


METRICS = [
    b"{}\n",
    b"[]\n",
    b'{"epoch": 0}\n',
    b'{"epoch": "0", "level": 1, "solved": 1, "success": 1}\n',
    b'{"epoch": 0.5, "level": 1, "solved": 1, "success": 1}\n',
    b'{"epoch": 0, "level": NaN, "solved": 1, "success": 1}\n',
    b'{"epoch": 0, "level": 1e999, "solved": 1, "success": 1}\n',
    b'{"epoch": 0, "level": 1, "solved": 1' + b"0" * 400 + b', "success": 1}\n',
    b'{"epoch": 0, "level": 1, "solved": true, "success": 1}\n',
    b'{"epoch": 0, "level": 1, "solved": 1, "success": 1}\n' * 2,
    b'{"epoch": 0, "epoch": 0, "level": 1, "solved": 1, "success": 1}\n',
    b"[" * 100_000 + b"\n",
    b"\xff\xfe\n",
    b"\x00\x00\n",
]


@pytest.mark.parametrize("content", METRICS, ids=range(len(METRICS)))
def test_hostile_metrics_are_refused(copy: Path, content: bytes) -> None:
    (copy / "metrics.jsonl").write_bytes(content)
    for read in (
        lambda run: Run(run).metrics(),
        lambda run: resumed(run).train(),
        lambda run: plot_runs([Run(run)], copy / "picture.png"),
    ):
        with pytest.raises(InputError, match=r"metrics\.jsonl") as caught:
            read(copy)
        assert "take out this line" in str(caught.value) or "move it away" in str(caught.value)


def test_metrics_that_were_moved_away_are_not_missed(copy: Path) -> None:
    (copy / "metrics.jsonl").unlink()
    go_on(copy, ME=7)
    assert [row["epoch"] for row in Run(copy).metrics()] == [6]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}\n",
        b'{"name": "p", "start": "nothing"}\n',
        b'{"name": "p", "start": "S"}\n',
        b'{"name": "p", "start": "0 0"}\n',
        b'{"name": "p", "start": ""}\n',
        b'{"name": "p", "start": 5}\n',
        b'{"name": "p", "start": "0", "exists": 5}\n',
        b"\xff\n",
    ],
    ids=range(9),
)
def test_hostile_problems_are_refused(copy: Path, content: bytes) -> None:
    (copy / "problems.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=r"the problems changed since the run began|not UTF-8"):
        resumed(copy)
    facts = json.loads((copy / "run.json").read_text())
    facts["problem_digest"] = hashlib.sha256(content).hexdigest()
    (copy / "run.json").write_text(json.dumps(facts))
    with pytest.raises(InputError, match=r"not the problems of a run|a run has problems|not UTF-8"):
        resumed(copy)


@pytest.mark.parametrize("name", ["run.json", "config.toml", "metrics.jsonl", "problems.jsonl"])
def test_a_directory_in_place_of_a_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    (copy / name).mkdir()
    with pytest.raises(InputError, match=name):
        resumed(copy).train()


# A full disk


def test_a_full_disk_leaves_the_last_checkpoint(
    finished: Path, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = create(tmp_path / "run", task, config())
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
    again = resumed(tmp_path / "run")
    assert (again.epoch, again.warnings) == (3, [])
    assert again.train()
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
