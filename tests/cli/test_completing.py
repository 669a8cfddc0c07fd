"""theories --complete and what normal forms refute, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Run


def theory(tmp_path: Path, *axioms: str) -> Path:
    path = tmp_path / "t.thy"
    lines = [f"Axiom a{k}: {axiom}." for k, axiom in enumerate(axioms)]
    path.write_text("\n".join(["Theory t: T.", "Constants e.", *lines, ""]))
    return path


def test_a_decision_is_printed_written_and_checked_again(tmp_path: Path, threesil: Run) -> None:
    path = tmp_path / "groups.json"
    code, out, err = threesil("theories", "groups", "--complete", "--out", path)
    assert code == 0 and not err
    assert out.startswith("groups: 10 rules decide it")
    assert "  i(x * y) -> i(y) * i(x)\n" in out and "order: e < * < i;" in out
    code, out, _ = threesil("check", path)
    assert code == 0 and "10 convergent rules: decides its theory" in out
    value = json.loads(path.read_text())
    del value["rules"][3]
    path.write_text(json.dumps(value))
    code, out, _ = threesil("check", path)
    assert code == 1 and "refused" in out


def test_json_is_the_certificate(tmp_path: Path, threesil: Run) -> None:
    file = theory(tmp_path, "f(f(x)) = x")
    code, out, _ = threesil("theories", file, "--complete", "--json")
    path = tmp_path / "system.json"
    path.write_text(out)
    assert code == 0 and json.loads(out)["shows"] == ["f(f(x)) -> x"]
    code, out, _ = threesil("check", path, "--theory", file, "--json")
    assert code == 0 and json.loads(out)["certified"] and json.loads(out)["refutes"] is None


LOOPS = (
    r"x * (x \ y) = y",
    r"x \ (x * y) = y",
    "(x / y) * y = x",
    "(x * y) / y = x",
    "e * x = x",
    "x * e = x",
)


@pytest.mark.parametrize(
    ("axioms", "rules"),
    [
        (LOOPS, 12),
        (("(x * y) * (y * z) = y",), 3),
        (("f(g(f(x))) = x", "h(x,x) = e"), 3),
    ],
)
def test_theories_of_several_kinds(
    tmp_path: Path, threesil: Run, axioms: tuple[str, ...], rules: int
) -> None:
    file = theory(tmp_path, *axioms)
    code, out, _ = threesil("theories", file, "--complete", "--seconds", 2)
    assert code == 0 and f"t: {rules} rules decide it" in out


def test_where_all_elements_are_equal(tmp_path: Path, threesil: Run) -> None:
    file = theory(tmp_path, "x * y = z", "x * x = x")
    code, out, _ = threesil("theories", file, "--complete")
    assert code == 0 and "all elements are equal" in out
    code, out, _ = threesil("theories", file, "--complete", "--json")
    (tmp_path / "p.json").write_text(out)
    assert threesil("check", tmp_path / "p.json", "--theory", file)[0] == 0


@pytest.mark.parametrize(
    ("axioms", "reason"),
    [
        (["x * y = y * x"], "can't be oriented"),
        (["x * (y * z) = y * (x * (x * z))"], "in the time"),
    ],
)
def test_what_is_not_decided(tmp_path: Path, threesil: Run, axioms: list[str], reason: str) -> None:
    file, path = theory(tmp_path, *axioms), tmp_path / "out.json"
    arguments = ("theories", file, "--complete", "--seconds", 0.3, "--out", path)
    code, out, _ = threesil(*arguments)
    assert code == 1 and "not decided" in out and reason in out
    assert not path.exists()
    code, out, _ = threesil(*arguments, "--json")
    assert code == 1 and reason in json.loads(out)["reason"]


def test_bad_usage(tmp_path: Path, threesil: Run) -> None:
    for arguments in (("--complete",), ("groups", "--out", tmp_path / "x")):
        code, _, err = threesil("theories", *arguments)
        assert code == 2 and "--complete" in err


def test_normal_forms_refute(tmp_path: Path, threesil: Run) -> None:
    common = ("prove", "x * y = y * x", "--theory", "groups", "--with", "none")
    code, out, _ = threesil(*common, "--solver", "complete")
    assert code == 1 and out.startswith("% SZS status CounterSatisfiable for")
    assert "% normal forms: x * y and y * x are different" in out
    code, out, _ = threesil(*common, "--solver", "complete", "--json")
    row = json.loads(out)
    assert code == 1 and row["certified"] and row["status"] == "CounterSatisfiable"
    path = tmp_path / "row.json"
    path.write_text(out)
    code, out, _ = threesil("check", path)
    assert code == 0 and "does not follow" in out


def test_saturation_alone_is_no_refutation(tmp_path: Path, threesil: Run) -> None:
    file = theory(tmp_path, "x * y = y * x")
    code, out, _ = threesil("prove", "x * x = x", "--theory", file, "--solver", "complete")
    assert code == 1 and "% SZS status GaveUp" in out and "can't be oriented" in out
