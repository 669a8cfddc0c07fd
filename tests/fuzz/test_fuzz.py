"""A small fixed part of the fuzz campaign, and its runner."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from random import Random

import pytest

from fuzz.run import Tally, all_targets, campaign, main, random_of, run_one
from threesil.notations.reading import tptp

_INPUTS = 25
TARGETS = all_targets()


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_does_harm(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tptp, "_may_include", True)  # a target may change it
    for number in range(_INPUTS):
        run_one(TARGETS[name], random_of(name, 0, number))


def target_well(random: Random) -> None:
    random.random()


def target_raises(random: Random) -> None:
    if random.random() < 0.5:
        raise ValueError("found")


def target_hangs(random: Random) -> None:
    while True:
        try:
            sum(range(1000))
        except Exception:  # what ends an input is none
            continue


def target_waits(random: Random) -> None:
    time.sleep(1000)


def target_grows(random: Random) -> None:
    bytearray(3 * 10**9)


def target_dies(random: Random) -> None:
    os.abort()


def _tally(target: Callable[[Random], None], inputs: int) -> Tally:
    return campaign(target, 0, range(inputs), time.monotonic() + 300, lambda tally: None)


def test_what_goes_well_is_counted() -> None:
    tally = _tally(target_well, 300)
    assert (tally.name, tally.inputs, tally.findings) == ("well", 300, [])
    assert tally.megabytes > 0


def test_what_is_raised_is_found_and_can_be_repeated() -> None:
    tally = _tally(target_raises, 10)
    assert tally.inputs == 10
    assert tally.findings
    for finding in tally.findings:
        assert finding.error.endswith("ValueError: found\n")
        with pytest.raises(ValueError, match="found"):
            target_raises(random_of("raises", finding.seed, finding.input))


def test_too_much_time_and_memory_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.run.SECONDS", 0.2)
    (hangs,) = _tally(target_hangs, 1).findings
    assert "TooSlow" in hangs.error
    monkeypatch.setattr("fuzz.run.WAIT", 0.5)
    (waits,) = _tally(target_waits, 1).findings
    assert waits.error == "the process ended: SIGKILL"
    (grows,) = _tally(target_grows, 1).findings
    assert "MemoryError" in grows.error


def test_a_process_that_dies_is_found_and_followed_by_another() -> None:
    tally = _tally(target_dies, 3)
    assert tally.inputs == 3
    assert [(f.input, f.error) for f in tally.findings] == [
        (k, "the process ended: SIGABRT") for k in range(3)
    ]


def test_an_unknown_target_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--target", "nothing"]) == 2
    assert "no target nothing" in capsys.readouterr().err
