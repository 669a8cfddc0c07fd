"""Counter-models in all notations: what is written is what was checked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from model_samples import GROUPS, some, theory, two
from threesil.errors import InputError
from threesil.kernel.countermodel import NotAModel
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.writing.notebook import html, latex, text
from threesil.proofs.export import MODEL_FORMATS, export_certificates

COQC = shutil.which("coqc")


def test_as_people_draw_it() -> None:
    assert export_certificates([two()], "text").splitlines() == [
        "e = 0",
        "",
        " * │ 0 1",
        "───┼─────",
        " 0 │ 0 1",
        " 1 │ 1 0",
        "* is the cyclic group Z_2",
        "",
        "    x │ 0 1",
        "──────┼─────",
        " i(x) │ 0 1",
        "",
        "It fails for x = 1: x * x = 0, but x = 1",
    ]


def test_for_tptp_and_mace4() -> None:
    text = export_certificates([two()], "tstp").splitlines()
    name = '"x * x = x"'
    assert text[-1] == f"% SZS output end FiniteModel for {name}"
    assert text[:5] == [
        "% refutes: for all x: x * x = x",
        f"% SZS output start FiniteModel for {name}",
        'fof(model_1_domain, fi_domain, ! [X] : ( X = "0" | X = "1" )).',
        "fof(model_1_functors, fi_functors, (",
        '  e = "0"',
    ]
    assert export_certificates([two()], "mace4").splitlines() == [
        "% refutes: for all x: x * x = x",
        "interpretation( 2, [number=1, seconds=0], [",
        "    function(e, [0]),",
        "    function(*(_,_), [0,1,1,0]),",
        "    function(i(_), [0,1]),",
        "    function(c1, [1])",
        "]).",
    ]


def test_for_papers() -> None:
    written = export_certificates([two()], "latex")
    assert "\\cdot & 0 & 1 \\\\ \\hline\n0 & 0 & 1 \\\\\n1 & 1 & 0\n\\end{array}" in written
    assert "$x \\cdot x = 0$, but $x = 1$ for $x = 1$." in written
    assert "the cyclic group $Z_2$" in written


def test_json_comes_back_and_is_checked_again() -> None:
    for one in some():
        (stored,) = stored_certificates(json.dumps(model_to_json(one)), "file")
        assert isinstance(stored, StoredModel)
        again = stored.checked()
        assert again.tables == one.tables and dict(again.values) == dict(one.values)
        assert again.theory.equations == one.theory.equations
        assert again.problem == one.problem
        assert stored.checked(one.theory).theory is one.theory


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("size", 3, "nested lists of 3"),
        ("size", "2", "size should be a number"),
        ("tables", {"e": 0, "*": [[0, 1], [1, 1]], "i": [0, 1]}, "inverse does not hold"),
        ("tables", {"e": 0, "*": [0, 1, 1, 0], "i": [0, 1]}, "nested lists"),
        ("tables", {"e": 0, "*": [[0, 1], [1, 0]]}, "tables for"),
        ("tables", {"e": True, "*": [[0, 1], [1, 0]], "i": [0, 1]}, "elements below 2"),
        ("values", {"x": 0}, "the problem holds"),
        ("values", {}, "expected elements for: x"),
        ("values", [1], "values should be an object"),
        ("problem", {"name": "p", "start": 0, "target": 99}, "number of an earlier entry"),
        ("problem", 3, "problem should be an object"),
        ("equations", [{"name": 1}], "an object with a name"),
        ("symbols", {"*": -1}, "should have numbers"),
        ("terms", [["*", 3]], "number of an earlier entry"),
        ("format", "threesil-model-9", "another format"),
    ],
)
def test_what_was_changed_is_refused(key: str, value: object, words: str) -> None:
    changed = model_to_json(two()) | {key: value}
    with pytest.raises((NotAModel, InputError), match=words):
        StoredModel("file", changed).checked()


def test_another_theory_of_that_name_is_refused() -> None:
    other = theory(GROUPS.replace("e * x = x", "x * e = x"))
    with pytest.raises(NotAModel, match="another theory"):
        StoredModel("file", model_to_json(two())).checked(other)


@pytest.mark.skipif(COQC is None, reason="coqc is not installed")
def test_rocq_accepts_refutations_and_no_others(tmp_path: Path) -> None:
    written = export_certificates(some(), "rocq")
    path = tmp_path / "Refuted.v"
    path.write_text(written + "Print Assumptions refutation_1.refuted.\n")
    done = _coqc(path)
    assert done.returncode == 0, done.stderr
    assert "Closed under the global context" in done.stdout
    wrong = re.sub(r"(u1, u1 => u)0", r"\g<1>1", written, count=1)
    assert wrong != written
    path.write_text(wrong)
    assert _coqc(path).returncode != 0
    path.write_text(export_certificates([two()], "rocq"))
    assert "Warning" not in _coqc(path).stderr


def _coqc(path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(COQC), "-q", path.name]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)


def test_lean_goes_through_all_values() -> None:
    assert export_certificates([two()], "lean").splitlines()[5:] == [
        "namespace refutation_1",
        "def e : Fin 2 := threesil_digit 1 0 0",
        "def mul (a0 a1 : Fin 2) : Fin 2 := threesil_digit 1 6 ((0 * 2 + a0.val) * 2 + a1.val)",
        "def i (a0 : Fin 2) : Fin 2 := threesil_digit 1 2 (0 * 2 + a0.val)",
        "theorem assoc : ∀ (x y z : Fin 2), (mul (mul x y) z) = (mul x (mul y z)) := "
        "by decide +kernel",
        "theorem unit : ∀ (x : Fin 2), (mul e x) = x := by decide +kernel",
        "theorem inverse : ∀ (x : Fin 2), (mul (i x) x) = e := by decide +kernel",
        "theorem refuted : ¬ ∀ (U : Type) (e : U) (mul : U → U → U) (i : U → U),",
        "  (∀ (x y z : U), (mul (mul x y) z) = (mul x (mul y z))) →",
        "  (∀ (x : U), (mul e x) = x) →",
        "  (∀ (x : U), (mul (i x) x) = e) →",
        "  ∀ (x : U), (mul x x) = x :=",
        "  fun h => absurd (h (Fin 2) e mul i assoc unit inverse 1) (by decide +kernel)",
        "end refutation_1",
    ]


@pytest.mark.parametrize("form", MODEL_FORMATS)
def test_every_notation_takes_every_model(form: str) -> None:
    assert export_certificates(some(), form)


def test_notebooks() -> None:
    assert "<table>" in html(two()) and "fails for x = 1" in html(two())
    assert "\\begin{array}" in latex(two())
    assert "cyclic group Z_2" in text(two())
