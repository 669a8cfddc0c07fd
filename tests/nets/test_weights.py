"""Models as files: what is written is read again, and nothing else is taken for a model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from commands import HELPERS
from nets.walks import SHAPES, SMALL, lively_parameters, network, walk
from samples import AIM, GROUPS_FILE, POLYNOMIAL, ROBINSON, THEORIES
from threesil.engine import Shape
from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.nets.policy import Policy
from threesil.nets.tensors import pack, unpack
from threesil.runs.weights import bundled_policy, find_policy
from threesil.theories import get_theory

NOTES = {"seed": 7, "epochs": 3, "config": {"k": 1, "noise": 0.05}, "text": "5 ≤ n"}


def model(theory: Theory = ROBINSON, shape: Shape = SMALL) -> Policy:
    return Policy(theory, shape, lively_parameters(theory, shape), NOTES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model of Robinson arithmetic in a file."""
    model().save(tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"n={shape.size}")
def test_weights_are_read_as_they_were_written(
    theory: Theory, shape: Shape, tmp_path: Path
) -> None:
    written = model(theory, shape)
    written.save(tmp_path / "deep" / "down" / "model.safetensors")
    read = Policy.load(tmp_path / "deep" / "down" / "model.safetensors", theory)
    assert read.theory is theory
    assert (read.shape, read.notes) == (shape, NOTES)
    np.testing.assert_array_equal(read.parameters, written.parameters)
    walked = walk(theory, 20, seed=1)
    np.testing.assert_array_equal(
        walked.batch.logits(read.network()), walked.batch.logits(network(theory, shape))
    )
    assert [p.name for p in (tmp_path / "deep" / "down").iterdir()] == ["model.safetensors"]


def test_saving_again_replaces_the_file(path: Path) -> None:
    other = replace(model(), parameters=lively_parameters(ROBINSON, seed=9), notes={})
    other.save(path)
    read = Policy.load(path, ROBINSON)
    assert read.notes == {}
    np.testing.assert_array_equal(read.parameters, other.parameters)


def test_a_full_disk_leaves_the_file_that_was_there(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace(model(), notes={}).save(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_weights_can_be_read_by_those_the_umask_allows(path: Path) -> None:
    plain = path.parent / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


# Refused


def refused(path: Path, theory: Theory = ROBINSON) -> str:
    with pytest.raises(InputError) as caught:
        Policy.load(path, theory)
    assert caught.value.source == str(path)
    return caught.value.message


def test_weights_of_another_theory_are_refused_by_name(path: Path) -> None:
    for theory in (POLYNOMIAL, AIM):
        message = refused(path, theory)
        assert "weights of robinson" in message
        assert theory.name in message


def test_weights_of_a_changed_theory_are_refused(tmp_path: Path) -> None:
    """The name of a theory does not tell; its equations and actions do."""
    (tmp_path / "groups.thy").write_text(GROUPS_FILE)
    theory = get_theory(tmp_path / "groups.thy")
    shape = Shape()
    Policy(theory, shape, lively_parameters(theory, shape)).save(tmp_path / "model")
    Policy.load(tmp_path / "model", theory)
    (tmp_path / "groups.thy").write_text(GROUPS_FILE.replace("i(x) * x = e", "x * i(x) = e"))
    changed = get_theory(tmp_path / "groups.thy")
    assert changed.name == theory.name
    assert "made for other equations or actions" in refused(tmp_path / "model", changed)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.5, 0.9999])
def test_a_truncated_file_is_refused(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "damaged" in refused(path)


def test_a_file_that_is_something_else_is_refused(path: Path, tmp_path: Path) -> None:
    for content in (b"", b"hello", b"\0" * 100, b"\xff" * 100, b"PK\3\4" + b"x" * 5000):
        path.write_bytes(content)
        refused(path)
    save_file({"a": np.zeros(3)}, path)
    assert "not weights of threesil" in refused(path)
    save_file({"a": np.zeros(3)}, path, {"format": "threesil-checkpoint-1"})
    assert "not weights of threesil" in refused(path)
    assert "no such file" in refused(tmp_path / "nothing")
    refused(tmp_path)


def test_no_flipped_bit_of_the_header_goes_through(path: Path) -> None:
    """Each flip is refused, or harmless: in the notes, say."""
    content = path.read_bytes()
    header = 8 + int.from_bytes(content[:8], "little")
    random = Random(3)
    refusals = 0
    positions = [*range(16), *random.sample(range(header), 400)]
    for position in positions:
        flipped = bytearray(content)
        flipped[position] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        try:
            read = Policy.load(path, ROBINSON)
        except InputError:
            refusals += 1
            continue
        assert read.shape == SMALL
        np.testing.assert_array_equal(read.parameters, lively_parameters(ROBINSON))
    assert refusals > 0.5 * len(positions)


Tensors = dict[str, np.ndarray]
Description = dict[str, Any]


def rewrite(path: Path, change: Callable[[Tensors, Description], Any]) -> None:
    tensors, description = unpack(path, "model")
    change(tensors, description)
    path.write_bytes(pack(tensors, description))


def leaf(tensors: Tensors, array: np.ndarray) -> None:
    tensors["leaf.0"] = array


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t, m: t.pop("predictor.policy.bias"), "predictor.policy.bias should be (9,)"),
        (lambda t, m: leaf(t, np.zeros(17, np.float32)), "leaf.0 should be (16,)"),
        (lambda t, m: leaf(t, t["leaf.0"].reshape(4, 4)), "leaf.0 should be (16,)"),
        (lambda t, m: leaf(t, t["leaf.0"].astype(np.float64)), "leaf.0 should be (16,) of float32"),
        (lambda t, m: leaf(t, t["leaf.0"] * np.nan), "leaf.0 holds what is no number"),
        (lambda t, m: leaf(t, t["leaf.0"] + np.inf), "leaf.0 holds what is no number"),
        (lambda t, m: m.update(shape={"size": 32}), "leaf.0 should be (32,)"),
        (lambda t, m: m.update(shape={"depth": 2}), "depth"),
        (lambda t, m: m.update(shape={"size": "16"}), "size should be a number"),
        (lambda t, m: m.update(shape={"size": -16}), "size should be a number"),
        (lambda t, m: m.update(shape={"hidden": 10**18}), "hidden should be a number"),
        (lambda t, m: m.update(shape={"size": True}), "size should be a number"),
        (lambda t, m: m.update(shape={"value": 1}), "value should be true or false"),
        (lambda t, m: m.update(shape=16), "damaged"),
        (lambda t, m: m.update(shape=[1]), "damaged"),
        (lambda t, m: m.update(notes=5), "damaged"),
        (lambda t, m: m.pop("shape"), "damaged"),
        (lambda t, m: m.pop("notes"), "damaged"),
        (lambda t, m: m.pop("digest"), "other equations"),
        (lambda t, m: m.update(digest=[]), "other equations"),
        (lambda t, m: m.pop("format"), "not weights of threesil"),
    ],
    ids=range(21),
)
def test_what_does_not_fit_is_refused(
    path: Path, change: Callable[[Tensors, Description], Any], message: str
) -> None:
    rewrite(path, change)
    assert message in refused(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "null", "[" * 100_000, '{"format": NaN}'])
def test_a_description_that_is_none_is_refused(path: Path, text: str) -> None:
    tensors, _ = unpack(path, "model")
    save_file(tensors, path, {"threesil": text})
    refused(path)


# Bytes


def test_equal_weights_are_equal_files(path: Path, tmp_path: Path) -> None:
    """In a process of its own, where hashes differ."""
    code = (
        "from pathlib import Path; from nets.test_weights import model; "
        f"model().save(Path({str(tmp_path / 'other')!r}))"
    )
    environment = {**os.environ, "PYTHONPATH": HELPERS, "PYTHONHASHSEED": "77"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert (tmp_path / "other").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_bundled_policys_are_written_as_they_are_now(theory: Theory, tmp_path: Path) -> None:
    bundled = bundled_policy(theory)
    assert bundled is not None
    bundled.save(tmp_path / "again")
    kept = files("threesil.nets") / "bundled" / f"{theory.name}.safetensors"
    assert (tmp_path / "again").read_bytes() == kept.read_bytes()


# Where models are


def test_weights_are_found_in_runs_and_files(path: Path) -> None:
    for which in (path, path.parent):
        found = find_policy(str(which), ROBINSON)
        np.testing.assert_array_equal(found.parameters, lively_parameters(ROBINSON))


def test_no_weights_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    for which in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="expected a finished run or a file of weights"):
            find_policy(str(which), ROBINSON)


def test_a_theory_of_ones_own_has_no_bundled_policy(tmp_path: Path) -> None:
    (tmp_path / "groups.thy").write_text(GROUPS_FILE)
    with pytest.raises(InputError, match="threesil train FILE"):
        find_policy(None, get_theory(tmp_path / "groups.thy"))
