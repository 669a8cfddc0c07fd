"""Writing a document in a notation of one's choice; one module for each notation and each thing."""

from __future__ import annotations

from threesil.errors import InputError
from threesil.notations.document import NOTATIONS, Document


def write(document: Document, notation: str) -> str:
    """The text of a document; `reading.parse` gives it back, up to names that are not legal."""
    if notation == "tptp":
        from threesil.notations.writing import tptp

        return tptp.write_document(document)
    if notation == "ladr":
        from threesil.notations.writing import ladr

        return ladr.write_document(document)
    if notation == "theory":
        from threesil.notations.writing import article

        return article.write_document(document)
    raise InputError(f"unknown notation {notation!r}; expected one of {', '.join(NOTATIONS)}")
