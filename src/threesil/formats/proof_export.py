"""All notations that proofs are written in, by name: many proofs, one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from threesil.factoring import readable
from threesil.formats.proof_json import proof_to_json
from threesil.formats.proof_latex import write_latex
from threesil.formats.proof_lean import write_lean
from threesil.formats.proof_parts import parts
from threesil.formats.proof_rocq import write_rocq
from threesil.formats.proof_text import format_proof
from threesil.formats.proof_tstp import write_tstp
from threesil.proof import Proof


def write_text(proofs: Sequence[Proof]) -> str:
    """Proofs for people, each under the name of its problem if there are several."""
    parts(proofs)  # refuses what nobody could read
    texts = []
    for proof in map(readable, proofs):
        heading = f"% {' '.join(proof.problem.name.split())}\n" if len(proofs) > 1 else ""
        texts.append(f"{heading}{format_proof(proof)}\n")
    return "\n".join(texts)


def write_paper(proofs: Sequence[Proof]) -> str:
    """Proofs in LaTeX."""
    return write_latex(map(readable, proofs))


def write_json(proofs: Sequence[Proof]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(proof_to_json(proof)) + "\n" for proof in proofs)


WRITERS: Mapping[str, Callable[[Sequence[Proof]], str]] = MappingProxyType(
    {
        "text": write_text,
        "latex": write_paper,
        "json": write_json,
        "tstp": write_tstp,
        "lean": write_lean,
        "rocq": write_rocq,
    }
)


def export_proofs(proofs: Sequence[Proof], form: str) -> str:
    """The text of a file with these proofs, in one of the notations."""
    return WRITERS[form](proofs)
