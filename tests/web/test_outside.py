"""What lies outside of a directory that is served is never read, whatever its files say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from run_samples import describe
from samples import ROBINSON
from threesil.errors import InputError
from threesil.measure.compare.directory import Comparison, read_comparison
from threesil.notations.reading import read
from threesil.notations.reading import tptp as tptp_reader
from threesil.runs.weights import find_policy, theory_of_run
from threesil.web import run_views
from threesil.web.service import Service
from threesil.web.settings import Settings
from web.test_browsing import make_comparison, make_run


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A run and a comparison, the same again outside, and something secret there."""
    for root in (tmp_path / "inside", tmp_path / "outside"):
        make_run(root / "runs" / "r", 2)
        (root / "runs" / "r" / "theory").mkdir()
        (root / "runs" / "r" / "theory" / "own.thy").write_text("Axiom canary: f(x) = x.\n")
        model = find_policy(None, ROBINSON)
        model.save(root / "runs" / "r" / "model.safetensors")
        make_comparison(root / "comparisons" / "c")
    return tmp_path


def settings(places: Path) -> Settings:
    inside = places / "inside"
    return Settings(runs=(inside / "runs",), comparisons=(inside / "comparisons",))


def refused(task: Callable[[dict[str, Any]], Any], kind: Any, places: Path) -> str:
    """Why a task does not show the only run or comparison, and the line of the list about it."""
    ((name, path),) = settings(places).places(kind).items()
    with pytest.raises(InputError) as caught:
        task({"place": (name, str(path)), "after": -1})
    listed = {"runs": run_views.runs, "comparisons": run_views.comparisons}[kind]
    (line,) = listed({"places": [(name, str(path))]})[kind]
    assert set(line) == {"name", "error"}
    told = f"{caught.value} {line}"
    assert str(places) not in told and "canary" not in told
    return told


def becomes_link(path: Path, target: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize(
    "name",
    ["run.json", "metrics.jsonl", "config.toml", "model.safetensors", "theory", "theory/own.thy"],
)
def test_a_run_with_a_link_that_leads_out_is_not_read(name: str, places: Path) -> None:
    becomes_link(places / "inside" / "runs" / "r" / name, places / "outside" / "runs" / "r" / name)
    assert f"link {name} leads out" in refused(run_views.run, "runs", places)
    with pytest.raises(InputError, match="leads out"):
        Service(settings(places)).weights("r")


@pytest.mark.parametrize("name", ["compare.json", "results", "results/quick.jsonl"])
def test_a_comparison_with_a_link_that_leads_out_is_not_read(name: str, places: Path) -> None:
    inside, outside = (places / side / "comparisons" / "c" / name for side in ("inside", "outside"))
    becomes_link(inside, outside)
    assert f"link {name} leads out" in refused(run_views.comparison, "comparisons", places)


@pytest.mark.parametrize("target", ["nowhere", "loop", "/dev/zero", "../../../outside/runs/r"])
def test_links_to_nothing_or_anything_else_are_not_followed(target: str, places: Path) -> None:
    becomes_link(places / "inside" / "runs" / "r" / "loop", Path(target))
    assert "link loop leads out" in refused(run_views.run, "runs", places)


def test_links_inside_of_a_run_are_followed(places: Path) -> None:
    run = places / "inside" / "runs" / "r"
    (run / "metrics.jsonl").rename(run / "kept.jsonl")
    (run / "metrics.jsonl").symlink_to("kept.jsonl")
    assert len(run_views.run({"place": ("r", str(run)), "after": -1})["metrics"]) == 2
    assert Service(settings(places)).weights("r") == str(run)


@pytest.mark.parametrize("absolute", [True, False])
def test_the_names_in_a_comparison_are_no_paths(absolute: bool, places: Path) -> None:
    directory = places / "inside" / "comparisons" / "c"
    other = places / "outside" / "comparisons" / "c" / "results" / "quick"
    index = json.loads((directory / "compare.json").read_text())
    index["systems"] = [
        str(other) if absolute else "../../../../outside/comparisons/c/results/quick"
    ]
    (directory / "compare.json").write_text(json.dumps(index))
    assert "not written by threesil compare" in refused(run_views.comparison, "comparisons", places)
    for read_it in (read_comparison, Comparison):
        with pytest.raises(InputError, match="not written by threesil compare"):
            read_it(directory)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b", ".hidden", "a\nb", 1, None, ["a"]])
def test_names_that_no_system_has_are_refused(name: object, places: Path) -> None:
    directory = places / "inside" / "comparisons" / "c"
    index = json.loads((directory / "compare.json").read_text())
    (directory / "compare.json").write_text(json.dumps({**index, "systems": [name]}))
    with pytest.raises(InputError, match="not written by threesil compare"):
        read_comparison(directory)


def test_an_index_that_is_nested_too_deeply_is_refused(places: Path) -> None:
    directory = places / "inside" / "comparisons" / "c"
    (directory / "compare.json").write_text("[" * 200_000)
    assert "nested too deep" in refused(run_views.comparison, "comparisons", places)


@pytest.mark.parametrize(
    "source", ["{out}/theory/own.thy", "theory/../../own.thy", "theory/..", "../own.thy", "", 3]
)
def test_a_run_names_no_theory_elsewhere(source: object, places: Path) -> None:
    run = places / "inside" / "runs" / "r"
    outside = places / "outside" / "runs" / "r"
    shutil.copy(outside / "theory" / "own.thy", run.parent / "own.thy")
    if isinstance(source, str):
        source = source.format(out=outside)
    describe(run, source=source)
    assert list(theory_of_run(run)) == []


def test_the_theory_that_a_run_keeps_is_found(places: Path) -> None:
    run = places / "inside" / "runs" / "r"
    for source, name in (("theory/own.thy", "own"), ("robinson", "robinson")):
        describe(run, source=source)
        assert [theory.name for theory in theory_of_run(run)] == [name]


def test_a_process_that_reads_for_others_includes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.ax").write_text("cnf(canary, axiom, f(X) = X).\n")
    (tmp_path / "p.p").write_text("include('a.ax').\n")
    assert read(tmp_path / "p.p").theory.equations
    monkeypatch.setattr(tptp_reader, "_may_include", True)  # as it is again afterwards
    tptp_reader.forbid_includes()
    with pytest.raises(InputError, match="no other file is read here"):
        read(tmp_path / "p.p")
