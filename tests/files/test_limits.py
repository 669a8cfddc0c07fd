"""Large numbers in small files, files that are none, and files that are too large: all refused."""

from __future__ import annotations

import errno
import io
import json
import os
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from model_samples import two
from threesil.cli.app import not_written, reading
from threesil.errors import InputError
from threesil.files import LOCK, limits, locked, read_bytes, read_lines, read_text
from threesil.implications.equations import read_equations
from threesil.implications.output import holds_matrices
from threesil.implications.store import MODELS, check_setting
from threesil.implications.store import read_models as stored_tables
from threesil.kernel.countermodel import NotAModel, check
from threesil.kernel.tables import Tables
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Equation, Signature
from threesil.learn.config import load_config
from threesil.measure.compare.directory import INDEX, read_comparison
from threesil.measure.compare.imported import read_imported
from threesil.measure.conform import conform
from threesil.measure.results import read_results
from threesil.nets.policy import Policy
from threesil.notations.document import theory_of
from threesil.notations.lines import Text
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.proof_json import TermNumbers
from threesil.notations.reading import notation_of, notation_of_file, parse, read
from threesil.notations.reading.certificates import read_certificates, stored_certificates
from threesil.notations.reading.models import read_models
from threesil.notations.system_json import StoredSystem
from threesil.problems.files import load_problems, parse_problem
from threesil.problems.sets import open_set
from threesil.problems.targets import read_targets
from threesil.runs.problem_lines import read_problem
from threesil.runs.run import Run
from threesil.theories import all_theories, get_theory
from threesil.theories.aim import AIM
from threesil.theories.robinson import ROBINSON

# Numbers


def refused(do: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        do()
    return str(caught.value)


def changed(**changes: Any) -> StoredModel:
    return StoredModel("file", {**json.loads(json.dumps(model_to_json(two()))), **changes})


@pytest.mark.parametrize("arity", [256, 10**8, 10**18, -1, True, 2.0, None, "2"])
def test_an_arity_in_a_model(arity: object) -> None:
    stored = changed(symbols={"*": arity, "i": 1, "e": 0})
    assert "file: " in refused(lambda: stored.checked())
    alone = {"format": "threesil-model-1", "theory": "t", "digest": "", "symbols": {"f": arity}}
    alone |= {"infix": {}, "terms": [], "equations": [], "size": 2, "tables": {}, "problem": None}
    assert "file: " in refused(lambda: StoredModel("file", alone).checked())


@pytest.mark.parametrize("size", [10**4 + 1, 10**9, -1, True, 2.0, None])
def test_the_size_of_a_model(size: object) -> None:
    assert "size should be a number" in refused(lambda: changed(size=size).checked())


def test_a_large_size_without_a_table_that_has_it() -> None:
    """An equation x = e would be evaluated for all elements."""
    theory = theory_of("t", "", {"e": 0}, {}, [Equation("a", var("x"), Term("e"))])
    with pytest.raises(NotAModel):
        check(theory, None, Tables(10**9, {"e": (0,)}), {})


@pytest.mark.parametrize("key", ["theory", "symbols", "infix", "terms", "equations"])
def test_null_in_a_model(key: str) -> None:
    assert "file" in refused(lambda: changed(**{key: None}).checked())


ARGUMENTS = ",".join(["X"] * 256)
WIDE = {
    "tptp": f"cnf(a, axiom, f({ARGUMENTS}) = X).",
    "ladr": f"formulas(sos).\nf({ARGUMENTS.lower()}) = x.\nend_of_list.",
    "theory": f"Axiom a: f({ARGUMENTS}) = X.",
    "exists": "fof(a, axiom, ! ["
    + ",".join(f"X{k}" for k in range(256))
    + "] : ? [Y] : f(Y) = "
    + "".join(f"g(X{k}," for k in range(256))
    + "c"
    + ")" * 256
    + ").",
}


@pytest.mark.parametrize("notation", WIDE)
def test_an_arity_in_any_notation(notation: str) -> None:
    with pytest.raises(InputError, match=r"at most 255|too many quantifiers") as caught:
        parse(WIDE[notation], "wide")
    assert caught.value.line is not None


def test_an_arity_in_a_theory() -> None:
    with pytest.raises(InputError, match="file: the symbol f has 1,000,000,000 arguments"):
        theory_of("t", "", {"f": 10**9}, {}, [], source="file")
    with pytest.raises(InputError, match="10,001 symbols"):
        theory_of("t", "", {f"f{k}": 0 for k in range(10_001)}, {}, [])


def test_terms_that_double() -> None:
    """A list of n entries can name a term of 2^n nodes; numbers like that take memory too."""
    nodes: list[Any] = ["x", *(["*", k, k] for k in range(3000))]
    assert "too large" in refused(lambda: TermNumbers({"terms": nodes}, "file"))
    TermNumbers({"terms": nodes[:500]}, "file")


@pytest.mark.parametrize("weight", [2**31, -1, None, True, 1.5, "1"])
def test_weights_of_an_order(weight: object) -> None:
    order = {"weights": {"*": weight}, "variable": 1, "precedence": ["*"]}
    stored = StoredSystem("file", {"order": order})
    assert "weights should be numbers" in refused(lambda: stored._order())


def test_models_of_other_programs() -> None:
    text = "interpretation( {}, [number=1, seconds=0], [ function(e, [{}]) ])."
    assert "at most 10,000" in refused(lambda: read_models(text.format(10**12, 0), "file"))
    (found,) = read_models(text.format(2, 10**12 + 1), "file")
    assert found.functions["e", 0][0] > limits.ELEMENTS  # not cut to something that may be right
    values = ",".join(['"0"'] * 300)
    text = f'fof(d, fi_domain, ! [X] : (X = "0")).\nfof(t, fi_functors, f({values}) = "0").'
    assert "more than 255" in refused(lambda: read_models(text, "file"))


def test_numerals() -> None:
    assert "too large" in refused(lambda: parse_problem("10000000000 + 1", ROBINSON))
    first, second = (parse_problem("50000 * S(0)", ROBINSON) for _ in range(2))
    assert first.start.args[0] is second.start.args[0]  # a list of them takes no more memory


def test_numbers_of_a_directory_of_implications(tmp_path: Path) -> None:
    for size in (10**9, 10**30, None, True, "2"):
        (tmp_path / MODELS).write_text(json.dumps({"size": size, "tables": {"*": [0]}}) + "\n")
        assert f"{MODELS}:1: " in refused(lambda: list(stored_tables(tmp_path)))
    for table in ([[0]], [300], [None], "00", None):
        (tmp_path / MODELS).write_text(json.dumps({"size": 2, "tables": {"*": table}}) + "\n")
        assert f"{MODELS}:1: " in refused(lambda: list(stored_tables(tmp_path)))


def _npz(header: str, data: bytes = b"") -> bytes:
    text = header.encode()
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("status.npy", array)
    return content.getvalue()


SHAPE = "{'descr': '|i1', 'fortran_order': False, 'shape': %s, }\n"


MATRICES = np.eye(2, dtype=np.int8), np.zeros((2, 2), np.int32)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4" + b"x" * 100,
        _npz(SHAPE % "(1000000000, 1000000000)"),
        _npz(SHAPE % "(3, 3)"),
        _npz(SHAPE % "()"),
        _npz(SHAPE % "(2, 2)", b"\0"),
        _npz(SHAPE % "('a', 2)"),
        _npz("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }\n", b"\0" * 99),
        _npz("{((((("),
        _npz("["),
        _npz("x" * 60_000),
        _npz("(" * 9000),
    ],
    ids=range(12),
)
def test_a_damaged_matrix(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "matrix.npz").write_bytes(content)
    assert not holds_matrices(tmp_path / "matrix.npz", *MATRICES)


def test_a_whole_matrix(tmp_path: Path) -> None:
    status, by = MATRICES
    np.savez(tmp_path / "matrix.npz", status=status, by=by)
    assert holds_matrices(tmp_path / "matrix.npz", status, by)
    for other in ((1 - status, by), (status, by + 1), (status, by[:1])):
        assert not holds_matrices(tmp_path / "matrix.npz", *other)


# How much a file may hold


MANY = {
    "tptp": lambda n: "".join(f"cnf(a{k}, axiom, f(X) = X).\n" for k in range(n)),
    "ladr": lambda n: "formulas(sos).\n" + "f(x) = x.\n" * n + "end_of_list.\n",
    "theory": lambda n: "".join(f"Axiom a{k}: f(x) = x.\n" for k in range(n)),
}


@pytest.mark.parametrize("notation", MANY)
def test_too_many_equations(notation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EQUATIONS", 20)
    assert len(parse(MANY[notation](20)).theory.equations) == 20
    message = refused(lambda: parse(MANY[notation](21)))
    assert "equations" in message and "at most 20" in message


def test_goals_and_comments_are_no_equations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EQUATIONS", 2)
    goals = "".join(f"Theorem t{k}: e = e.\n# Axiom x{k}: e = e.\n" for k in range(5))
    assert len(parse("Constants e.\n" + goals).problems) == 5
    goals = "".join(f"cnf(g{k}, negated_conjecture, f(a) != a). % cnf(a,axiom\n" for k in range(5))
    assert len(parse(goals).problems) == 5
    goals = "formulas(goals).\n" + 'a = b # label("x. y. z."). % . .\n' * 5 + "end_of_list.\n"
    assert len(parse(goals).problems) == 5


def test_the_engine_takes_as_many_equations() -> None:
    assert 2 * limits.EQUATIONS + limits.ARITY <= 65_535


@pytest.mark.parametrize("notation", MANY)
def test_a_long_comment_hides_nothing(notation: str, tmp_path: Path) -> None:
    path = tmp_path / "commented.txt"
    sign = "#" if notation == "theory" else "%"
    path.write_text(f"{sign} comment\n" * 200_000 + MANY[notation](1))
    assert notation_of_file(path) == notation
    assert len(read(path).theory.equations) == 1


@pytest.mark.parametrize(
    "piece", ["%BEGIN\n", "%BEGIN x %ENDX\n", "/*", "% /* \n", '"\\', "\\'", "fof(a\n"]
)
def test_comments_that_never_end_are_read_once(piece: str) -> None:
    """Work is linear: with the square of this length it would take hours."""
    text = piece * 300_000
    notation_of(text)
    with pytest.raises(InputError):
        stored_certificates(text, "file")
    for word in ("cnf(a, axiom, ", "formulas(sos).\n", "Axiom a: "):
        with pytest.raises(InputError):
            parse(word + text)


def test_many_lines_are_numbered_at_once() -> None:
    text = Text("file", "one\ntwo\n\nfour")
    assert [text.line(at) for at in range(len(text.content) + 1)] == [1] * 4 + [2] * 4 + [3] + [
        4
    ] * 5


def test_texts_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    path.write_text("x" * 1000)
    assert "too large" in refused(lambda: read_bytes(path, 999))
    monkeypatch.setattr(limits, "LINE", 999)
    assert "large:1: a line is too long" in refused(lambda: list(read_lines(path)))


# What is no file


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # its name may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


KINDS: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a pipe": _pipe,
    "a socket": _socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
}
READERS: dict[str, Callable[[Path], object]] = {
    "certificates": read_certificates,
    "document": read,
    "targets": lambda path: read_targets([str(path)]),
    "theory": get_theory,
    "problems": lambda path: load_problems(path, AIM),
    "set": lambda path: open_set(str(path), AIM),
    "equations": read_equations,
    "trace": lambda path: conform(path, all_theories()),
    "results": read_results,
    "import": lambda path: read_imported(f"x={path}", ("p",)),
    "configuration": lambda path: load_config(path, ROBINSON),
    "model": lambda path: Policy.load(path, ROBINSON),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_said_at_once(reader: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    KINDS[kind](path)
    message = refused(lambda: READERS[reader](path))
    assert str(path) in message
    assert kind in message


@pytest.mark.parametrize("name", ["nothing", "x" * 5000, "a\0b", "file/inside", "\ud800"])
@pytest.mark.parametrize("reader", READERS)
def test_names_of_no_file(reader: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert refused(lambda: READERS[reader](tmp_path / name))


def test_a_pipe_that_the_process_was_given(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"text")
    os.close(writing)
    assert read_bytes(f"/dev/fd/{reading}") == b"text"
    os.close(reading)


def test_a_lock_that_is_something_else(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises((InputError, OSError)), locked(tmp_path):
        pass


CONTENTS = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r\n\r",
    b"null",
    b"[]",
    b"{",
    b"[" * 100_000,
]
CONTENTS += [
    b"NaN",
    b"1e400",
    b'{"a": 1, "a": 2}',
    b'"\\ud800"',
    b"9" * 10_000,
    b'{"format": null}',
]


@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_contents_of_no_use(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    for name, reader in READERS.items():
        if name != "configuration" or content.strip(b"\xef\xbb\xbf\r\n"):
            assert refused(lambda reader=reader: reader(path)), name  # type: ignore[misc]
    for name in ("run.json", INDEX, "setting.json"):
        (tmp_path / name).write_bytes(content)
    refused(lambda: Run(tmp_path).facts)
    refused(lambda: read_comparison(tmp_path))
    path.write_text("x = y\nx = x\n")
    refused(lambda: check_setting(tmp_path, read_equations(path)))


# Names, and what is printed


@pytest.mark.parametrize("name", ["../x", "x" * 300, "", "a/b", None, 5, ["x"]])
def test_names_of_systems_in_a_comparison(name: object, tmp_path: Path) -> None:
    index = {"format": 1, "systems": [name], "runs": []}
    (tmp_path / INDEX).write_text(json.dumps(index))
    assert "was not written by threesil compare" in refused(lambda: read_comparison(tmp_path))


def test_names_of_imports(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("p\tproved\t1\t1\n")
    assert "too long" in refused(lambda: read_imported(f"{'x' * 300}={path}", ("p",)))
    assert refused(lambda: read_imported(f"x={'y' * 5000}.tsv", ("p",)))


def test_what_could_not_be_written_has_a_name() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert "can't write out: No space" in str(not_written(full, Path("out")))
    assert "can't write the output: No space" in str(not_written(full))
    full.filename = "there"
    assert "can't write there: No space" in str(not_written(full, Path("out")))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_can_t_be_printed_is_replaced(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "named.thy"
    path.write_text("Axiom ä: f(f(x)) = x.\nTheorem ℵ: f(f(f(x))) = f(x).\n", encoding="utf-8")
    for command in (["show", str(path)], ["show", "ℵ"], ["prove", str(path), "--with", "none"]):
        done = subprocess.run(
            [sys.executable, "-m", "threesil", *command],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert done.returncode == (2 if command[1] == "ℵ" else 0), done.stderr
        assert b"Traceback" not in done.stderr
        done.stdout.decode(encoding)


def test_signatures_of_other_types_are_refused() -> None:
    with pytest.raises(InputError):
        theory_of("t", "", {"f": True}, {}, [])  # true is no arity
    assert Signature({"f": 1}).symbols["f"] == 1


@pytest.mark.parametrize("line", ['{"name": "p", "start": null}', "{}", "[]", "1", '{"start": 5}'])
def test_lines_of_problems(line: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, IndexError)):
        read_problem(line, ROBINSON)


def test_texts_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo \xff\n")
    assert "file:2: not UTF-8 text" in refused(lambda: read_text(path))


def test_messages_stay_short() -> None:
    for text in ("x" * 10**6, "Axiom a: " + "x" * 10**6 + ".", f"cnf(a, {'x' * 10**6}, a = a)."):
        assert len(refused(lambda text=text: parse(text))) < 5000  # type: ignore[misc]


def test_a_variable_that_exists_twice() -> None:
    values = json.loads(json.dumps(model_to_json(two())))
    values["problem"]["exists"] = ["x", "x"]
    with pytest.raises(NotAModel):  # it exists once, and then has no value
        StoredModel("file", values).checked()


@pytest.mark.parametrize("left", ["d(e)", "d(x,x)", "x", "d(f(x))"])
def test_what_is_no_definition(left: str) -> None:
    assert "a definition" in refused(lambda: parse(f"Constants e.\nDefinition d: {left} := e.\n"))


@pytest.mark.parametrize("terminal", [True, False])
def test_long_reading_is_told_on_a_terminal(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, said = io.StringIO(), threading.Event()
    console = Console(file=told, force_terminal=terminal)
    printed = console.print
    monkeypatch.setattr(console, "print", lambda *a, **k: (printed(*a, **k), said.set()))
    monkeypatch.setitem(vars(sys.modules["threesil.cli.app"]), "err", console)
    monkeypatch.setitem(vars(sys.modules["threesil.cli.app"]), "_PATIENCE", 0.0)
    with reading("a\x1bfile"):
        if terminal:
            assert said.wait(120)
    assert ("reading a\\x1bfile" in told.getvalue()) is terminal
    with pytest.raises(InputError), reading("other"):
        raise InputError("through")


@pytest.mark.parametrize("value", [[1], "1", True, -1, 10**300])
@pytest.mark.parametrize("key", ["seconds", "cpu"])
def test_times_in_metrics(key: str, value: object, tmp_path: Path) -> None:
    row = {"epoch": 0, "level": 1, "solved": 1, "success": 0.5, "seconds": 1.5, "cpu": None}
    (tmp_path / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    assert len(Run(tmp_path).metrics()) == 1
    (tmp_path / "metrics.jsonl").write_text(json.dumps({**row, key: value}) + "\n")
    assert "metrics.jsonl:1: " in refused(lambda: Run(tmp_path).metrics())
