"""Proofs as JSON: what is written is read, what is hostile is refused."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from proof_samples import GROUPS, left_inverses, proof, varied
from threesil.errors import InputError, ThreesilError
from threesil.kernel.certificate import shows
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import LEFT_TO_RIGHT, Problem
from threesil.notations.proof_json import StoredProof, proof_from_json, proof_to_json
from threesil.notations.reading.certificates import read_proofs, stored_proofs


def written(made: Proof) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(proof_to_json(made)))
    return value


def test_every_proof_comes_back() -> None:
    for made in varied():
        back = proof_from_json(written(made), made.theory, "test")
        assert back.derivation == made.derivation
        assert (back.problem.start, back.problem.target) == (
            made.problem.start,
            made.problem.target,
        )
        assert back.problem.exists == made.problem.exists
        assert back.axioms == made.axioms
        assert len(in_order(back)) == len(in_order(made))


def test_people_see_what_it_says_and_rests_on() -> None:
    value = written(left_inverses())
    assert value["format"] == "threesil-proof-2"
    assert value["statement"] == "for all x: x * i(x) = e"
    assert [lemma["problem"] for lemma in value["lemmas"]] == ["cancel", "twice"]
    unit = value["axioms"][0]
    assert (unit["name"], unit["kind"], unit["equation"]) == ("unit", "axiom", "e * x = x")


def test_a_file_is_enough() -> None:
    """Without its theory a proof is one in the theory of the equations that it rests on."""
    for made in varied():
        back = StoredProof("test", written(made)).certified()
        assert back.derivation == made.derivation
        sides = [(one.name, one.kind, one.lhs, one.rhs) for one in made.axioms]
        own = [(one.name, one.kind, one.lhs, one.rhs) for one in back.theory.equations]
        assert own == sides and shows(back, made.theory, made.problem)


def test_what_a_file_says_of_its_theory_is_not_believed() -> None:
    value = written(left_inverses())
    unit = value["axioms"][0]
    wrong = [
        ("axioms", value["axioms"][1:]),
        ("axioms", [{**unit, "rhs": unit["lhs"]}, *value["axioms"][1:]]),
    ]
    for key, changed in wrong:
        with pytest.raises(NotAProof):
            StoredProof("test", {**value, key: changed}).certified()
    for key, changed in (
        ("axioms", [*value["axioms"], 3]),
        ("axioms", [unit, unit]),
        ("symbols", 3),
        ("symbols", {**value["symbols"], "*": 1}),
    ):
        with pytest.raises(InputError):
            StoredProof("test", {**value, key: changed}).certified()


def shared(levels: int) -> Term:
    term = var("x")
    for _ in range(levels):
        term = app("*", term, term)
    return term


def test_shared_terms_stay_shared() -> None:
    term = shared(60)
    start = app("*", app("e"), term)
    chain = Derivation(start, (Step((), "unit", LEFT_TO_RIGHT, {"x": term}, term),))
    made = certify(GROUPS, Problem("large", start, term), chain)
    text = json.dumps(proof_to_json(made))
    assert len(text) < 5000
    (stored,) = stored_proofs(text, "test")
    assert stored.certified(GROUPS).derivation == made.derivation


def test_a_deep_term_is_written_and_read() -> None:
    term = var("x")
    for _ in range(50_000):
        term = app("i", term)
    made = certify(GROUPS, Problem("deep", term, term), Derivation(term))
    (stored,) = stored_proofs(json.dumps(proof_to_json(made)), "test")
    assert stored.certified(GROUPS).problem.start == term


def test_all_ways_to_have_several(tmp_path: Path) -> None:
    made = left_inverses()
    row = json.dumps({"name": "p", "status": "Theorem", "seconds": 0.1, "proof": written(made)})
    unproved = json.dumps({"name": "q", "status": "Timeout", "seconds": 1.5})
    pretty = json.dumps(written(made), indent=1)
    path = tmp_path / "all.json"
    path.write_text(f"\ufeff{row}\n{unproved}\n\n{pretty}\n{pretty}\n")
    found = read_proofs(path)
    lines = pretty.count("\n") + 1
    assert [stored.source for stored in found] == [f"{path}:{n}" for n in (1, 4, 4 + lines)]
    assert all(stored.certified(GROUPS).problem == made.problem for stored in found)


BAD_TEXTS = {
    "": "there is no proof in it",
    "nothing": "not JSON",
    "[]": "not a proof of threesil",
    "3": "not a proof of threesil",
    "{}": "not a proof of threesil",
    '{"format": "threesil-results-1"}': "not a proof of threesil",
    '{"format": 3}': "not a proof of threesil",
    '{"status": "Timeout"}': "there is no proof in it",
    '{"a": 1, "a": 1}': "the key 'a' occurs twice",
    '{"a": NaN}': "NaN is not a number",
    '{"a": "\\ud800"}': "surrogates",
    '{"\\udc00": 1}': "surrogates",
    "[" * 200_000: "not JSON",
    '{"a":' * 200_000: "not JSON",
    '{"a": ' + "9" * 5000 + "}": "not JSON",
    '{"format": "threesil-proof-2"}\n{"x"': "not JSON",
}


@pytest.mark.parametrize("text", BAD_TEXTS, ids=lambda text: text[:30])
def test_a_text_that_is_no_file_of_proofs(text: str) -> None:
    with pytest.raises(InputError) as caught:
        stored_proofs(text, "file")
    assert BAD_TEXTS[text] in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00", bytes(range(256))])
def test_a_file_that_is_no_text(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(content)
    for bad in (path, tmp_path, tmp_path / "missing", "a\0b"):
        with pytest.raises(InputError):
            read_proofs(bad)


def changed(path: str, value: object) -> dict[str, Any]:
    """A written proof with another value at a place such as steps.0.position."""
    whole = place = written(left_inverses())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parents:
        place = place[part]  # type: ignore[index]
    if value is KeyError:
        del place[last]  # type: ignore[arg-type]
    else:
        place[last] = value  # type: ignore[index]
    return whole


INDICES = [1e400, 1.0, True, -1, 2**40, 2**70, "0", None, [0], float("nan")]
BAD_VALUES = [
    *(("steps.0.position", [value]) for value in INDICES),
    *(("start", value) for value in INDICES),
    *(("terms.3", ["*", value]) for value in INDICES),
    *(("steps.0.result", value) for value in INDICES),
    ("terms.2", ["*", 2, 2]),
    ("terms.2", []),
    ("terms.2", [1, 1]),
    ("terms", {}),
    ("terms", KeyError),
    ("steps", KeyError),
    ("steps", 3),
    ("steps.0", "x"),
    ("steps.0", None),
    ("steps.0.direction", "=>"),
    ("steps.0.direction", ["->"]),
    ("steps.0.equation", 1),
    ("steps.0.substitution", []),
    ("steps.0.substitution", KeyError),
    ("steps.0.position", "00"),
    ("problem", 4),
    ("exists", "x"),
    ("exists", [1]),
    ("exists", ["q"]),
    ("witnesses", []),
    ("lemmas", {}),
    ("lemmas.0", 1),
    ("lemmas.0.steps", None),
    ("lemmas.1.problem", "cancel"),
    ("format", "threesil-proof-3"),
]


@pytest.mark.parametrize(("path", "value"), BAD_VALUES, ids=str)
def test_a_value_of_the_wrong_kind(path: str, value: object) -> None:
    with pytest.raises(InputError):
        proof_from_json(changed(path, value), GROUPS, "test")


REFUSED = [
    ("steps.0.equation", "missing"),
    ("steps.0.position", [7]),
    ("exists", ["x"]),
    ("lemmas.0.problem", "inv"),
    ("lemmas.0.steps.0.equation", "twice"),
    ("lemmas.0.steps.0.equation", "cancel"),
    ("target", None),
    ("terms.0", "other"),
]


@pytest.mark.parametrize(("path", "value"), REFUSED, ids=str)
def test_what_the_kernel_refuses(path: str, value: object) -> None:
    with pytest.raises(NotAProof):
        proof_from_json(changed(path, value), GROUPS, "test")


def test_another_theory_of_the_same_name_is_refused() -> None:
    with pytest.raises(NotAProof, match="another theory groups"):
        StoredProof("test", changed("digest", "0" * 64)).certified(GROUPS)
    for value in (changed("digest", KeyError), changed("digest", 0)):
        with pytest.raises(InputError):
            StoredProof("test", value).certified(GROUPS)


def test_mutilated_files_never_crash_the_reader() -> None:
    random = Random(1)
    text = json.dumps(written(left_inverses()))
    for _ in range(1500):
        start = random.randrange(len(text))
        end = min(len(text), start + random.choice((0, 1, 1, 2, 5, 30)))
        new = random.choice(("", "0", "1", '"', "[", "]", "{", "}", ",", "-", "null", "1e9", "x"))
        try:
            for stored in stored_proofs(text[:start] + new + text[end:], "test"):
                back = stored.certified(GROUPS)
                assert certify(GROUPS, back.problem, back.derivation, back.lemmas)
        except ThreesilError:
            pass


def test_witnesses_and_normal_forms_come_back() -> None:
    made = proof(GROUPS, "x * x = x", ("unit", "->", "", {"x": "e"}), witnesses={"x": "e"})
    value = written(made)
    assert (value["exists"], value["statement"]) == (["x"], "exists x: x * x = x")
    assert proof_from_json(value, GROUPS, "test").derivation.witnesses == {"x": app("e")}
