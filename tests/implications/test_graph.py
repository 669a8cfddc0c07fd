"""All pairs of a list: decided, verified from the certificates alone, and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import Run, command
from threesil.errors import InputError
from threesil.files import locked
from threesil.implications import output
from threesil.implications.equations import EquationList, read_equations
from threesil.implications.explore import Explorer
from threesil.implications.graph import check, explore, write
from threesil.implications.store import MODELS, PROOFS, SYSTEMS, Store
from threesil.implications.tasks import Task, do
from waiting import HANG, wait_until

LISTS = {
    "magmas": """x = y\nx * y = y * x\n(x * y) * z = x * (y * z)\nx * x = x\nx * (y * x) = x
(x * y) * x = x\nx * y = x\nx * y = y\nx * y = z * w\nx = x\n""",
    "silly": "f(f(x)) = x\nf(f(f(x))) = f(x)\nf(x) = x\nf(x) = f(y)\nf(f(x)) = f(x)\n",
    "units": """Constants e.\ne * x = x\nx * e = x\nx * x = e\nx * y = y * x\ni(i(x)) = x
i(x) * x = e\nx = e\n""",
    "infinite": "x * (x \\ y) = y\nx \\ (x * y) = y\nx = y\n",
}
PROVED = {"magmas": 27, "silly": 7, "units": 6, "infinite": 2}


def listed(directory: Path, name: str) -> EquationList:
    path = directory / "equations.txt"
    path.write_text(LISTS[name])
    return read_equations(path)


@pytest.mark.parametrize("name", LISTS)
def test_all_pairs_are_decided_and_verified(name: str, tmp_path: Path) -> None:
    given, path = listed(tmp_path, name), tmp_path / "graph"
    graph = explore(given, path, seconds=2.0)
    assert (graph.proved, graph.open) == (PROVED[name], 0)
    assert bool(graph.systems) == (name == "infinite")  # no finite model tells these apart
    assert check(given, path) == replace(graph, notes=())
    status = np.load(path / "matrix.npz")["status"]
    assert int((status == 1).sum()) == graph.proved + len(given)
    header, *rows = (path / "implications.csv").read_text().splitlines()
    assert header.split(",")[1:] == [equation.name for equation in given.equations]
    shown = np.array([[int(cell) for cell in row.split(",")[1:]] for row in rows])
    assert np.array_equal(shown, status == 1)
    assert (path / "open.csv").read_text() == "i,j,equation i,equation j\n"


def test_too_many_open_pairs_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that Ctrl-C at the beginning of a long list does not take a minute."""
    given, path = listed(tmp_path, "silly"), tmp_path / "graph"
    with Store(path, given):
        pass
    assert write(given, path).notes == () and (path / "open.csv").exists()
    monkeypatch.setattr(output, "_MOST_OPEN", 3)
    (note,) = write(given, path).notes
    assert "pairs are open, it lists 3" in note
    assert not (path / "open.csv").exists() and (path / "matrix.npz").exists()


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> tuple[EquationList, Path]:
    directory = tmp_path_factory.mktemp("magmas")
    given = listed(directory, "magmas")
    explore(given, directory / "graph", seconds=2.0)
    return given, directory / "graph"


def copied(path: Path, to: Path) -> Path:
    to.mkdir()
    for file in path.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    return to


def test_a_wrong_model_is_refused(explored: tuple[EquationList, Path], tmp_path: Path) -> None:
    given, path = explored
    path = copied(path, tmp_path / "graph")
    first, *others = (path / MODELS).read_text().splitlines(keepends=True)
    model = json.loads(first)
    model["tables"]["*"] = [0, 0, 0, 0]
    (path / MODELS).write_text(json.dumps(model) + "\n")
    with pytest.raises(InputError, match="not what the certificates show"):
        check(given, path)
    model["tables"]["*"] = [7, 0, 0, 0]
    (path / MODELS).write_text(json.dumps(model) + "\n" + "".join(others))
    with pytest.raises(InputError, match=r"models.jsonl:1: expected a size"):
        check(given, path)


def test_a_wrong_proof_is_refused(explored: tuple[EquationList, Path], tmp_path: Path) -> None:
    given, path = explored
    path = copied(path, tmp_path / "graph")
    proofs = (path / PROOFS).read_text().splitlines(keepends=True)
    for number, line in enumerate(proofs, 1):
        proof = json.loads(line)
        if proof["steps"]:
            proof["problem"] = f"{proof['theory']}_{'E2' if 'E2' not in proof['problem'] else 'E3'}"
            changed = [*proofs[: number - 1], json.dumps(proof) + "\n", *proofs[number:]]
            (path / PROOFS).write_text("".join(changed))
            with pytest.raises(InputError, match=rf"proofs.jsonl:{number}: "):
                check(given, path)
            break
    else:
        raise AssertionError("no proof has a step")


SOME_VALUE = """x * x = x
x * (y * y) = x
(x * y) * z = x * (y * z)
"""


def test_a_proof_for_some_values_is_none_for_all(tmp_path: Path) -> None:
    """`exists y: x * (y * y) = x` holds where x * x = x does; `x * (y * y) = x` does not."""
    (tmp_path / "equations.txt").write_text(SOME_VALUE)
    given, path = read_equations(tmp_path / "equations.txt"), tmp_path / "graph"
    explore(given, path, seconds=1.0)
    assert write(given, path).proved == 0
    steps = [
        {"position": [1], "equation": "E1", "direction": "->", "substitution": {"x": 0},
         "result": 2},
        {"position": [], "equation": "E1", "direction": "->", "substitution": {"x": 0},
         "result": 0},
    ]  # fmt: skip
    forged = {
        "format": "threesil-proof-2",
        "theory": "E1",
        "digest": given.theory(0).digest,
        "problem": "E1_E2",
        "terms": ["x", "y", ["*", 0, 0], ["*", 1, 1], ["*", 0, 3]],
        "lemmas": [],
        "start": 4,
        "target": 0,
        "exists": ["y"],
        "witnesses": {"y": 0},
        "steps": steps,
    }
    (path / MODELS).write_text("")
    (path / PROOFS).write_text(json.dumps(forged) + "\n")
    assert write(given, path).proved == 1  # as the names say
    with pytest.raises(InputError, match=r"proofs.jsonl:1: this is no proof of E1_E2"):
        check(given, path)


def test_what_is_written_besides_the_status_is_checked(
    explored: tuple[EquationList, Path], tmp_path: Path
) -> None:
    given, path = explored
    path = copied(path, tmp_path / "graph")
    stored = np.load(path / "matrix.npz")
    status, by = stored["status"], stored["by"]
    for i, j in zip(*map(list, np.nonzero(by)), strict=True):
        other = by.copy()
        other[i, j] += 1
        np.savez_compressed(path / "matrix.npz", status=status, by=other)
        with pytest.raises(InputError, match=r"matrix.npz is not what the certificates show"):
            check(given, path)
        break
    np.savez_compressed(path / "matrix.npz", status=status, by=by)
    check(given, path)
    for name in ("implications.csv", "equations.csv", "open.csv"):
        content = (path / name).read_bytes()
        (path / name).write_bytes(content.replace(b"E2", b"E3"))
        if content.replace(b"E2", b"E3") == content:
            (path / name).write_bytes(content + b"E1,E2,x,y\n")
        with pytest.raises(InputError, match=f"{name} is not what the certificates show"):
            check(given, path)
        (path / name).write_bytes(content)
    if (path / "graph.png").exists():
        (path / "graph.png").write_bytes(b"no picture")
        with pytest.raises(InputError, match=r"graph.png is not what the certificates show"):
            check(given, path)


@pytest.mark.parametrize("damage", [{"status": np.eye(3)}, None])
def test_matrices_that_are_none_are_refused(
    damage: dict[str, np.ndarray[tuple[int, int], np.dtype[np.float64]]] | None,
    explored: tuple[EquationList, Path],
    tmp_path: Path,
) -> None:
    given, path = explored
    path = copied(path, tmp_path / "graph")
    if damage is None:
        (path / "matrix.npz").write_bytes(b"PK")
    else:
        np.savez_compressed(path / "matrix.npz", **damage)
    with pytest.raises(InputError, match=r"matrix.npz is not what"):
        check(given, path)


def test_what_a_search_reports_is_certified(tmp_path: Path) -> None:
    """As it comes from other processes and other machines."""
    given, path = listed(tmp_path, "silly"), tmp_path / "graph"
    task = Task("prove", 0, (1,), 1.0)
    right = do(task, given)
    assert right.proofs
    proof = next(iter(right.proofs.values()))
    with Store(path, given) as store:
        explorer = Explorer(given, store)
        for wrong in (
            replace(right, proofs={1: proof | {"problem": "E1_E3"}}),
            replace(right, proofs={1: proof | {"steps": []}}),
            replace(right, proofs={}, system={"theory": "E1", "refutes": ["E2"]}),
        ):
            done = np.zeros_like(explorer.relation.proved)
            with pytest.raises(InputError, match="what a search has found"):
                explorer._receive(wrong, done)
        assert (path / PROOFS).read_bytes() == (path / SYSTEMS).read_bytes() == b""
        assert explorer._receive(right, done) and explorer.relation.is_proved(0, 1)


def test_a_wrong_system_is_refused(tmp_path: Path) -> None:
    given, path = listed(tmp_path, "infinite"), tmp_path / "graph"
    explore(given, path, seconds=2.0)
    system = json.loads((path / SYSTEMS).read_text().splitlines()[0])
    for changed in (
        system | {"refutes": [system["theory"]]},
        system | {"rules": []},
        system | {"refutes": ["E9"]},
    ):
        (path / SYSTEMS).write_text(json.dumps(changed) + "\n")
        with pytest.raises(InputError, match=r"systems.jsonl:1: "):
            check(given, path)


def test_a_directory_belongs_to_its_equations(
    explored: tuple[EquationList, Path], tmp_path: Path
) -> None:
    _, path = explored
    other = listed(tmp_path, "silly")
    for use in (explore, check):
        with pytest.raises(InputError, match="other equations"):
            use(other, path)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        explore(other, tmp_path)


def test_a_directory_is_locked(explored: tuple[EquationList, Path]) -> None:
    given, path = explored
    with locked(path), pytest.raises(InputError, match="another threesil"):
        explore(given, path)


def test_what_was_cut_off_is_found_again(
    explored: tuple[EquationList, Path], tmp_path: Path
) -> None:
    given, path = explored
    path = copied(path, tmp_path / "graph")
    content = (path / PROOFS).read_bytes()
    (path / PROOFS).write_bytes(content[: len(content) - 40])
    (path / MODELS).write_bytes(b"")
    assert explore(given, path, seconds=2.0).open == 0
    assert check(given, path).open == 0


def test_ctrl_c_loses_nothing(tmp_path: Path, threesil: Run) -> None:
    hard = [
        "x = y * (x * ((y * z) * x))",
        "x = (x * y) * (y * (z * x))",
        "x * y = y * (x * (z * y))",
    ]
    more = [f"x = x * ({'x * (' * k}y{')' * k} * x)" for k in range(1, 12)]
    equations, path = tmp_path / "equations.txt", tmp_path / "graph"
    equations.write_text("\n".join([*hard, *more]) + "\n")
    asked = ("problems", "implications", equations, "--out", path)
    begun = command(*asked, "--workers", "2")
    running = subprocess.Popen(begun, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: (path / PROOFS).exists() and (path / PROOFS).stat().st_size)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    shown, said = running.communicate(timeout=HANG)
    assert running.returncode == 130 and "Traceback" not in said
    assert "182 pairs" in shown
    assert not [entry for entry in os.listdir(path) if entry.startswith(".")]
    verified = threesil(*asked, "--verify")
    assert verified.code == 0 and verified.out == f"verified: {shown}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out names the directory"),
        (["--out", "d", "--proofs", "p"], "--proofs goes with --pairs"),
        (["--out", "d", "--verify"], "no directory of implications"),
    ],
)
def test_bad_options(arguments: list[str], message: str, tmp_path: Path, threesil: Run) -> None:
    equations = tmp_path / "equations.txt"
    equations.write_text(LISTS["silly"])
    placed = [str(tmp_path / word) if word in ("d", "p") else word for word in arguments]
    done = threesil("problems", "implications", str(equations), *placed)
    assert done.code == 2 and message in " ".join(done.err.split())
