"""prove, check, export and evaluate on what is false, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import threesil
from samples import GROUPS_FILE


@pytest.fixture
def groups(tmp_path: Path) -> str:
    path = tmp_path / "groups.thy"
    path.write_text(GROUPS_FILE)
    return str(path)


@pytest.mark.parametrize("how", [[], ["--refute"]])
def test_a_false_equation_is_refuted(groups: str, how: list[str]) -> None:
    done = threesil("prove", "x * x = e", "--theory", groups, "--with", "none", *how)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "% SZS status CounterSatisfiable for x * x = e"
    assert "* is the cyclic group Z_3" in lines
    assert lines[-1].startswith("It fails for x = ")


def test_a_true_one_is_not(groups: str) -> None:
    done = threesil("prove", "x * i(x) = e", "--theory", groups, "--with", "none")
    assert done.stdout.startswith("% SZS status Theorem")
    done = threesil("prove", "x * i(x) = e", "--theory", groups, "--refute", "--size", "3")
    assert done.returncode == 1
    assert "% no counter-model (no model with at most 3 elements refutes it)" in done.stdout


def test_no_refute_and_bad_options(groups: str) -> None:
    rest = ("--theory", groups, "--with", "none", "--seconds", "0.3")
    done = threesil("prove", "x * y = y * x", "--no-refute", *rest[2:])
    assert "CounterSatisfiable" not in done.stdout and done.returncode == 1
    for options, words in (
        (("--refute", "--solver", "plain"), "leave --solver plain out"),
        (("--no-refute", "--size", "4"), "leaves nothing"),
        (("--format", "mace4"), "add --refute"),
        (("--format", "elvish"), "unknown format"),
        (("--solver", "plain", "--size", "4"), "solver plain has no option size"),
    ):
        done = threesil("prove", "x * x = e", *options, *rest)
        assert done.returncode == 2 and words in done.stderr


def test_written_checked_and_exported(groups: str, tmp_path: Path) -> None:
    out = tmp_path / "models.jsonl"
    done = threesil(
        *("prove", "x * x = e", "exists y: y * y = x", "x * e = x", "--with", "none"),
        *("--theory", groups, "--format", "json", "--out", str(out)),
    )
    assert done.returncode == 1 and "1 of 3 proved, 2 refuted" in done.stderr
    checked = threesil("check", str(out), "--theory", groups)
    assert checked.returncode == 0
    assert "  refutes:            for all x: x * x = e" in checked.stdout
    assert ": the sides differ, whatever y is" in checked.stdout
    models = out.read_text().splitlines()[:1] + out.read_text().splitlines()[-1:]
    alone = tmp_path / "alone.json"
    alone.write_text(models[-1])
    assert "(as the file says)" in threesil("check", str(alone)).stdout
    assert json.loads(threesil("check", str(alone), "--json").stdout)["certified"] is True
    exported = threesil("export", str(alone), "--format", "mace4")
    assert exported.stdout.startswith("% refutes:") and "interpretation( " in exported.stdout
    value = json.loads(models[-1])
    value["tables"]["*"][0][0] = 1 - value["tables"]["*"][0][0]
    alone.write_text(json.dumps(value))
    refused = threesil("check", str(alone))
    assert refused.returncode == 1 and "refused: the equation" in refused.stdout


def test_json_says_all(groups: str) -> None:
    done = threesil("prove", "x * x = e", "--theory", groups, "--with", "none", "--json")
    row = json.loads(done.stdout)
    assert (row["status"], row["certified"]) == ("CounterSatisfiable", True)
    assert row["model"]["format"] == "threesil-model-1"


def test_a_file_without_a_goal_asks_for_a_model(groups: str, tmp_path: Path) -> None:
    done = threesil("prove", groups, "--with", "none")
    assert done.returncode == 0
    assert done.stdout.startswith("% SZS status Satisfiable for groups")
    assert "the cyclic group Z_2" in done.stdout
    trivial = tmp_path / "trivial.thy"
    trivial.write_text("Axiom left: x * y = x.\nAxiom right: x * y = y.\n")
    done = threesil("prove", str(trivial), "--with", "none")
    assert done.stdout.startswith("% SZS status Satisfiable for trivial")
    assert "make all elements equal" in done.stdout


def test_goals_that_are_denied_together_fail_in_one_model(tmp_path: Path) -> None:
    """Each goal alone fails somewhere, but no model refutes both."""
    path = tmp_path / "two.p"
    axioms = "cnf(a, axiom, f(f(X)) = X).\ncnf(b, axiom, f(a) = a).\n"
    denied = "cnf({0}, negated_conjecture, {1} != {2}).\n"
    path.write_text(axioms + denied.format("g", "f(b)", "b") + denied.format("h", "c", "a"))
    done = threesil("prove", str(path), "--with", "none")
    assert done.returncode == 1
    assert done.stdout.startswith("% SZS status Satisfiable for two#1")
    assert "two#2 fails" in done.stdout
    row = threesil("prove", str(path), "--with", "none", "--json").stdout
    models = json.loads(row)["models"]
    assert [(model["problem"]["name"], model["values"]) for model in models] == [
        ("two#1", {}),
        ("two#2", {}),
    ]
    assert "provers" not in json.loads(row)
    (tmp_path / "row.json").write_text(row)
    done = threesil("check", str(tmp_path / "row.json"))
    assert done.stdout.count("certified") == 2
    done = threesil("prove", str(path), "--with", "none", "--refute", "--format", "mace4")
    assert done.stdout.count("interpretation(") == 2
    one = "cnf(k, axiom, f(b) = c).\n" + denied.format("g", "b", "c") + denied.format("h", "c", "b")
    path.write_text(axioms + one + denied.format("k", "f(f(b))", "b"))
    done = threesil("prove", str(path), "--with", "none", "--seconds", "5")
    assert done.stdout.startswith("% SZS status Unsatisfiable")


def test_a_refuted_problem_is_decided(groups: str, tmp_path: Path) -> None:
    problems = tmp_path / "problems.tsv"
    problems.write_text("a\tx * x = e\nb\tx * e = x\n")
    done = threesil("evaluate", str(problems), "--theory", groups, "--seconds", "5")
    assert "1 of 2 proved" in done.stdout and "1 refuted" in done.stdout
    out = tmp_path / "out.jsonl"
    options = ("--theory", groups, "--seconds", "5", "--json", "--out", str(out))
    summary = json.loads(threesil("evaluate", str(problems), *options).stdout)
    assert (summary["proved"], summary["refuted"], summary["within"]["5"]) == (1, 1, 1.0)


def test_without_a_conjecture_the_status_is_about_the_formulas(tmp_path: Path) -> None:
    path = tmp_path / "denied.p"
    axiom, denied = "cnf(a, axiom, f(f(X)) = X).\n", "cnf(g, negated_conjecture, {} != b).\n"
    path.write_text(axiom + denied.format("f(b)"))
    done = threesil("prove", str(path), "--with", "none", "--format", "tstp")
    assert done.returncode == 1
    assert done.stdout.startswith("% SZS status Satisfiable for g\n")
    assert "% SZS output start FiniteModel for g\nfof(" in done.stdout
    assert done.stdout.endswith("% SZS output end FiniteModel for g\n")
    path.write_text(axiom + denied.format("f(f(b))"))
    for form in ("text", "tstp"):
        done = threesil("prove", str(path), "--with", "none", "--format", form)
        assert done.returncode == 0
        assert done.stdout.startswith("% SZS status Unsatisfiable for g\n")
        assert "SZS status Theorem" not in done.stdout
    (row,) = map(json.loads, threesil("prove", str(path), "--json").stdout.splitlines())
    assert row["status"] == "Unsatisfiable" and row["certified"]
