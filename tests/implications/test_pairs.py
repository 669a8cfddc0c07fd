"""Listed pairs are decided, with certificates, in any signature, and resumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Run
from threesil.implications.equations import Pair, read_equations, read_pairs
from threesil.implications.pairs import Decider, decide_pairs
from threesil.kernel.outcome import SZS, Outcome
from threesil.measure.results import read_results

# Loops of odd kinds, a silly theory of one unary symbol, and a ternary one with a constant.
LISTS = {
    "magmas": (
        "x = (y * z) * (w * z)\nx = y * (z * y)\nx * y = y * x\nx * x = x\nx = x\n",
        {(0, 1): True, (1, 0): True, (0, 4): True, (2, 3): False, (3, 2): False, (4, 0): False},
    ),
    "silly": (
        "f(f(x)) = x\nf(f(f(x))) = f(x)\nf(x) = x\nf(x) = f(y)\n",
        {(0, 1): True, (1, 0): False, (2, 0): True, (0, 2): False, (3, 2): False, (3, 1): True},
    ),
    "ternary": (
        "Constants e.\nm(x,y,y) = x\nm(x,x,y) = y\nm(x,y,z) = e\nx = y\n",
        {(0, 1): False, (3, 2): True, (2, 3): False, (3, 0): True, (2, 0): False},
    ),
    "infinite": (  # no finite model tells these apart
        "x * (x \\ y) = y\nx \\ (x * y) = y\n",
        {(0, 1): False, (1, 0): False},
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_pairs_are_decided(name: str, tmp_path: Path) -> None:
    text, truth = LISTS[name]
    path = tmp_path / "equations.txt"
    path.write_text(text)
    given = read_equations(path)
    decider = Decider(given)
    for pair, implied in truth.items():
        decision = decider.decide(pair, 5.0)
        assert decision.status is (SZS.THEOREM if implied else SZS.COUNTER_SATISFIABLE), pair
        certificate = decision.proof or decision.model or decision.system
        assert certificate is not None
        assert certificate.theory is given.theory(pair[0])
        assert certificate.problem == given.problem(pair)


def test_a_decision_is_about_its_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it comes back from another machine."""
    path = tmp_path / "equations.txt"
    path.write_text("f(f(x)) = x\nf(f(f(x))) = f(x)\nf(x) = x\n")
    given = read_equations(path)
    decide = Decider.decide

    def another(decider: Decider, pair: Pair, *rest: Any) -> Outcome:
        return decide(decider, (0, 1), *rest)

    monkeypatch.setattr(Decider, "decide", another)
    assert decide_pairs(given, [(0, 1)])[0].certified
    with pytest.raises(ValueError, match="what is shown is not 'E1_E3'"):
        decide_pairs(given, [(0, 2)])


def test_the_command_resumes(threesil: Run, tmp_path: Path) -> None:
    text, truth = LISTS["magmas"]
    equations, pairs, out = tmp_path / "e.txt", tmp_path / "p.tsv", tmp_path / "r.jsonl"
    equations.write_text(text)
    rows = [f"{i + 1}\t{j + 1}\t{word}\n" for (i, j), word in truth.items()]
    pairs.write_text("".join(rows))
    command = ["problems", "implications", equations, "--pairs", pairs, "--workers", 2]
    code, shown, _ = threesil(*command, "--out", out, "--proofs", tmp_path / "proofs", "--json")
    assert code == 0
    figures = json.loads(shown)
    assert (figures["proved"], figures["refuted"], figures["open"]) == (3, 3, 0)
    _, found = read_results(out)
    for (i, j), implied in truth.items():
        row = found[f"E{i + 1}_E{j + 1}"]
        assert row.certified and (row.status is SZS.THEOREM) == implied
        assert (row.lemmas is None) != implied and (row.rewrites is None) != implied
    for name in found:
        assert (tmp_path / "proofs" / f"{name}.json").exists()
    written = sorted((tmp_path / "proofs").iterdir())
    code, shown, said = threesil("check", *written)  # no theory file is needed
    assert (code, said) == (0, "") and shown.count(": certified") == len(written)
    assert threesil("export", *written, "--format", "text").code == 0
    before = out.read_bytes()
    out.write_bytes(before[: before.index(b"\n") + 1 + 20])  # cut off in the first row
    code, shown, _ = threesil(*command, "--out", out)
    assert code == 0 and "6 pairs: 3 proved, 3 refuted, 0 open" in shown
    assert set(read_results(out)[1]) == set(found)
    code, _, said = threesil(*command, "--out", out, "--seconds", 0.5)
    assert code == 2 and "another setting" in said


def test_bad_input_is_exit_code_2(threesil: Run, tmp_path: Path) -> None:
    equations, pairs = tmp_path / "e.txt", tmp_path / "p.tsv"
    equations.write_text("x = x * x\nx * y = y * x\n")
    pairs.write_text("1\t3\n")
    code, _, said = threesil("problems", "implications", equations, "--pairs", pairs)
    assert code == 2 and "p.tsv:1" in said and "from 1 to 2, not '3'" in said


@pytest.mark.data
def test_a_sample_of_the_equational_theories_project(data: Path) -> None:
    given = read_equations(data / "etp" / "equations.txt")
    assert len(given) == 4694 and None not in given.mirror
    pairs = read_pairs(data / "etp" / "dev.tsv", given)
    truth = [line.split("\t")[2] for line in (data / "etp" / "dev.tsv").read_text().splitlines()]
    decider = Decider(given)
    for pair, word in list(zip(pairs, truth, strict=True))[::20]:
        decision = decider.decide(pair, 5.0)
        wanted = SZS.THEOREM if word == "true" else SZS.COUNTER_SATISFIABLE
        assert decision.status is wanted, given.name(pair)
