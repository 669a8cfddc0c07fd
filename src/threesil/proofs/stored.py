"""Certificates that were written down: what theory each is about, and checking it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.certificate import Certificate, same_theory
from threesil.kernel.confluence import Convergent, NotConvergent
from threesil.kernel.countermodel import Countermodel, NotAModel
from threesil.kernel.lemmas import in_order, length
from threesil.kernel.proof import NotAProof
from threesil.kernel.theory import Theory
from threesil.notations.infix import format_equation
from threesil.notations.model_json import StoredModel
from threesil.notations.proof_json import StoredProof
from threesil.notations.reading.certificates import Stored
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import StoredSystem, refuted, shown_order, shown_rules
from threesil.notations.writing.parts import statement
from threesil.theories import all_theories, get_theory

BUNDLED: Final = "bundled"
_CARRIED = "as the file says"


@dataclass(frozen=True)
class Theories:
    """The theories that proofs may be made in: the bundled ones, and those the user names.

    A file beside a proof is not opened because the proof says so.
    """

    given: Sequence[tuple[str, Theory]]

    @classmethod
    def named(cls, names: Sequence[str] | None) -> Theories:
        return cls([(name, get_theory(name)) for name in names or ()])

    def of(self, stored: Stored) -> tuple[str, Theory | None]:
        """The theory that it is about, and what to call it; None where a model brings its own."""
        if isinstance(stored, StoredTables):
            if len(self.given) == 1:
                return self.given[0]
            message = "a model in this notation does not say of which equations: add "
            raise InputError(f"{message}--problem FILE or --theory FILE", source=stored.source)
        if not isinstance(stored, StoredModel):
            return self.of_proof(stored)
        for theory in all_theories():
            if theory.digest == stored.digest:
                return BUNDLED, theory
        return self.given[0] if len(self.given) == 1 else (_CARRIED, None)

    def of_proof(self, proof: StoredProof | StoredSystem) -> tuple[str, Theory | None]:
        """The theory that a certificate is about, and what to call it; None for the file's own."""
        same = [one for one in self.given if one[1].digest == proof.digest]
        called = [one for one in self.given if one[1].name == proof.theory]
        if same or called:
            return (*same, *called)[0]
        base, _, lemma = proof.theory.partition(":")
        for theory in all_theories():
            if theory.name == base:
                return BUNDLED, _before(theory, lemma, proof)
        if len(self.given) == 1:
            return self.given[0]
        if proof.carries_theory:
            return _CARRIED, None
        message = f"its theory {proof.theory} is not bundled"
        raise InputError(f"{message}: add --theory FILE", source=proof.source)


def _before(theory: Theory, lemma: str, proof: StoredProof | StoredSystem) -> Theory:
    try:
        return theory.before(lemma) if lemma else theory
    except ValueError as error:
        raise InputError(str(error), source=proof.source) from None


Checked = Certificate | NotAProof | NotAModel | NotConvergent
REFUSED = NotAProof, NotAModel, NotConvergent


def checked(stored: Stored, theory: Theory | None) -> Checked:
    try:
        if isinstance(stored, StoredModel):
            return stored.checked(theory)
        if isinstance(stored, StoredTables):
            assert theory is not None
            return stored.checked(theory)
        return stored.certified(theory)
    except REFUSED as error:
        return error


def is_bundled(theory: Theory) -> bool | None:
    """Whether it is the bundled theory of its name; None if none has that name."""
    base, _, lemma = theory.name.partition(":")
    for known in all_theories():
        if known.name.casefold() == base.casefold():
            if any(equation.name == lemma for equation in known.lemmas):
                known = known.before(lemma)
            return known.name == theory.name and same_theory(known, theory)
    return None


def theory_row(theory: Theory) -> dict[str, Any]:
    """The theory for a program; its equations too, unless it is bundled under its name."""
    equal = is_bundled(theory)
    row: dict[str, Any] = {"theory": theory.name, "digest": theory.digest, "bundled": equal}
    if not equal:
        row["equations"] = [
            {"name": e.name, "kind": e.kind, "equation": format_equation(e, theory.signature)}
            for e in theory.equations
        ]
    return row


def facts_of(found: Certificate) -> dict[str, Any]:
    """What a certificate shows, for a program."""
    if isinstance(found, Countermodel):
        return {
            "certified": True,
            "refutes": statement(found),
            "size": found.tables.size,
            "values": dict(found.values),
        }
    if isinstance(found, Convergent):
        return {
            "certified": True,
            "refutes": refuted(found) if found.problem else None,
            "order": shown_order(found),
            "rules": shown_rules(found),
        }
    return {
        "certified": True,
        "statement": statement(found),
        "rewrites": length(found),
        "lemmas": len(in_order(found)) - 1,
        "axioms": [equation.name for equation in found.axioms if equation.kind != "known"],
        "known": [equation.name for equation in found.known],
    }
