"""Proofs in TSTP: every step follows from its parents, as E finds too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from proof_samples import GROUPS, existential, left_inverses, nasty, proof, trivial, varied
from threesil import Prover
from threesil.kernel.proof import Proof
from threesil.notations.reading import parse
from threesil.notations.writing.tptp import write_tstp

EPROVER = shutil.which("eprover")
FORMULA = re.compile(
    r"fof\((?P<name>\w+), (?P<role>\w+), (?P<formula>.*),\s+"
    r"(?:file\(.*\)|inference\((?P<rule>\w+), \[status\((?P<status>\w+)\)"
    r"(?:, new_symbols\(skolem,\[(?P<new>.*)\]\))?\], \[(?P<parents>.*)\]\))\)\.",
)


def test_the_whole_text() -> None:
    made = proof(
        GROUPS,
        "e * (e * x) = x",
        ("unit", "->", "", {"x": "e * x"}),
        ("unit", "->", "", {"x": "x"}),
        name="p 1",
    )
    assert write_tstp([made]).splitlines() == [
        '% SZS status Theorem for "p 1"',
        '% SZS output start Proof for "p 1"',
        "fof(unit, axiom, ! [X] : mul(e,X) = X, file(groups, unit)).",
        "fof(p_1_1, plain, ! [X] : mul(e,mul(e,X)) = mul(e,X),",
        "    inference(rewrite, [status(thm)], [unit])).",
        "fof(p_1, conjecture, ! [X] : mul(e,mul(e,X)) = X,",
        "    inference(rewrite, [status(thm)], [p_1_1, unit])).",
        '% SZS output end Proof for "p 1"',
    ]


def test_a_goal_with_witnesses_ends_with_its_instance() -> None:
    text = write_tstp(existential())
    assert "fof(band, conjecture, ! [Y] : ? [X] : mul(X,Y) = Y,\n    inference(instance," in text


@pytest.mark.parametrize("made", varied(), ids=lambda made: made.problem.name[:20])
def test_parents_stand_before_their_children(made: Proof) -> None:
    found = formulas(write_tstp([made]))
    seen: set[str] = set()
    for entry in found:
        assert entry["name"] not in seen
        assert set(parents(entry)) <= seen
        seen.add(entry["name"])


def formulas(text: str) -> list[re.Match[str]]:
    found = list(FORMULA.finditer(text))
    assert len(found) == text.count("fof(")
    return found


def parents(entry: re.Match[str]) -> list[str]:
    return [name for name in (entry["parents"] or "").split(", ") if name]


GROUP = "fof(a, axiom, f(f(X,Y),Z) = f(X,f(Y,Z))).\nfof(u, axiom, f(e,X) = X).\n"
FILES = {
    "conjecture": f"{GROUP}fof(i, axiom, f(i(X),X) = e).\nfof(g, conjecture, ! [X] : f(X,e) = X).",
    "skolem": f"{GROUP}fof(i, axiom, ! [X] : ? [Y] : f(Y,X) = e).\n"
    "fof(g, conjecture, ! [X] : ? [Y] : f(X,Y) = e).",
    "skolems": "fof(a, axiom, ? [U] : ! [X] : ? [Y] : f(U,g(X,Y)) = X).\n"
    "fof(g, conjecture, ! [X] : ? [U,Y] : f(U,Y) = X).",
    "herbrand": "fof(a, axiom, ? [U] : ! [X] : f(U,X) = X).\n"
    "fof(g, conjecture, ? [U] : ! [X] : f(U,f(U,X)) = X).",
    "denied": "cnf(a, axiom, f(e,X) = X).\ncnf(g, negated_conjecture, f(e,f(e,a)) != a).",
    "denied, values": "cnf(a, axiom, f(e,X) = X).\ncnf(g, negated_conjecture, f(X,e) != X).",
    "denied, functions": "cnf(a, axiom, f(e,X) = X).\n"
    "fof(g, negated_conjecture, ~ ( ? [U] : ! [X] : f(U,f(U,X)) = X )).",
}


def solution(name: str) -> str:
    """The proof of a file's goal, as `prove` writes it."""
    document = parse(FILES[name], "file")
    (problem,) = document.problems
    proof = Prover(document.theory).prove(problem, seconds=20).proof
    assert proof is not None
    return write_tstp([proof], {id(proof): document.origin})


def checked(text: str) -> None:
    """The rules of a derivation that need no logic."""
    entries = formulas(text)
    seen: dict[str, str] = {}
    used: set[str] = set()
    for entry in entries:
        assert entry["name"] not in seen
        assert set(parents(entry)) <= seen.keys()
        used.update(parents(entry))
        leaf = entry["rule"] is None
        assert leaf == ("file(" in entry[0]) and (not leaf or entry["role"] != "plain")
        assert entry["status"] in ((None,) if leaf else ("thm", "cth", "esa"))
        new = (entry["new"] or "").split(",") if entry["new"] else []
        assert (entry["status"] == "esa") == bool(new)
        for symbol in new:
            assert re.search(rf"\b{symbol}\b", entry["formula"])
            assert not any(re.search(rf"\b{symbol}\b", formula) for formula in seen.values())
        seen[entry["name"]] = entry["formula"]
    (root,) = (entry for entry in entries if entry["name"] not in used)
    assert root is entries[-1]
    assert root["role"] == "conjecture" or root["formula"] == "$false"


@pytest.mark.parametrize("name", FILES)
def test_a_solution_is_a_derivation_from_the_file(name: str, tmp_path: Path) -> None:
    text = solution(name)
    checked(text)
    denied = name.startswith("denied")
    assert text.startswith(f"% SZS status {'Unsatisfiable' if denied else 'Theorem'} for ")
    refuted = "fof(false, plain, $false," in text
    assert refuted == (denied or name == "herbrand")
    functions = name in ("skolem", "skolems", "herbrand", "denied, functions")
    assert ("status(esa), new_symbols(skolem,[" in text) == functions
    every_step(text, tmp_path)


@pytest.mark.parametrize("made", varied(), ids=lambda made: made.problem.name[:20])
def test_every_proof_is_a_derivation(made: Proof) -> None:
    checked(write_tstp([made]))


@pytest.mark.skipif(EPROVER is None, reason="eprover is not installed")
@pytest.mark.parametrize("name", FILES)
def test_others_can_read_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "solution.p"
    path.write_text(solution(name))
    command = [str(EPROVER), "--cnf", "--tstp-format", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(EPROVER is None, reason="eprover is not installed")
@pytest.mark.parametrize(
    "made",
    [left_inverses(), *existential()[:2], *nasty()[1:], trivial()[1]],
    ids=lambda made: made.problem.name,
)
def test_every_step_follows_from_its_parents(made: Proof, tmp_path: Path) -> None:
    every_step(write_tstp([made]), tmp_path)


def every_step(text: str, tmp_path: Path) -> None:
    """E proves each step that is said to follow; nothing without E."""
    if EPROVER is None:
        return
    found = {entry["name"]: entry for entry in formulas(text)}
    for name, entry in found.items():
        if entry["status"] != "thm":
            continue
        given = [f"fof({p}, axiom, {found[p]['formula']})." for p in parents(entry)]
        path = tmp_path / f"{name}.p"
        path.write_text("\n".join([*given, f"fof({name}, conjecture, {entry['formula']}).\n"]))
        command = [str(EPROVER), "--auto", "--cpu-limit=20", "-s", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert re.search("SZS status (Theorem|ContradictoryAxioms)", done.stdout), done.stdout
