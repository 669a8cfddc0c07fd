"""Proofs from the axioms alone: bundled proofs are certified, and cited as lemmas."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proof_samples import parsed, proof, walk
from threesil.errors import InputError
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Equation, Problem
from threesil.notations.proof_json import proof_from_json, proof_to_json
from threesil.problems.sets import load_set
from threesil.proofs.from_axioms import _File, from_axioms, proofs_of_known, without_known
from threesil.search.prover import Prover
from threesil.theories import get_theory
from threesil.theories.aim import AIM
from threesil.theories.robinson import ROBINSON

ALONE = AIM.before("id1")
RESOURCE = Path(__file__).parents[2] / "src" / "threesil" / "theories" / "proofs" / "aim.jsonl.gz"


def inverse() -> Proof:
    """Cites two known equations and an axiom."""
    return proof(
        AIM,
        r"e \ ((x \ x) * y) = y",
        ("id5", "->", "10", {"x": "x"}),
        ("lid", "->", "1", {"x": "y"}),
        ("id3", "->", "", {"x": "y"}),
        name="both",
    )


def test_every_known_equation_of_aim_has_a_proof_from_the_axioms() -> None:
    proofs = proofs_of_known(AIM)
    assert list(proofs) == [equation.name for equation in AIM.lemmas]
    assert len(proofs) == 70
    for equation in AIM.lemmas:
        found = proofs[equation.name]
        assert found.problem == Problem(equation.name, equation.lhs, equation.rhs)
        assert found.theory.digest == ALONE.digest
        assert len(found.axioms) <= 17 and found.known == ()


def test_a_proof_of_a_known_equation_cites_only_earlier_ones() -> None:
    names = [equation.name for equation in AIM.lemmas]
    for name, found in proofs_of_known(AIM).items():
        later = names[names.index(name) :]
        assert not {one.problem.name for one in in_order(found)[:-1]} & set(later)


def test_known_equations_are_replaced_by_their_proofs() -> None:
    given = inverse()
    assert [equation.name for equation in given.known] == ["id3", "id5"]
    made = from_axioms(given)
    assert made.known == () and made.problem == given.problem
    assert made.derivation == given.derivation
    assert {lemma.problem.name for lemma in made.lemmas} == {"id3", "id5"}
    assert made.theory.name == "aim:id1"  # which the command check finds


def test_lemmas_that_cite_known_equations_are_replaced_too() -> None:
    lemma = inverse()
    outer = proof(
        AIM,
        r"x * (e \ ((x \ x) * (x \ y))) = y",
        ("both", "->", "1", {"x": "x", "y": r"x \ y"}),
        ("b2", "->", "", {"x": "x", "y": "y"}),
        name="outer",
        lemmas=(lemma,),
    )
    made = from_axioms(outer)
    assert made.known == ()
    assert {"both", "id3", "id5"} <= {one.problem.name for one in in_order(made)}


def test_random_walks_rest_on_the_axioms() -> None:
    for seed in range(5):
        given = walk(40, seed)
        made = from_axioms(given)
        assert given.known and made.known == ()
        assert made.derivation == given.derivation


def test_a_proof_that_cites_none_stays_as_it_is() -> None:
    given = proof(AIM, "e * x = x", ("lid", "->", "", {"x": "x"}))
    made = from_axioms(given)
    assert made.derivation == given.derivation and made.theory.digest == ALONE.digest
    assert from_axioms(made) is made


def test_what_was_made_can_be_written_and_read() -> None:
    made = from_axioms(inverse())
    again = proof_from_json(proof_to_json(made), get_theory("aim:id1"), "here")
    assert again.problem == made.problem and again.known == ()


def test_parts_and_extensions_of_the_theory_have_the_proofs_too() -> None:
    part = AIM.before("prop_034cf5c5")
    made = from_axioms(certify(part, inverse().problem, inverse().derivation))
    assert made.theory.digest == ALONE.digest and made.theory.name == "aim:id1"
    more = AIM.extended([Equation("trivial", parsed(AIM, "x"), parsed(AIM, "e"))])
    made = from_axioms(certify(more, inverse().problem, inverse().derivation))
    assert made.known == () and "trivial" in made.theory.by_name


def test_known_equations_of_other_theories_are_taken_on_trust(tmp_path: Path) -> None:
    file = tmp_path / "mine.thy"
    file.write_text(
        "Theory mine: Mine.\nConstants e.\nAxiom unit: e * x = x.\nKnown twice: e * (e * x) = x.\n"
    )
    mine = get_theory(file)
    given = proof(mine, "e * (e * y) = y", ("twice", "->", "", {"x": "y"}))
    assert [equation.name for equation in given.known] == ["twice"]
    with pytest.raises(InputError, match="of a theory file are taken on trust"):
        from_axioms(given)
    assert not proofs_of_known(mine) and not proofs_of_known(ROBINSON)


def test_a_theory_that_lacks_axioms_gets_no_proof() -> None:
    weak = AIM.without(["b1", "b2", "s1", "s2"], "weak")
    with pytest.raises(InputError, match="which weak lacks"):
        proofs_of_known(weak)["id1"]
    assert without_known(ROBINSON) is ROBINSON


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(RESOURCE.read_bytes()).splitlines()]


def packed(values: list[dict[str, Any]]) -> bytes:
    return gzip.compress("".join(json.dumps(value) + "\n" for value in values).encode())


def _swap(values: list[dict[str, Any]]) -> None:
    values[0]["problem"], values[1]["problem"] = values[1]["problem"], values[0]["problem"]


def _other_step(values: list[dict[str, Any]]) -> None:
    values[0]["steps"][0]["equation"] = "lid"


def _no_steps(values: list[dict[str, Any]]) -> None:
    del values[0]["steps"]


def _of_itself(values: list[dict[str, Any]]) -> None:
    """A proof that cites what it proves."""
    value = values[0]
    sides = AIM.by_name["id1"]
    table, names = len(value["terms"]), {}
    for variable in sides.variables:
        names[variable] = table + len(names)
        value["terms"].append(variable)
    step = {"position": [], "equation": "id1", "direction": "->", "substitution": names}
    value["steps"] = [step | {"result": value["target"]}]


@pytest.mark.parametrize("damage", [_swap, _other_step, _no_steps, _of_itself])
def test_a_damaged_file_is_refused(damage: Callable[[list[dict[str, Any]]], None]) -> None:
    values = rows()
    assert _File(AIM, packed(values), "here").proof("id1").known == ()
    damage(values)
    with pytest.raises(InputError, match=r"here: .*damaged"):
        _File(AIM, packed(values), "here").proof("id1")


def test_what_is_no_file_of_proofs_is_refused() -> None:
    whole = RESOURCE.read_bytes()
    for content in (b"", whole[:1000], b"PK" + whole, gzip.compress(b"{}"), gzip.compress(b"\xff")):
        with pytest.raises(InputError):
            _File(AIM, content, "here")
    with pytest.raises(InputError, match="there is no proof of id2"):
        _File(AIM, packed(rows()[:1]), "here").proof("id2")


@pytest.mark.data
def test_proofs_of_the_dev_split_rest_on_the_axioms(data: Path) -> None:
    del data
    prover = Prover("aim")
    proofs = [prover.prove(one, expansions=600).proof for one in load_set(AIM, "dev")[:60]]
    found = [one for one in proofs if one is not None]
    assert len(found) >= 50 and any(one.known for one in found)
    assert all(from_axioms(one).known == () for one in found)
