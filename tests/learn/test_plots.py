"""Pictures of runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.colors import to_hex

from threesil.errors import InputError
from threesil.learn.plots import colours_of, labels_of, plot_runs
from threesil.runs.run import Run


def test_each_run_has_a_colour_of_its_own() -> None:
    for count in (1, 10, 11, 40):
        assert len({to_hex(colour) for colour in colours_of(count)}) == count


def test_runs_are_drawn(finished: Path, copy: Path, tmp_path: Path) -> None:
    both = [Run(finished), Run(copy)]
    assert labels_of([Run(finished)]) == [finished.name]
    text = (copy / "config.toml").read_text()
    (copy / "config.toml").write_text(text.replace("k = 2\n", "k = 7\n"))
    assert [label.split(": ")[1] for label in labels_of(both)] == ["k=2", "k=7"]
    for suffix, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        out = tmp_path / f"picture{suffix}"
        keys = plot_runs(both, out)
        assert {"success", "solved", "length", "loss"} <= set(keys)
        assert out.read_bytes().startswith(magic)
    with pytest.raises(InputError, match="can't write"):
        plot_runs([Run(finished)], tmp_path / "picture.nothing")
    (copy / "metrics.jsonl").unlink()
    plot_runs(both, tmp_path / "picture.png")
    with pytest.raises(InputError, match="none of the runs has finished an epoch"):
        plot_runs([Run(copy)], tmp_path / "picture.png")
