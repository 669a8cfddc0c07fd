"""Configurations: what they may say, and what is said about those that may not."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES
from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.learn.config import CONFIGS, SelectionConfig, ThreeSILConfig, load_config, make_config


def refused(which: Path | str, changes: dict[str, Any] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        load_config(which, ROBINSON, changes)
    assert str(which) in str(caught.value)
    return caught.value.message


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
@pytest.mark.parametrize("which", ["paper", "ours"])
def test_bundled_ones_load(theory: Theory, which: str) -> None:
    config = load_config(which, theory)
    assert make_config(ThreeSILConfig, asdict(config), "") == config
    assert load_config(which, theory, {"ME": 3, "noise": 0.5}) == make_config(
        ThreeSILConfig, {**asdict(config), "ME": 3, "noise": 0.5}, ""
    )


def test_the_papers_values() -> None:
    robinson, polynomial, aim = (load_config("paper", t) for t in (ROBINSON, POLYNOMIAL, AIM))
    assert (robinson.size, robinson.ME, robinson.threshold, robinson.k) == (16, 250, 0.95, 1)
    assert not robinson.train_leaves
    assert (robinson.bias, robinson.prune) == (1.0, False)
    assert (polynomial.size, polynomial.ME, polynomial.threshold) == (32, 750, 0.9)
    assert (polynomial.bias, polynomial.prune) == (5.0, True)
    assert (aim.m, aim.f, aim.NB, aim.ME, aim.steps, aim.level_size) == (
        2_000_000,
        10_000,
        500,
        100,
        30,
        0,
    )


def test_a_file_overrules_the_defaults_and_changes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("k = 4\nbias = 2  # an integer will do\nprune = true\n")
    config = load_config(path, ROBINSON, {"k": 5})
    assert config == make_config(ThreeSILConfig, {"k": 5, "bias": 2.0, "prune": True}, "")
    path.write_text("")
    assert load_config(path, ROBINSON) == ThreeSILConfig()


def test_every_key_survives_being_written(tmp_path: Path) -> None:
    """All values unlike the defaults, as far as there is room."""
    values: dict[str, Any] = {}
    for field in fields(ThreeSILConfig):
        default = field.default
        if isinstance(default, bool):
            values[field.name] = not default
        elif isinstance(default, int):
            values[field.name] = 2 * default
        else:
            values[field.name] = 1 / 3 if default <= 1 else default * 1.1
    values |= {"learning_rate": 1e-05, "final_learning_rate": 1.25e-7, "bias": 17.0}
    config = make_config(ThreeSILConfig, values, "")
    path = tmp_path / "config.toml"
    path.write_text(config.to_toml())
    assert load_config(path, ROBINSON) == config
    assert len(config.to_toml().splitlines()) == len(fields(ThreeSILConfig))
    path.write_text(ThreeSILConfig().to_toml())
    assert load_config(path, ROBINSON) == ThreeSILConfig()


@pytest.mark.parametrize("key", ["K", "epochs", "nb", "learning-rate", ""])
def test_unknown_keys_are_named_with_the_known_ones(tmp_path: Path, key: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'"{key}" = 1\n')
    message = refused(path)
    assert f"unknown key {key}" in message
    for field in fields(ThreeSILConfig):
        assert field.name in message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("k = 1.0", "k = 1.0: expected an integer"),
        ('k = "1"', "k = '1': expected an integer"),
        ("k = true", "k = True: expected an integer"),
        ("k = [1]", "k = [1]: expected an integer"),
        ("noise = true", "noise = True: expected a number"),
        ('noise = "little"', "noise = 'little': expected a number"),
        ("prune = 1", "prune = 1: expected true or false"),
        ("[network]\nsize = 16", "unknown key network"),
    ],
)
def test_wrong_types_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    assert message in refused(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("k = 0", "k = 0: expected 1 to 1000"),
        ("noise = 1.5", "noise = 1.5: expected 0 to 1"),
        ("noise = -0.1", "noise = -0.1: expected 0 to 1"),
        ("noise = nan", "noise = nan: expected 0 to 1"),
        ("threshold = inf", "threshold = inf: expected 0 to 1"),
        ("bias = 0.5", "bias = 0.5: expected 1 to 1000"),
        ("ME = -1", "ME = -1: expected 1 to 1000000"),
        ("threads = 0", "threads = 0: expected 1 to 64"),
        ("size = 24", "size = 24: expected a multiple of 16"),
        ("size = 0", "size = 0: expected 16 to 1024"),
        ("hidden = 17", "hidden = 17: expected a multiple of 16"),
        ("evaluations = 0", "evaluations = 0: expected 1 to 1000000"),
    ],
)
def test_values_out_of_range_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    assert message in refused(path)
    key, value = line.split(" = ")
    with pytest.raises(InputError, match=message.split(":")[0]):
        ThreeSILConfig(**{key: float(value) if set(value) - set("-0123456789") else int(value)})


@pytest.mark.parametrize(
    "line",
    [
        "search = -1",
        "expansions = 0",
        "final_learning_rate = -0.1",
        "learning_rate = inf",
    ],
)
def test_every_number_has_a_range(tmp_path: Path, line: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(line)
    assert "expected" in refused(path)


@pytest.mark.parametrize("text", ["k", "k = ", "k = 1 = 2", "k = 1\nk = 2", "{", "k: 1"])
def test_what_is_not_toml_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    message = refused(path)
    assert "not TOML" in message
    assert "line" in message or "document" in message


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    expected = "expected paper, ours or a file"
    assert expected in refused(tmp_path / "nothing.toml")
    assert expected in refused("papers")
    assert expected in refused(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"# \xe9\xff")
    assert expected in refused(tmp_path / "latin.toml")


def test_changes_are_checked_too() -> None:
    assert "unknown key kk" in refused("paper", {"kk": 1})
    assert "k = 0" in refused("paper", {"k": 0})


@pytest.mark.parametrize("key", ["which", "theory"])
def test_keys_named_like_parameters_are_unknown_too(key: str) -> None:
    assert f"unknown key {key}" in refused("paper", {key: 1})


@pytest.mark.parametrize(
    ("method", "key", "value"),
    [
        ("a2c", "gamma", 1.5),
        ("bc", "buffer", 0),
        ("ppo", "ppo_epochs", 0),
        ("acer", "acer_decay", float("nan")),
        ("sil-paac", "value_weight", -1.0),
        ("expert", "hindsight", -1),
    ],
)
def test_each_method_has_keys_of_its_own(method: str, key: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{key} = .*: expected"):
        load_config("paper", ROBINSON, {key: value}, method)
    assert f"unknown key {key}; method 3sil has the keys size, hidden," in refused(
        "paper", {key: value}
    )


@pytest.mark.parametrize("method", CONFIGS)
def test_every_number_of_every_method_has_a_range(method: str) -> None:
    for kind in (CONFIGS[method], SelectionConfig):
        for field in fields(kind):
            assert isinstance(field.default, bool) or "range" in field.metadata


def test_policies_that_are_meant_to_be_sampled_are() -> None:
    sampled = {name for name in CONFIGS if not CONFIGS[name]().greedy_evaluation}
    assert sampled == {"a2c", "acer", "sil-paac"}
