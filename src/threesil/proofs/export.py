"""All notations that proofs and counter-models are written in, by name: many of them, one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from threesil.errors import InputError
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.proof import Proof
from threesil.notations.model_json import model_to_json
from threesil.notations.names import title
from threesil.notations.proof_json import proof_to_json
from threesil.notations.writing.model_latex import write_latex_models
from threesil.notations.writing.model_lean import write_lean_models
from threesil.notations.writing.model_mace4 import write_mace4
from threesil.notations.writing.model_rocq import write_rocq_models
from threesil.notations.writing.model_text import format_model
from threesil.notations.writing.model_tptp import write_tptp_models
from threesil.notations.writing.proof_latex import write_latex
from threesil.notations.writing.proof_lean import write_lean
from threesil.notations.writing.proof_parts import parts
from threesil.notations.writing.proof_rocq import write_rocq
from threesil.notations.writing.proof_text import format_proof
from threesil.notations.writing.proof_tstp import write_tstp
from threesil.proofs.factoring import readable


def write_text(proofs: Sequence[Proof]) -> str:
    """Proofs for people, each under the name of its problem if there are several."""
    parts(proofs)  # refuses what nobody could read
    texts = []
    for proof in map(readable, proofs):
        heading = f"% {title(proof.problem.name)}\n" if len(proofs) > 1 else ""
        texts.append(f"{heading}{format_proof(proof)}\n")
    return "\n".join(texts)


def write_paper(proofs: Sequence[Proof]) -> str:
    """Proofs in LaTeX."""
    return write_latex(map(readable, proofs))


def write_json(proofs: Sequence[Proof]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(proof_to_json(proof)) + "\n" for proof in proofs)


def write_text_models(models: Sequence[Countermodel]) -> str:
    """Models for people, each under the name of what it refutes if there are several."""
    texts = []
    for model in models:
        name = model.problem.name if model.problem else model.theory.name
        heading = f"% {title(name)}\n" if len(models) > 1 else ""
        texts.append(f"{heading}{format_model(model)}\n")
    return "\n".join(texts)


def write_json_models(models: Sequence[Countermodel]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(model_to_json(model)) + "\n" for model in models)


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
MODEL_WRITERS: Mapping[str, Callable[[Sequence[Countermodel]], str]] = MappingProxyType(
    {
        "text": write_text_models,
        "latex": write_latex_models,
        "json": write_json_models,
        "tstp": write_tptp_models,
        "mace4": write_mace4,
        "lean": write_lean_models,
        "rocq": write_rocq_models,
    }
)
FORMATS = tuple(MODEL_WRITERS)
_ENDINGS = {
    ".tex": "latex",
    ".json": "json",
    ".jsonl": "json",
    ".tstp": "tstp",
    ".lean": "lean",
    ".v": "rocq",
}


def format_of(form: str | None, out: Path | None) -> str:
    """The notation that is asked for; else the one that a file's name ends like, else text."""
    return form or _ENDINGS.get(out.suffix if out else "", "text")


def export_certificates(certificates: Sequence[Proof | Countermodel], form: str) -> str:
    """The text of a file with these proofs and counter-models, in one of the notations."""
    if form not in FORMATS:
        raise InputError(f"unknown format {form!r}; expected {', '.join(FORMATS)}")
    proofs = [one for one in certificates if isinstance(one, Proof)]
    models = [one for one in certificates if isinstance(one, Countermodel)]
    if proofs and form not in WRITERS:
        raise InputError(f"{form} has no notation for proofs; expected {', '.join(WRITERS)}")
    texts = [WRITERS[form](proofs)] if proofs or (not models and form in WRITERS) else []
    if models:
        texts.append(MODEL_WRITERS[form](models))
    if form == "latex" and len(texts) == 2:
        head, end = (text.partition(mark) for text, mark in zip(texts, _BETWEEN, strict=True))
        return head[0] + end[2]
    return "\n".join(texts)


_BETWEEN = (r"\end{document}", r"\begin{document}" + "\n")
