"""What an outcome can show: a view for a page, and files in many notations, later.

A certificate that was found is kept as JSON; before it is written in another notation, the kernel
checks it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from threesil.errors import InputError
from threesil.kernel.certificate import Certificate
from threesil.kernel.confluence import Convergent
from threesil.kernel.outcome import Outcome
from threesil.kernel.theory import Theory
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import refuted, shown_order, shown_rules, system_to_json
from threesil.notations.writing.view import model_view, proof_view
from threesil.proofs.export import MODEL_FORMATS, export_certificates, formats_of
from threesil.proofs.from_axioms import without_known

Value = dict[str, Any]

_KEPT: Final = 20_000_000  # characters of a certificate that can be written later


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
        return formats_of(outcome.proof)
    if outcome.model is not None:
        return list(MODEL_FORMATS)
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


def written(value: Value, theories: Sequence[Theory], form: str) -> str:
    """The text of a file with a certificate that was kept; the kernel has seen it again.

    It is about one of the theories, or about what is left of one without its known equations.
    """
    (stored,) = stored_certificates(json.dumps(value), "the certificate")
    assert not isinstance(stored, StoredTables)
    certificate: Certificate
    several = (theory for one in theories for theory in (without_known(one), one))
    theory = next((one for one in several if one.digest == stored.digest), theories[0])
    if isinstance(stored, StoredModel):
        certificate = stored.checked(theory)
    else:
        certificate = stored.certified(theory)
    return in_notation(certificate, form)


def in_notation(certificate: Certificate, form: str) -> str:
    """The text of a file with a certificate."""
    if isinstance(certificate, Convergent):
        if form != "json":
            raise InputError(f"{form} has no notation for rules; json has")
        return json.dumps(system_to_json(certificate)) + "\n"
    return export_certificates([certificate], form)
