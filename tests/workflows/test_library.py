"""Libraries: lemmas with proofs, chosen by what they save."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from threesil.cli import main
from threesil.engine import Budget
from threesil.errors import InputError
from threesil.formats.reading import read
from threesil.naming import equation_key
from threesil.problems import load_set, parse_problem
from threesil.proof import Proof
from threesil.search.strategies import make_strategy
from threesil.theories import get_theory
from threesil.theory import Equation, Problem, Theory
from threesil.workflows.library import Library, Plan, grow, measured

MOUFANG = get_theory("moufang")
PLAN = Plan(0.1, "saturate", 2)


@pytest.fixture(scope="module")
def grown() -> Library:
    return grow(MOUFANG, load_set(MOUFANG, "goals"), PLAN)


def test_every_lemma_is_proved_from_the_axioms(grown: Library) -> None:
    assert grown.members
    for member in grown.members:
        equation, proof = member.equation, member.proof
        assert type(proof) is Proof and proof.theory is MOUFANG and not proof.known
        assert proof.problem == Problem(equation.name, equation.lhs, equation.rhs)
        assert equation.kind == "known" and member.uses > 0
    assert len(grown.says) == len(grown.members)
    assert not grown.says & {equation_key(e.lhs, e.rhs) for e in MOUFANG.equations}


def test_it_says_how_it_was_chosen(grown: Library) -> None:
    for one in grown.rounds:
        assert one.trials[0].lemmas == 0 and one.candidates >= one.cited
        assert one.trials[-1].lemmas == one.cited or one.cited > 160
    best = min(grown.rounds[0].trials, key=lambda trial: trial.cost)
    assert best.lemmas > 0 and best.proved >= grown.rounds[0].trials[0].proved


def test_the_search_uses_it(grown: Library) -> None:
    (found,) = measured(
        grown.extended, [parse_problem("x * (y * (x * z)) = ((x * y) * x) * z", MOUFANG)], PLAN
    )
    assert found.proof is not None


def test_no_problem_is_proved_by_itself() -> None:
    known = parse_problem("i(i(x)) = x", get_theory("groups"))
    theory = Library(get_theory("groups")).extended
    assert known.target is not None
    lent = theory.extended([Equation("lib_1", known.start, known.target, "known")])
    (found,) = measured(lent, [known], Plan(1.0, "complete"))
    assert found.proof is not None and not found.proof.known
    direct = make_strategy("complete", lent).prove(known, Budget(None, 1.0))
    assert direct.proof is not None and direct.proof.known


def test_two_problems_are_needed() -> None:
    with pytest.raises(InputError, match="two equations"):
        grow(MOUFANG, load_set(MOUFANG, "goals")[:1], PLAN)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["threesil", *map(str, arguments)])
    handler = signal.getsignal(signal.SIGTERM)
    try:
        return main()
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        signal.signal(signal.SIGTERM, handler)


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lib, proofs = tmp_path / "lib.thy", tmp_path / "proofs.jsonl"
    options = ("--problems", "moufang-goals", "--mode", "saturate", "--rounds", 1)
    written = ("--out", lib, "--proofs", proofs, "--dev", "moufang-goals", "--json")
    assert run(monkeypatch, "problems", "library", "moufang", *options, *written) == 0
    report = json.loads(capsys.readouterr().out)
    known: Theory = read(lib).theory
    assert [e.name for e in known.lemmas] == [row["name"] for row in report["library"]]
    assert [row["known"] for row in report["dev"]] == [0, len(known.lemmas)]
    assert run(monkeypatch, "check", proofs) == 0
    capsys.readouterr()
    against = (*options, "--against", lib)
    assert run(monkeypatch, "problems", "library", "moufang", *against) == 0
    assert f"of the {len(known.lemmas)} that moufang-library knows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("theory", "problems", "message"),
    [
        ("moufang", "groups-goals", "no file and no problem set"),
        ("moufang", "nothing.tsv", "nothing.tsv"),
        ("nowhere", "moufang-goals", "nowhere"),
        ("aim", "aim-lemmas", "expected problems of one theory"),
    ],
)
def test_bad_input(
    theory: str,
    problems: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "problems", "library", theory, "--problems", problems) == 2
    assert message in capsys.readouterr().err
