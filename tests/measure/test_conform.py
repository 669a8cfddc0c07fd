"""Recorded episodes: all agree with the engine, and a changed one is found out."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from threesil.engine import Batch, Limits
from threesil.errors import InputError
from threesil.measure.conform import Report, conform, recorded_streams
from threesil.theories import all_theories

TRACES = ("aim", "aim_maxdepth10", "polynomial", "robinson")


def run(path: Path) -> Report:
    return conform(path, all_theories())


@pytest.mark.data
@pytest.mark.parametrize("name", TRACES)
def test_recorded_episodes_agree(data: Path, name: str) -> None:
    report = run(data / "traces" / f"{name}.jsonl.gz")
    assert report.difference is None, str(report.difference)
    assert report.theory == name.split("_")[0]
    assert report.episodes >= 40


@pytest.mark.data
@pytest.mark.parametrize("name", ("aim", "polynomial", "robinson"))
def test_streams_replay_in_the_engine(data: Path, name: str) -> None:
    """The fast replay of the benchmark takes the same steps as the recording."""
    path = data / "traces" / f"{name}.jsonl.gz"
    theory, problems, streams = recorded_streams(path, all_theories())
    limits = Limits(steps=1 + max(map(len, streams)))
    batch = Batch(theory, problems, 64, threads=2, limits=limits, compatible=True)
    played = batch.replay(range(len(problems)), streams)
    assert played.steps.tolist() == [len(stream) for stream in streams]


Change = Callable[[dict[str, Any]], None]


def episode(data: Path, name: str) -> dict[str, Any]:
    """A recorded episode with a rewrite that was solved."""
    with gzip.open(data / "traces" / f"{name}.jsonl.gz", "rt") as lines:
        for line in lines:
            record: dict[str, Any] = json.loads(line)
            if record.get("success", record.get("done")) and len(record["steps"]) > 2:
                return record
    raise AssertionError("no solved episode")


def flip(mask: str) -> str:
    return ("1" if mask[5] == "0" else "0").join((mask[:5], mask[6:]))


AIM_CHANGES: dict[str, tuple[str, Change]] = {
    "side": ("left side", lambda e: e["steps"][0].update(m="e")),
    "other side": ("right side", lambda e: e["steps"][1].update(n="e * e")),
    "bound": ("variable bound", lambda e: e["steps"][0].update(vbd=3)),
    "cursor": ("cursor", lambda e: e["steps"][0].update(cur=[0, [1]])),
    "mask": ("mask", lambda e: e["steps"][0].update(mask=flip(e["steps"][0]["mask"]))),
    "outcome": ("outcome", lambda e: e.update(success=False)),
    "count": ("number of actions", lambda e: e.update(n_actions=1)),
    "final side": ("left side", lambda e: e.update(final_m="e")),
    "final equality": (
        "final equality",
        lambda e: e.update(final_syntactic_eq=not e["final_syntactic_eq"]),
    ),
}
TERM_CHANGES: dict[str, tuple[str, Change]] = {
    "term": ("term", lambda e: e["steps"][1].update(e="S0")),
    "cursor": ("cursor", lambda e: e["steps"][0].update(c=[1])),
    "legal": ("legal actions", lambda e: e["steps"][0]["l"].append(7)),
    "flag": ("done", lambda e: e["steps"][0].update(d=True)),
    "outcome": ("outcome", lambda e: e.update(done=False)),
    "final": ("term", lambda e: e["final"].update(e="+00")),
}


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "change"),
    [("aim", change) for change in AIM_CHANGES]
    + [(name, change) for name in ("robinson", "polynomial") for change in TERM_CHANGES],
)
def test_a_changed_recording_is_found_out(
    data: Path, tmp_path: Path, name: str, change: str
) -> None:
    record = episode(data, name)
    what, mutate = (AIM_CHANGES if name == "aim" else TERM_CHANGES)[change]
    mutate(record)
    path = tmp_path / "changed.jsonl"
    path.write_text(json.dumps(record) + "\n")
    difference = run(path).difference
    assert difference is not None
    assert what in difference.what
    report = str(difference)
    assert report.startswith(f"{path}:1: step ")
    assert "recorded:" in report and "engine:" in report and "state:" in report


@pytest.mark.data
def test_bad_terms_in_a_trace_are_errors(data: Path, tmp_path: Path) -> None:
    record = episode(data, "aim")
    record["steps"][0]["m"] = "T(x"
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=r"never closed") as caught:
        run(path)
    assert caught.value.line == 1
    assert caught.value.column == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no episode"),
        ("{", "not JSON"),
        ("[1]", "expected a JSON object"),
        ('{"equation": 1, "steps": [{}]}', "should be a text"),
        ('{"steps": []}', "is empty"),
        ('{"steps": [{"e": "S+0", "a": 1}]}', "needs 2 terms"),
        ('{"steps": [{"e": "S0", "a": 99}]}', "out of range"),
        ('{"steps": [{"e": "S0", "a": "x"}]}', "should be an integer"),
        ('{"goal": "?", "steps": [{"e": "S0", "a": 1}]}', "no theory"),
        ("[" * 100_000, "too deep"),
    ],
)
def test_bad_traces_are_errors(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        run(path)
