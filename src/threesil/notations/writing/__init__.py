"""Writing a document in a notation of one's choice."""

from __future__ import annotations

from threesil.errors import InputError
from threesil.notations.document import NOTATIONS, Document
from threesil.notations.writing import article as article_writer
from threesil.notations.writing import ladr, tptp

_WRITERS = dict(
    zip(
        NOTATIONS,
        (tptp.write_document, ladr.write_document, article_writer.write_document),
        strict=True,
    )
)


def write(document: Document, notation: str) -> str:
    """The text of a document; `reading.parse` gives it back, up to names that are not legal."""
    if notation not in _WRITERS:
        raise InputError(f"unknown notation {notation!r}; expected one of {', '.join(NOTATIONS)}")
    return _WRITERS[notation](document)
