"""Writing a document in a notation of one's choice; one module for each notation.

text, view          proofs and models for people: as text, and for the page
tptp, ladr, waldmeister   problems for other provers
tree                terms as pictures
proof_parts, model_parts, statement   what writers of proofs and models have in common
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from threesil.errors import InputError
from threesil.notations.document import NOTATIONS, Document

if TYPE_CHECKING:
    from threesil.kernel.countermodel import Countermodel
    from threesil.kernel.proof import Proof

# What writes proofs, and what writes counter-models, by the notation.
_PROOFS: Final = {
    "latex": ("latex", "write_latex"),
    "tstp": ("tptp", "write_tstp"),
    "lean": ("lean", "write_lean"),
    "rocq": ("rocq", "write_rocq"),
}
_MODELS: Final = {
    "latex": ("latex", "write_latex_models"),
    "tstp": ("tptp", "write_tptp_models"),
    "mace4": ("ladr", "write_mace4"),
    "lean": ("lean", "write_lean_models"),
    "rocq": ("rocq", "write_rocq_models"),
}


def write(document: Document, notation: str) -> str:
    """The text of a document; `reading.parse` gives it back, up to names that are not legal."""
    if notation not in NOTATIONS:
        raise InputError(f"unknown notation {notation!r}; expected one of {', '.join(NOTATIONS)}")
    module = "article" if notation == "theory" else notation
    return _written(module, "write_document", document)


def write_proofs(proofs: Sequence[Proof], notation: str) -> str:
    """One file with the proofs, for another program."""
    return _written(*_PROOFS[notation], proofs)


def write_models(models: Sequence[Countermodel], notation: str) -> str:
    """One file with the counter-models, for another program."""
    return _written(*_MODELS[notation], models)


def _written(module: str, writer: str, given: object) -> str:
    """Only the writer that is asked for is loaded."""
    return str(getattr(import_module(f"{__name__}.{module}"), writer)(given))
