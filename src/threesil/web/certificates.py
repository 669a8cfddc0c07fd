"""What an outcome can show: a view for a page, and files in many notations, later.

A certificate that was found is kept as JSON; before it is written in another notation, the kernel
checks it again.
"""

from __future__ import annotations

import json
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import in_order
from threesil.kernel.outcome import Outcome
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation, Theory
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import refuted, shown_order, shown_rules, system_to_json
from threesil.notations.writing import ladr
from threesil.notations.writing.view import model_view, proof_view
from threesil.proofs.export import FORMATS, PROOF_FORMATS, export_certificates
from threesil.proofs.from_axioms import without_known

Value = dict[str, Any]

PROVER9: Final = "prover9"
_KEPT: Final = 20_000_000  # characters of a certificate that can be written later
_SECONDS, _MEGABYTES = 60, 1024  # that a file for Prover9 allows it


def views(outcome: Outcome) -> Value:
    """The proof, the counter-model or the rules that refute, whichever there is."""
    return {
        "proof": proof_view(outcome.proof) if outcome.proof is not None else None,
        "model": model_view(outcome.model) if outcome.model is not None else None,
        "system": _system_view(outcome.system) if outcome.system is not None else None,
    }


def _system_view(system: Convergent) -> Value:
    """Rules under which the two sides of an equation have different normal forms."""
    return {
        "forms": refuted(system),
        "rules": shown_rules(system),
        "order": shown_order(system),
    }


def formats(outcome: Outcome) -> list[str]:
    """The notations that the certificate of an outcome can be written in."""
    if outcome.proof is not None:
        return proof_formats(outcome.proof)
    if outcome.model is not None:
        return list(FORMATS)
    return ["json"] if outcome.system is not None else []


def kept(outcome: Outcome) -> Value | None:
    """The certificate as JSON, unless there is none or it is too long."""
    value: Value | None = None
    if outcome.proof is not None:
        value = proof_to_json(outcome.proof)
    elif outcome.model is not None:
        value = model_to_json(outcome.model)
    elif outcome.system is not None:
        value = system_to_json(outcome.system)
    return value if value is not None and len(json.dumps(value)) <= _KEPT else None


def written(value: Value, theory: Theory, form: str) -> str:
    """The text of a file with a certificate that was kept; the kernel has seen it again."""
    (stored,) = stored_certificates(json.dumps(value), "the certificate")
    assert not isinstance(stored, StoredTables)
    certificate: Proof | Countermodel | Convergent
    alone = without_known(theory)
    if isinstance(stored, StoredModel):
        certificate = stored.checked(theory)
    else:
        certificate = stored.certified(alone if stored.digest == alone.digest else theory)
    if isinstance(certificate, Proof):
        return written_proof(certificate, form)
    if form == "json":
        return json.dumps(value) + "\n"
    if isinstance(certificate, Convergent) or form not in FORMATS:
        raise InputError(f"{form} has no notation for this; json has")
    return export_certificates([certificate], form)


def proof_formats(proof: Proof) -> list[str]:
    """The notations that a proof can be written in; Prover9 knows no normal forms."""
    return [*PROOF_FORMATS, PROVER9] if proof.problem.target is not None else list(PROOF_FORMATS)


def written_proof(proof: Proof, form: str) -> str:
    """The text of a file with a proof, in one of its formats."""
    known = proof_formats(proof)
    if form not in known:
        raise InputError(f"this proof can't be written as {form}; choose {', '.join(known)}")
    return _prover9(proof) if form == PROVER9 else export_certificates([proof], form)


def _prover9(proof: Proof) -> str:
    """The problem for Prover9: the proof's lemmas as assumptions, its terms as hints."""
    lemmas = [
        Equation(f"lemma_{number}", lemma.problem.start, lemma.derivation.end, "known")
        for number, lemma in enumerate(in_order(proof)[:-1], 1)
    ]
    hints = [
        Equation(f"hint_{number}", proof.derivation.start, term)
        for number, term in enumerate(proof.derivation.terms[1:-1], 1)
    ]
    return ladr.write_problem(
        proof.theory,
        proof.problem,
        lemmas=lemmas,
        hints=hints if not proof.problem.exists else (),
        seconds=_SECONDS,
        megabytes=_MEGABYTES,
    )
