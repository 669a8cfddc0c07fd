"""Convergent systems on disk: written and read back, and refused when anything is changed."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest

from proof_samples import GROUPS
from threesil.errors import InputError, ThreesilError
from threesil.kernel.certificate import same_theory
from threesil.kernel.confluence import NotConvergent
from threesil.kernel.proof import NotAProof
from threesil.notations.reading.certificates import stored_certificates, stored_proofs
from threesil.notations.system_json import StoredSystem, shown_rules, system_to_json
from threesil.search.completing import complete


@cache
def value() -> dict[str, Any]:
    found = complete(GROUPS, 10.0)
    assert found.system is not None
    return system_to_json(found.system)


def read(changed: dict[str, Any]) -> None:
    StoredSystem("file", json.loads(json.dumps(changed))).certified(GROUPS)


def test_there_and_back() -> None:
    (stored,) = stored_certificates(json.dumps(value()), "file")
    assert isinstance(stored, StoredSystem) and stored.name == "groups"
    system = stored.certified(GROUPS)
    assert system_to_json(system) == value()
    assert sorted(shown_rules(system)) == sorted(value()["shows"])
    assert "i(x * y) -> i(y) * i(x)" in value()["shows"]


def test_a_file_is_enough() -> None:
    (stored,) = stored_certificates(json.dumps(value()), "file")
    assert isinstance(stored, StoredSystem)
    system = stored.certified()
    assert same_theory(system.theory, GROUPS)
    changed = {**value(), "equations": value()["equations"][:-1]}
    with pytest.raises(NotAProof):
        StoredSystem("file", changed).certified()


def test_a_proof_is_written_once() -> None:
    statements = [lemma["statement"] for lemma in value()["lemmas"]]
    assert len(statements) == len(set(statements))


def test_a_row_of_results_may_hold_it() -> None:
    row = {"name": "p", "status": "CounterSatisfiable", "system": value()}
    other = {"name": "q", "status": "Timeout"}
    (stored,) = stored_certificates(f"{json.dumps(row)}\n{json.dumps(other)}", "file")
    assert stored.certified(GROUPS)
    with pytest.raises(InputError, match="no proof in it"):
        stored_proofs(json.dumps(row), "file")


def test_a_system_without_a_rule_is_refused() -> None:
    for gone in range(len(value()["rules"])):
        changed = copy.deepcopy(value())
        del changed["rules"][gone]
        with pytest.raises(NotConvergent):
            read(changed)


def test_a_step_that_is_wrong_is_refused() -> None:
    changed = copy.deepcopy(value())
    long = next(lemma for lemma in changed["lemmas"] if len(lemma["steps"]) > 1)
    del long["steps"][0]
    with pytest.raises(NotAProof):
        read(changed)


@pytest.mark.parametrize(
    ("key", "new"),
    [
        ("format", "threesil-system-9"),
        ("digest", "0" * 64),
        ("rules", [10_000]),
        ("rules", "all"),
        ("rules", [-1]),
        ("lemmas", None),
        ("lemmas", [1]),
        ("terms", {}),
        ("order", []),
        ("order", {"weights": {}, "variable": 1, "precedence": []}),
        ("order", {"weights": {"*": 1, "i": "0", "e": 1}, "variable": 1, "precedence": ["e"]}),
        ("order", {"weights": {"*": 1, "i": 0, "e": 1}, "variable": True, "precedence": []}),
        ("order", {"weights": {"*": 1, "i": 0, "e": 1}, "variable": 1, "precedence": [["e"]]}),
        ("problem", 7),
        ("problem", {"name": "p", "start": 0, "target": 0}),
        ("problem", {"name": "p", "start": 10**9, "target": 0}),
    ],
)
def test_what_is_none_is_refused(key: str, new: object) -> None:
    with pytest.raises(ThreesilError):
        read({**value(), key: new})
