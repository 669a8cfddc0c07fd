"""Writing a document in a notation of one's choice; one module for each notation.

text, view          proofs and models for people: as text, and for the page
tptp, ladr, waldmeister   problems for other provers
latex, lean, rocq   certificates for other programs
calc, filling       proofs as people write them in Lean, and in the places where a file lacks them
tree                terms as pictures
parts, lets         what writers of proofs and models have in common
"""

from __future__ import annotations

from threesil.errors import InputError
from threesil.notations.document import NOTATIONS, Document


def write(document: Document, notation: str) -> str:
    """The text of a document; `reading.parse` gives it back, up to names that are not legal."""
    if notation not in NOTATIONS:
        raise InputError(f"unknown notation {notation!r}; expected one of {', '.join(NOTATIONS)}")
    from threesil.notations.writing import article, ladr, tptp

    writers = {"tptp": tptp, "ladr": ladr, "theory": article}
    return str(writers[notation].write_document(document))
