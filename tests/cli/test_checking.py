"""check and export, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Run
from proof_samples import GROUPS_FILE, left_inverses, walk
from threesil.engine import Budget
from threesil.kernel.proof import Derivation, Proof, Step, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Problem, Theory
from threesil.notations.model_json import model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.problems.files import parse_problem
from threesil.problems.theorems import random_theorems
from threesil.search.finite.finder import find
from threesil.theories import get_theory
from threesil.theories.aim import AIM


def aim_proof() -> Proof:
    """x * T(y,x) = y * x, by the definition of T and an axiom."""
    x, y = var("x"), var("y")
    terms = [
        app("*", x, app("T", y, x)),
        app("*", x, app("\\", x, app("*", y, x))),
        app("*", y, x),
    ]
    steps = (
        Step((1,), "T", LEFT_TO_RIGHT, {"u": y, "x": x}, terms[1]),
        Step((), "b2", LEFT_TO_RIGHT, {"x": x, "y": terms[2]}, terms[2]),
    )
    return certify(AIM, Problem("p1", terms[0], terms[2]), Derivation(terms[0], steps))


def save(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def test_a_proof_is_certified_and_explained(threesil: Run, tmp_path: Path) -> None:
    path = save(tmp_path / "p.json", proof_to_json(aim_proof()))
    done = threesil("check", path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{path}: certified, 2 rewrites: p1",
        "  shows:              for all x, y: x * T(y,x) = y * x",
        f"  theory:             aim (bundled), digest {AIM.digest[:16]} as in the file",
        "  proof:              2 rewrites",
        "  rests on:           b2, T",
        "  and takes as known: none",
    ]
    (row,) = map(json.loads, threesil("check", path, "--json").out.splitlines())
    assert row == {
        "source": str(path),
        "name": "p1",
        "certified": True,
        "theory": "aim",
        "digest": AIM.digest,
        "same_digest": True,
        "bundled": True,
        "statement": "for all x, y: x * T(y,x) = y * x",
        "rewrites": 2,
        "lemmas": 0,
        "axioms": ["b2", "T"],
        "known": [],
    }


def test_known_equations_are_named(threesil: Run, tmp_path: Path) -> None:
    made = next(made for made in random_theorems(AIM, steps=4, count=20, seed=2) if made.known)
    done = threesil("check", save(tmp_path / "p.json", proof_to_json(made)))
    names = ", ".join(equation.name for equation in made.known)
    assert f"  and takes as known: {names}\n" in done.out


def test_what_is_wrong_is_refused(threesil: Run, tmp_path: Path) -> None:
    value = proof_to_json(aim_proof())
    value["steps"][1]["equation"] = "b1"
    path = save(tmp_path / "p.json", proof_to_json(aim_proof()), value)
    done = threesil("check", path)
    assert done.code == 1
    assert ": certified" in done.out and f"{path}:2: refused: step 2: b1 -> does not" in done.out
    rows = [json.loads(line) for line in threesil("check", path, "--json").out.splitlines()]
    assert [row["certified"] for row in rows] == [True, False]
    assert rows[1]["reason"].startswith("step 2")


def test_a_digest_that_differs_is_refused(threesil: Run, tmp_path: Path) -> None:
    path = save(tmp_path / "p.json", {**proof_to_json(aim_proof()), "digest": "0" * 64})
    done = threesil("check", path)
    assert done.code == 1
    assert "refused: it was made in another theory aim" in done.out
    assert "add --theory FILE" in done.out


def forged(directory: Path, name: str) -> tuple[Theory, Path]:
    """A theory with commutativity in it that calls itself `name`, and a proof of that."""
    text = f"Theory {name}: Mine.\nConstants e.\nAxiom comm: x * y = y * x.\n"
    (directory / f"{name}.thy").write_text(text)
    theory = get_theory(directory / f"{name}.thy")
    x, y = var("x"), var("y")
    left, right = app("*", x, y), app("*", y, x)
    step = Step((), "comm", LEFT_TO_RIGHT, {"x": x, "y": y}, right)
    made = certify(theory, Problem("comm", left, right), Derivation(left, (step,)))
    return theory, save(directory / "forged.json", proof_to_json(made))


def test_no_file_stands_for_a_bundled_theory(
    threesil: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = forged(tmp_path, "aim")
    for other in ("aim", "aim.thy", "aim:id1"):
        (tmp_path / other).write_text((tmp_path / "aim.thy").read_text())
    monkeypatch.chdir(tmp_path)
    done = threesil("check", path)
    assert done.code == 1 and "refused" in done.out
    value = json.loads(path.read_text())
    done = threesil("check", save(path, {**value, "theory": "aim:id1"}))
    assert done.code == 1 and "refused" in done.out
    done = threesil("check", save(path, {**value, "theory": "aim:nothing"}))
    assert done.code == 2 and "no lemma nothing" in done.err


def test_a_theory_file_is_opened_only_if_the_user_names_it(
    threesil: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theory, path = forged(tmp_path, "mine")
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "mine.thy", str(tmp_path / "mine.thy")):
        save(path, {**json.loads(path.read_text()), "theory": name})
        done = threesil("check", path)  # its own equations are enough
        assert done.code == 0
        assert f"(as the file says)\n  it rests on:{8 * ' '}comm: x * y = y * x" in done.out
        (row,) = map(json.loads, threesil("check", path, "--json").out.splitlines())
        assert row["certified"] and row["equations"][0]["equation"] == "x * y = y * x"
        assert threesil("check", path, "--theory", "mine.thy").code == 0
    old = {k: v for k, v in json.loads(path.read_text()).items() if k != "symbols"}
    done = threesil("check", save(tmp_path / "old.json", old))
    assert done.code == 2 and "add --theory" in done.err
    done = threesil("check", path, "--theory", "mine.thy")
    assert f"mine (mine.thy), digest {theory.digest[:16]}" in done.out
    aim = save(tmp_path / "aim.json", proof_to_json(aim_proof()))
    assert threesil("check", aim, path, "--theory", "mine.thy").code == 0
    assert threesil("check", path, "--theory", "aim").code == 1


def test_rows_of_results_are_read(threesil: Run, tmp_path: Path) -> None:
    row = {"name": "p1", "status": "Theorem", "seconds": 0.25, "proof": proof_to_json(aim_proof())}
    path = save(tmp_path / "rows.jsonl", row, {"name": "q", "status": "Timeout"}, row)
    done = threesil("check", path)
    assert done.code == 0
    assert done.out.count(": certified") == 2


def test_what_generate_writes_is_read(threesil: Run, tmp_path: Path) -> None:
    path = tmp_path / "proofs.jsonl"
    made = threesil("problems", "generate", "aim", "--count", 5, "--seed", 3, "--proofs", path)
    assert made.code == 0
    assert threesil("check", path).out.count(": certified") == 5


@pytest.mark.parametrize("text", ["", "{", "[1e400]", "null", '{"format": "threesil-proof-1"}'])
def test_bad_input_is_a_message(text: str, threesil: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    for command in ("check", "export"):
        done = threesil(command, path)
        assert (done.code, done.out) == (2, "")
        assert str(path.name) in done.err.replace("\n", "")
    assert threesil("check", tmp_path / "missing.json").code == 2


def test_names_are_printed_harmlessly(threesil: Run, tmp_path: Path) -> None:
    evil = "\x1b[2J[red]\u202e\n%"
    value = proof_to_json(aim_proof())
    value["problem"] = evil
    path = save(tmp_path / "evil.json", value)
    done = threesil("check", path)
    assert done.code == 0
    assert "\\x1b[2J[red]\\u202e\\n%" in done.out
    assert not set("\x1b\u202e") & set(done.out + threesil("check", path, "--json").out)
    value["steps"][0]["equation"] = evil
    done = threesil("check", save(path, value))
    assert done.code == 1 and "\x1b" not in done.out
    value["theory"] = evil
    done = threesil("check", save(path, value))
    assert done.code == 1 and "\x1b" not in done.err + done.out
    for form in ("text", "latex", "tstp", "lean", "rocq"):
        value = {**proof_to_json(aim_proof()), "problem": evil}
        done = threesil("export", save(path, value), "--format", form)
        assert done.code == 0
        assert not set("\x1b\u202e") & set(done.out)


@pytest.mark.parametrize("form", ["text", "latex", "json", "tstp", "lean", "rocq"])
def test_export_writes_one_file(form: str, threesil: Run, tmp_path: Path) -> None:
    (tmp_path / "groups.thy").write_text(GROUPS_FILE)
    theory = get_theory(tmp_path / "groups.thy")
    inverse = recertified(left_inverses(), theory)
    one = save(tmp_path / "one.json", proof_to_json(inverse), proof_to_json(inverse))
    two = save(tmp_path / "two.json", proof_to_json(aim_proof()))
    options = ("--format", form, "--theory", tmp_path / "groups.thy")
    shown = threesil("export", one, two, *options)
    assert (shown.code, shown.err) == (0, "")
    out = tmp_path / "all"
    assert threesil("export", one, two, *options, "--out", out).out == ""
    assert out.read_text() == shown.out
    marks = {"text": "Lemma cancel", "latex": "Lemma cancel", "rocq": "Definition cancel"}
    marks |= {"lean": "theorem cancel", "tstp": "fof(cancel,"}
    if form == "json":
        assert threesil("check", out, "--theory", tmp_path / "groups.thy").code == 0
    else:
        times = 2 if form in ("text", "tstp") else 1  # elsewhere proofs share their lemmas
        assert shown.out.count(marks[form]) == times


def recertified(made: Proof, theory: Theory) -> Proof:
    lemmas = [recertified(lemma, theory) for lemma in made.lemmas]
    return certify(theory, made.problem, made.derivation, lemmas)


def test_long_chains_are_written_with_lemmas_for_people(threesil: Run, tmp_path: Path) -> None:
    path = save(tmp_path / "long.json", proof_to_json(walk(400, 1)))
    text = threesil("export", path).out
    assert "Lemma 1, for all " in text
    assert len(text.splitlines()) < 600
    assert r"\paragraph{Lemma " in threesil("export", path, "--format", "latex").out
    assert "lemma_1" not in threesil("export", path, "--format", "rocq").out


def test_export_refuses_what_is_no_proof(threesil: Run, tmp_path: Path) -> None:
    value = proof_to_json(aim_proof())
    value["steps"][1]["equation"] = "b1"
    path = save(tmp_path / "p.json", value)
    done = threesil("export", path, "--format", "lean", "--out", tmp_path / "p.lean")
    assert done.code == 2 and "refused: step 2" in done.err
    assert not (tmp_path / "p.lean").exists()
    assert threesil("export", path, "--format", "pdf").code == 2


def test_terms_that_can_not_be_written_out_are_refused(threesil: Run, tmp_path: Path) -> None:
    term = var("x")
    for _ in range(60):
        term = app("*", term, term)
    step = Step(
        (), "b2", RIGHT_TO_LEFT, {"x": term, "y": term}, app("*", term, app("\\", term, term))
    )
    chain = Derivation(term, (step,))
    made = certify(AIM, Problem("large", term, chain.end), chain)
    path = save(tmp_path / "large.json", proof_to_json(made))
    assert threesil("check", path).code == 0
    for form in ("text", "latex", "tstp", "lean", "rocq"):
        done = threesil("export", path, "--format", form)
        assert done.code == 2 and "only the format json" in done.err.replace("\n", " ")
    assert threesil("export", path, "--format", "json").code == 0


GROUPS_IN = """formulas(assumptions).
  (x * y) * z = x * (y * z).
  e * x = x.
  x' * x = e.
end_of_list.
formulas(goals).
  x * y = y * x.
end_of_list.
"""
MACE4 = """============================== DOMAIN SIZE 6 =========================

============================== MODEL =================================

interpretation( 6, [number=1, seconds=0], [

        function(e, [ 0 ]),

        function(c1, [ 1 ]),

        function(c2, [ 2 ]),

        function('(_), [ 0, 1, 2, 4, 3, 5 ]),

        function(*(_,_), [
\t\t\t   0, 1, 2, 3, 4, 5,
\t\t\t   1, 0, 3, 2, 5, 4,
\t\t\t   2, 4, 0, 5, 1, 3,
\t\t\t   3, 5, 1, 4, 0, 2,
\t\t\t   4, 2, 5, 0, 3, 1,
\t\t\t   5, 3, 4, 1, 2, 0 ])
]).

============================== end of model ==========================

============================== STATISTICS ============================
"""


def test_what_mace4_printed_is_checked(threesil: Run, tmp_path: Path) -> None:
    problem, model = tmp_path / "groups.in", tmp_path / "mace4.out"
    problem.write_text(GROUPS_IN)
    model.write_text(MACE4)
    done = threesil("check", model, "--problem", problem)
    assert done.code == 0
    assert f"{model}:5: certified, 6 elements" in done.out
    assert "x = 1, y = 2: x * y = 3, but y * x = 4" in done.out
    done = threesil("check", model)
    assert done.code == 2 and "add --problem FILE or --theory FILE" in done.err
    problem.write_text(GROUPS_IN.replace("x * y = y * x", "x * x' = e"))
    done = threesil("check", model, "--problem", problem)
    assert done.code == 1 and "no value refutes" in done.out
    problem.write_text(GROUPS_IN)
    model.write_text(MACE4.replace("5, 3, 4, 1, 2, 0", "5, 3, 4, 1, 0, 2"))
    done = threesil("check", model, "--problem", problem, "--json")
    assert done.code == 1 and "does not hold" in json.loads(done.out)["reason"]
    done = threesil("check", model, "--theory", "aim")
    assert done.code == 1 and "there is no table for" in done.out


def without_equations(name: str) -> dict[str, Any]:
    """A counter-model of x * e = x in a theory that has no equation."""
    return {
        "format": "threesil-model-1",
        "theory": name,
        "digest": "0" * 64,
        "symbols": {"*": 2, "e": 0, "i": 1},
        "infix": {"*": 1},
        "terms": ["x", ["e"], ["*", 0, 1]],
        "equations": [],
        "problem": {"name": "right unit", "start": 2, "target": 0, "exists": []},
        "statement": "",
        "size": 2,
        "tables": {"*": [[0, 0], [0, 0]], "e": 0, "i": [0, 0]},
        "values": {"x": 1},
    }


def test_a_theory_that_borrows_a_name_is_told_first(threesil: Run, tmp_path: Path) -> None:
    for name in ("groups", "Groups"):
        path = save(tmp_path / "m.json", without_equations(name))
        done = threesil("check", path)
        assert done.code == 0
        assert done.out.splitlines() == [
            f'{path}: certified, 2 elements: "right unit"',
            f"  beware:             this {name} is not the bundled theory of that name",
            "  refutes:            for all x: x * e = x",
            f"  theory:             {name} (as the file says)",
            "  its equations:      none",
            "  model:              2 elements, there is no equation to hold",
            "  fails:              for x = 1: x * e = 0, but x = 1",
        ]
        (row,) = map(json.loads, threesil("check", path, "--json").out.splitlines())
        assert (row["theory"], row["bundled"], row["equations"]) == (name, False, [])
        assert len(row["digest"]) == 64 and row["same_digest"] is False
    path = save(tmp_path / "m.json", without_equations("mine"))
    assert "beware" not in threesil("check", path).out
    (row,) = map(json.loads, threesil("check", path, "--json").out.splitlines())
    assert row["bundled"] is None


def test_a_bundled_theory_is_known_by_its_equations(threesil: Run, tmp_path: Path) -> None:
    """Whatever digest a file says."""
    theory = get_theory("groups")
    problem = parse_problem("x * y = e", theory)
    (found,) = find(theory, [problem], Budget(None, 10.0)).models
    assert found is not None
    for digest in (theory.digest, "0" * 64):
        path = save(tmp_path / "m.json", model_to_json(found) | {"digest": digest})
        done = threesil("check", path)
        assert done.code == 0 and "beware" not in done.out and "its equations" not in done.out
        (row,) = map(json.loads, threesil("check", path, "--json").out.splitlines())
        assert row["bundled"] is True and "equations" not in row


def test_what_a_proof_in_a_theory_of_ones_own_rests_on_is_shown(
    threesil: Run, tmp_path: Path
) -> None:
    _, path = forged(tmp_path, "aim")
    done = threesil("check", path, "--theory", tmp_path / "aim.thy")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[1].startswith("  beware:             this aim is not the bundled theory")
    assert "  it rests on:        comm: x * y = y * x" in lines
    (row,) = map(
        json.loads,
        threesil("check", path, "--theory", tmp_path / "aim.thy", "--json").out.splitlines(),
    )
    assert row["bundled"] is False
    assert row["equations"] == [{"name": "comm", "kind": "axiom", "equation": "x * y = y * x"}]


def test_a_variable_can_not_pass_for_a_statement(threesil: Run, tmp_path: Path) -> None:
    name = "x, y: x * y = y * x" + " " * 60
    chain = Derivation(var(name))
    made = certify(AIM, Problem("p", var(name), var(name)), chain)
    path = save(tmp_path / "p.json", proof_to_json(made))
    assert f'  shows:              for all ["{name}"]: ["{name}"] = ["{name}"]' in (
        threesil("check", path).out.splitlines()
    )


def test_an_equation_called_none_is_no_absence(threesil: Run, tmp_path: Path) -> None:
    (tmp_path / "t.thy").write_text("Theory t: T.\nConstants e.\nKnown none: e * x = x.\n")
    theory = get_theory(tmp_path / "t.thy")
    start = app("*", app("e"), var("x"))
    step = Step((), "none", LEFT_TO_RIGHT, {"x": var("x")}, var("x"))
    made = certify(theory, Problem("p", start, var("x")), Derivation(start, (step,)))
    path = save(tmp_path / "p.json", proof_to_json(made))
    done = threesil("check", path, "--theory", tmp_path / "t.thy")
    assert '  and takes as known: "none"' in done.out.splitlines()


def test_what_mace4_printed_names_its_theory(threesil: Run, tmp_path: Path) -> None:
    problem, model = tmp_path / "groups.in", tmp_path / "mace4.out"
    problem.write_text(GROUPS_IN)
    model.write_text(MACE4)
    (row,) = map(
        json.loads, threesil("check", model, "--problem", problem, "--json").out.splitlines()
    )
    assert row["theory"] == "groups" and row["bundled"] is False and len(row["equations"]) == 3
    assert "beware" in threesil("check", model, "--problem", problem).out
