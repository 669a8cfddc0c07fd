"""The unit-equality problems of TPTP: all are read, written and read again, and others read them.

A part of them always, the whole behind the marker slow.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents import key
from threesil.errors import MissingTool
from threesil.notations.document import NOTATIONS
from threesil.notations.reading import parse, read
from threesil.notations.writing import write
from threesil.provers.base import runnable_copy
from threesil.provers.registry import find

SETS = ("train.txt", "dev.txt", "sat_dev.txt")


def listed(data: Path) -> Iterator[tuple[str, str, Path]]:
    """(name, kind of goal, path) of each problem."""
    for name in SETS:
        for line in (data / "ueq" / name).read_text().splitlines():
            problem, domain, _, kind = line.split("\t")
            yield problem, kind, data / "ueq" / "Problems" / domain / f"{problem}.p"


def check(name: str, kind: str, path: Path) -> dict[str, str]:
    """Reads a problem, and what is written of it in each notation; the texts."""
    document = read(path)
    assert document.name == name
    assert len(document.problems) == (kind != "nogoal")
    if kind in ("ground", "exist"):
        assert bool(document.problems[0].exists) == (kind == "exist")
    expected = key(document)
    texts = {notation: write(document, notation) for notation in NOTATIONS}
    for text in texts.values():
        assert key(parse(text, name)) == expected
    return texts


def program(name: str, directory: Path) -> str:
    try:
        path = find(name).path
    except MissingTool:
        pytest.skip(f"{name} is not installed")
    assert path is not None
    return runnable_copy(Path(path), directory)


def e_takes(command: str, file: Path, text: str) -> bool:
    file.write_text(text)
    arguments = [command, "--tstp-format", "--processed-clauses-limit=0", str(file)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=240, check=False)
    return "SZS status" in done.stdout


def prover9_takes(command: str, file: Path, text: str) -> bool:
    file.write_text("assign(max_given, 1).\n" + text)
    arguments = [command, "-t", "5", "-f", str(file)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=240, check=False)
    return "Fatal error" not in done.stdout + done.stderr and "exit (" in done.stdout


def check_all(problems: list[tuple[str, str, Path]], directory: Path) -> None:
    e, prover9 = program("e", directory), program("prover9", directory)
    refused = []
    for name, kind, path in problems:
        texts = check(name, kind, path)
        if not e_takes(e, directory / "file.p", texts["tptp"]):
            refused.append(f"e {name}")
        if not prover9_takes(prover9, directory / "file.in", texts["ladr"]):
            refused.append(f"prover9 {name}")
    assert refused == []


@pytest.mark.data
def test_a_part(data: Path, tmp_path: Path) -> None:
    check_all(list(listed(data))[::16], tmp_path)


@pytest.mark.data
@pytest.mark.slow
def test_all(data: Path, tmp_path: Path) -> None:
    problems = list(listed(data))
    assert len(problems) == 972
    check_all(problems, tmp_path)
