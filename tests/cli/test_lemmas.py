"""lemmas, as a person asks for them and as provers read them."""

import subprocess
from pathlib import Path

import pytest

from commands import threesil
from samples import equation, written
from threesil.errors import MissingTool
from threesil.notations.infix import parse_equation
from threesil.notations.reading import read
from threesil.provers.registry import find
from threesil.theories.aim import AIM

GOAL = r"T(x / (y \ x),y) = y"


def lemmas(weights: str, *more: str) -> str:
    done = threesil("lemmas", GOAL, "--weights", weights, "--expansions", "150", *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_lemmas_are_printed(weights: str) -> None:
    lines = lemmas(weights, "--count", "7").splitlines()
    assert len(lines) == 7
    goal = equation(GOAL)
    for line in lines:
        lhs, rhs = parse_equation(line, AIM.signature)
        assert lhs.size >= rhs.size
        assert {lhs, rhs} & {goal.start, goal.target}
    many = lemmas(weights, "--count", "100")
    assert many.splitlines()[:7] == lines


def test_lemmas_in_the_languages_of_provers(weights: str, tmp_path: Path) -> None:
    count = len(lemmas(weights).splitlines())
    for form, mark in (("ladr", 'label("lemma_'), ("tptp", "cnf(lemma_")):
        few = lemmas(weights, "--format", form).splitlines()
        if form == "ladr":
            assert (few.pop(0), few.pop()) == ("formulas(assumptions).", "end_of_list.")
        assert len(few) == count
        assert all(mark in line for line in few)
        whole = lemmas(weights, "--format", form, "--whole").splitlines()
        assert [line for line in whole if mark in line] == few
        path = tmp_path / f"whole.{form}"
        path.write_text("\n".join(whole))
        document = read(path)
        assert [problem.name for problem in document.problems] == ["whole"]
        assert len(document.theory.equations) == len(AIM.equations) + count


def test_prover9_accepts_the_lemmas(weights: str, tmp_path: Path) -> None:
    try:
        prover = find("prover9")
    except MissingTool as error:
        pytest.skip(str(error))
    path = tmp_path / "problem.in"
    path.write_text(lemmas(weights, "--format", "ladr", "--whole"))
    program = prover._executable(tmp_path)
    done = subprocess.run(
        [program, "-f", str(path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "THEOREM PROVED" in done.stdout
    assert "Fatal" not in done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([GOAL, "--format", "magic"], "unknown format 'magic'; expected text, ladr, tptp"),
        (["x * y"], "expected '='"),
        (["0", "--theory", "robinson"], "lemmas are about equations"),
        ([GOAL, "--as", "magic"], "--as magic: expected assumptions or hints"),
        ([GOAL, "--as", "hints"], "only Prover9 takes hints; add --format ladr"),
    ],
)
def test_bad_input_for_lemmas(weights: str, arguments: list[str], message: str) -> None:
    done = threesil("lemmas", *arguments, "--weights", weights)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_lemmas_need_weights(tmp_path: Path) -> None:
    written(tmp_path, "Axiom one: f(x) = g(x).")
    done = threesil("lemmas", "f(x) = g(x)", "--theory", str(tmp_path / "mine.thy"))
    assert done.returncode == 2
    assert "no weights of mine are bundled; train some" in done.stderr


def test_lemmas_of_a_file_with_several_problems(weights: str, tmp_path: Path) -> None:
    """One goal at a time."""
    path = tmp_path / "theorems.tsv"
    path.write_text("one\te * x = x\ntwo\tx * e = x\n")
    done = threesil("lemmas", str(path), "--weights", weights)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
