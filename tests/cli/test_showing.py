"""The command show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from threesil.cli import app, register
from threesil.errors import InputError
from threesil.notations.reading import parse

register()

TEXT = """cnf(unit, axiom, mul(e,X) = X).
fof(inverse, axiom, ! [X] : ? [Y] : mul(Y,X) = e).
cnf(goal, negated_conjecture, mul(a,Z) != Z).
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.p"
    path.write_text(TEXT)
    return path


def test_what_was_understood(file: Path) -> None:
    done = CliRunner().invoke(app, ["show", str(file)])
    assert done.output.splitlines() == [
        "some: tptp, 2 equations",
        "symbols: e/0, mul/2, a/0, sk_Y/1",
        "  axiom       unit: mul(e,X) = X",
        "  axiom       inverse: mul(sk_Y(X),X) = e",
        "goal some: there is Z: mul(a,Z) = Z",
        "note: inverse: Y, that exists, given X, is sk_Y(X)",
    ]


@pytest.mark.parametrize("notation", ["tptp", "ladr", "theory"])
def test_other_notations(file: Path, notation: str) -> None:
    done = CliRunner().invoke(app, ["show", str(file), "--format", notation])
    assert done.exit_code == 0
    document = parse(done.stdout)
    assert document.notation == notation
    assert len(document.theory.equations) == 2
    assert len(document.problems[0].exists) == 1


def test_json(file: Path) -> None:
    value = json.loads(CliRunner().invoke(app, ["show", str(file), "--json"]).stdout)
    assert value["notation"] == "tptp"
    assert value["symbols"] == {"mul": 2, "e": 0, "a": 0, "sk_Y": 1}
    assert [goal["exists"] for goal in value["goals"]] == [["Z"]]


def test_mistakes(file: Path) -> None:
    done = CliRunner().invoke(app, ["show", str(file) + "x"])
    assert isinstance(done.exception, InputError)
    assert "no such file" in str(done.exception)
    done = CliRunner().invoke(app, ["show", str(file), "--format", "latex"])
    assert "expected one of" in str(done.exception)


def test_one_equation_is_no_plural(tmp_path: Path) -> None:
    path = tmp_path / "one.thy"
    path.write_text("Axiom a: f(x) = x.\nTheorem t: f(f(x)) = x.\n")
    assert "1 equation\n" in CliRunner().invoke(app, ["show", str(path)]).output
