"""Dataclasses from objects of JSON: every kind of field, and what does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest

from threesil.files.json_record import json_record
from threesil.kernel.outcome import SZS


@dataclass(frozen=True)
class Record:
    name: str
    status: SZS
    seconds: float
    steps: int | None = None
    sure: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    turns: tuple[tuple[str, float], ...] = ()


WHOLE = {
    "name": "p",
    "status": "Theorem",
    "seconds": 1,
    "steps": 3,
    "sure": True,
    "options": {"a": [1, None]},
    "counts": {"b": 2},
    "turns": [["plain", 0.5], ["best", 1]],
}


def test_every_kind_of_field_is_read() -> None:
    found = json_record(Record, WHOLE)
    assert found.status is SZS.THEOREM
    assert found.turns == (("plain", 0.5), ("best", 1))
    assert asdict(found) == {**WHOLE, "turns": found.turns}
    assert json_record(Record, {k: WHOLE[k] for k in ("name", "status", "seconds")}).steps is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, "name should be a text, not '5'"),
        ({"status": "Lemma"}, "status should be one of SZS"),
        ({"seconds": -1}, "seconds should be a number from 0"),
        ({"seconds": True}, "seconds should be a number from 0"),
        ({"steps": 1.5}, "steps should be a whole number from 0 or null"),
        ({"sure": 1}, "sure should be true or false"),
        ({"options": []}, "options should be an object"),
        ({"counts": {"b": "2"}}, "counts should be an object"),
        ({"turns": [["plain"]]}, "turns should be a list"),
        ({"turns": {}}, "turns should be a list"),
        ({"colour": 1}, "unknown key 'colour'"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        json_record(Record, {**WHOLE, **change})


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="seconds is missing"):
        json_record(Record, {"name": "p", "status": "Theorem"})
    with pytest.raises(ValueError, match="expected an object"):
        json_record(Record, [])
