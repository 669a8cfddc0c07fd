"""LADR as Prover9 itself reads it: made files and real ones."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ladr_files import Maker, Read, agree, document_reads, prover9_reads
from threesil.errors import InputError, MissingTool
from threesil.notations.reading import parse, read
from threesil.notations.writing import write
from threesil.provers.base import runnable_copy
from threesil.provers.registry import find


@pytest.fixture(scope="module")
def prover9(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        path = find("prover9").path
    except MissingTool as error:
        pytest.skip(str(error))
    return Path(runnable_copy(path, tmp_path_factory.mktemp("prover9")))


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 1000), marks=pytest.mark.slow)], ids=str
)
def test_what_prover9_accepts_is_read_as_it_reads_it(prover9: Path, seeds: range) -> None:
    accepted = 0
    for seed in seeds:
        maker = Maker(Random(seed))
        text = maker.file()
        theirs = prover9_reads(prover9, text, frozenset(maker.postfix))
        if theirs is not None:
            accepted += 1
            assert agree(document_reads(parse(text, "t")), theirs), f"{seed}:\n{text}"
    assert accepted > 0.8 * len(seeds)


@pytest.mark.data
def test_real_files_are_read_as_prover9_reads_them(prover9: Path, data: Path) -> None:
    recorded = [path.read_text() for path in sorted((data / "provers").glob("*.in"))]
    problems = sorted((data / "ueq" / "Problems").rglob("*.p"))[::10]
    written = [write(read(path), "ladr") for path in problems]
    assert len(recorded) > 3 and len(written) > 90
    read_by_both = 0
    for text in (*recorded, *written):
        theirs = prover9_reads(prover9, text, frozenset("'"))
        ours: Read | None = None
        try:
            ours = document_reads(parse(text, "t"))
        except InputError:
            assert theirs is None, text
        if theirs is not None:
            assert ours is not None and agree(ours, theirs), text
            read_by_both += 1
    assert read_by_both > 0.9 * len(problems)
