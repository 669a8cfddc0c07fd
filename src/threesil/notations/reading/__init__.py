"""Reading a file in whatever notation it is written: TPTP, LADR, Lean, or a theory file.

The notation is known from the first word that is no comment; where that is no help, from the
file's suffix.

    cnf(…)  fof(…)  include(…)                    TPTP
    formulas(…)  set(…)  assign(…)  op(…)         LADR
    Theory …  Axiom …  Theorem …                  a theory file
    variable …  class …  theorem … := sorry       Lean 4, in whose files proofs are filled in

tptp, article, lean   files in these notations, where it is known that they are
typed           single equations as people type them
certificates, models   proofs and counter-models
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from threesil.errors import InputError
from threesil.files import other_than_file
from threesil.kernel.naming import fresh_name
from threesil.notations.document import NOTATIONS, WORDS, Document
from threesil.notations.lines import Text, beginning, read_text

_END = re.compile(r"END%")
_COMMENT = re.compile(r"\s+|%BEGIN.*?END%|[%#][^\n]*|/\*.*?\*/", re.DOTALL)
_LINE = re.compile(r"\s+|[%#][^\n]*|/\*.*?\*/", re.DOTALL)
_TPTP = re.compile(r"(?:cnf|fof|tff|thf|tcf|tpi|include)\s*\(")
_LADR = re.compile(
    r"(?:set|clear|assign|op|formulas|clauses|list|lex|redeclare|function_order|predicate_order|"
    r"skolem|assoc_comm|commutative|if)\s*\("
)
_THEORY = re.compile(rf"(?:{'|'.join(WORDS)})\s|Admitted\.")
_LEAN = re.compile(
    r"(?:@\[|(?:import|universe|variable|namespace|section|open|set_option|theorem|lemma|example|"
    r"structure|class|infixl|infixr|infix|notation|local|private|noncomputable|attribute|def|"
    r"module|public)\b(?!\s*[(=])|variable\s*\()"
)
_LEAN_COMMENT = re.compile(r"\s+|--[^\n]*|/-.*?-/", re.DOTALL)
_SUFFIXES = dict.fromkeys((".p", ".ax", ".tptp"), "tptp")
_SUFFIXES |= dict.fromkeys((".in", ".ladr"), "ladr") | {".thy": "theory", ".lean": "lean"}
SUFFIXES = (
    ".p",
    ".tptp",
    ".ax",
    ".in",
    ".ladr",
    ".thy",
    ".lean",
    ".tsv",
    ".txt",
    ".gz",
    ".json",
    ".jsonl",
)
"""How the names of files end that are given to threesil."""


def notation_of(content: str) -> str | None:
    """The notation of a text, one of `NOTATIONS` or lean; None if it is none of these."""
    start = _behind_comments(content)
    for notation, first in zip(NOTATIONS, (_TPTP, _LADR, _THEORY), strict=True):
        if first.match(content, start):
            return notation
    at = 0
    while comment := _LEAN_COMMENT.match(content, at):
        at = comment.end()
    return "lean" if _LEAN.match(content, at) else None


def _behind_comments(content: str) -> int:
    *_, last = (0, *(end.end() for end in _END.finditer(content)))
    at = 0
    while comment := (_COMMENT if at < last else _LINE).match(content, at):
        at = comment.end()
    return at


def notation_of_file(path: Path) -> str | None:
    """The notation of a file; what is larger than any file of a notation is in none."""
    return "lean" if path.suffix == ".lean" else notation_of(beginning(path))


def read(path: str | Path) -> Document:
    """The document of a file: its theory, its problems, and notes on how it was read."""
    path = Path(path)
    file = Path(path.name.removesuffix(".gz"))
    return parse(read_text(path), file.stem or path.name, _SUFFIXES.get(file.suffix))


def parse(text: Text | str, name: str = "input", default: str | None = None) -> Document:
    """The document of a text; `name` is what theory and goals without names of their own get.

    `default` is its notation if its first word doesn't tell.
    """
    if isinstance(text, str):
        text = Text(name, text.removeprefix("\ufeff"))
    notation = notation_of(text.content) or (default if text.content.strip() else None)
    if notation == "tptp":
        from threesil.notations.reading.tptp import read_tptp

        return _inhabited(read_tptp(text, name))
    if notation == "ladr":
        from threesil.notations.reading.ladr import read_ladr

        return _inhabited(read_ladr(text, name))
    if notation == "theory":
        from threesil.notations.reading.article import read_article

        return read_article(text, name)
    if notation == "lean":
        from threesil.notations.reading.lean import lean_document

        return lean_document(text, name)
    raise text.error(_unknown(text.content), _first(text.content))


def _inhabited(document: Document) -> Document:
    """With a constant, where an existential goal could have no witness without one.

    There is always some element; a theory without constants can't name it.
    """
    theory = document.theory
    bare = [p for p in document.problems if p.exists and set(p.variables) == set(p.exists)]
    if not bare or 0 in theory.signature.symbols.values():
        return document
    name = fresh_name("c", theory.signature.symbols)
    note = f"the file names no element, so the constant {name} was added for some element"
    return replace(
        document,
        theory=theory.extended((), theory.name, {name: 0}),
        notes=(*document.notes, note),
    )


def _first(content: str) -> int:
    return len(content) - len(content.lstrip())


def _unknown(content: str) -> str:
    if not content.strip():
        return "the file is empty"
    return (
        "expected TPTP (cnf, fof), LADR (formulas(sos).), Lean (theorem t : a = b := sorry) "
        "or a theory file (Axiom a: s = t.)"
    )


def looks_like_path(text: str) -> bool:
    """Whether a text without an equation was meant as the path of a file."""
    if "=" in text or "\n" in text:
        return False
    return text.endswith(SUFFIXES) or ("/" in text and " " not in text.strip())


def missing(text: str) -> InputError:
    """The error for a path at which there is no file."""
    kind = other_than_file(text)
    what = f"this is {kind}, and a file was expected" if kind else "there is no such file"
    return InputError(what, source=text)
