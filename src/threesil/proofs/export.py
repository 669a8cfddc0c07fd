"""All notations that proofs and counter-models are written in, by name: many of them, one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from threesil.errors import InputError
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation
from threesil.notations.document import Origin
from threesil.notations.names import title
from threesil.notations.writing.text import format_proof
from threesil.proofs.factoring import readable

_BOTH = ("text", "latex", "json", "tstp", "lean", "lean-term", "rocq")
PROOF_FORMATS = (*_BOTH, "prover9")
MODEL_FORMATS = (*_BOTH, "mace4")
FORMATS = (*_BOTH, "prover9", "mace4")
_SECONDS, _MEGABYTES = 60, 1024  # that a file for Prover9 allows it
_ENDINGS = {
    ".tex": "latex",
    ".json": "json",
    ".jsonl": "json",
    ".tstp": "tstp",
    ".lean": "lean",
    ".v": "rocq",
    ".in": "prover9",
}


def format_of(form: str | None, out: Path | None) -> str:
    """The notation that is asked for; else the one that a file's name ends like, else text."""
    return form or _ENDINGS.get(out.suffix if out else "", "text")


def export_certificates(
    certificates: Sequence[Proof | Countermodel],
    form: str,
    origins: Mapping[int, Origin] = MappingProxyType({}),
) -> str:
    """The text of a file with these proofs and counter-models, in one of the notations.

    `origins` has those of proofs that are about the formulas of a file, by the objects' numbers.
    """
    if form not in FORMATS:
        raise InputError(f"unknown format {form!r}; expected {', '.join(FORMATS)}")
    proofs = [one for one in certificates if isinstance(one, Proof)]
    models = [one for one in certificates if isinstance(one, Countermodel)]
    for some, what, known in (
        (proofs, "proofs", PROOF_FORMATS),
        (models, "counter-models", MODEL_FORMATS),
    ):
        if some and form not in known:
            raise InputError(f"{form} has no notation for {what}; expected {', '.join(known)}")
    texts = (
        [_proofs(proofs, form, origins)] if proofs or (not models and form in PROOF_FORMATS) else []
    )
    if models:
        texts.append(_models(models, form))
    if form == "latex" and len(texts) == 2:
        head, end = (text.partition(mark) for text, mark in zip(texts, _BETWEEN, strict=True))
        return head[0] + end[2]
    return "\n".join(texts)


_BETWEEN = (r"\end{document}", r"\begin{document}" + "\n")


# The writers are loaded when one of them is asked for.


def _written(certificates: Sequence[Any], form: str) -> str:
    from threesil.notations.writing import ladr, latex, lean, rocq, tptp

    of_proofs: dict[str, Callable[[Iterable[Any]], str]] = {
        "latex": latex.write_latex,
        "lean": lean.write_lean,
        "lean-term": lean.write_lean_terms,
        "rocq": rocq.write_rocq,
    }
    of_models: dict[str, Callable[[Iterable[Any]], str]] = {
        "latex": latex.write_latex_models,
        "tstp": tptp.write_tptp_models,
        "mace4": ladr.write_mace4,
        "lean": lean.write_lean_models,
        "lean-term": lean.write_lean_models,
        "rocq": rocq.write_rocq_models,
    }
    is_model = bool(certificates) and isinstance(certificates[0], Countermodel)
    writers = of_models if is_model else of_proofs
    return writers[form](certificates)


def _proofs(proofs: Sequence[Proof], form: str, origins: Mapping[int, Origin]) -> str:
    if form == "json":
        from threesil.notations.proof_json import proof_to_json

        return "".join(json.dumps(proof_to_json(proof)) + "\n" for proof in proofs)
    if form == "tstp":
        from threesil.notations.writing.tptp import write_tstp

        return write_tstp(proofs, origins)
    if form == "prover9":
        return _for_prover9(proofs)
    if form != "text":
        return _written([*map(readable, proofs)] if form == "latex" else proofs, form)
    from threesil.notations.writing.parts import parts

    parts(proofs)  # refuses what nobody could read
    names = [proof.problem.name for proof in proofs]
    return _headed([format_proof(proof) for proof in map(readable, proofs)], names)


def formats_of(proof: Proof) -> list[str]:
    """The notations that a proof can be written in; Prover9 knows no normal forms."""
    return [form for form in PROOF_FORMATS if form != "prover9" or proof.problem.target is not None]


def _for_prover9(proofs: Sequence[Proof]) -> str:
    """A problem for Prover9: the proof's lemmas as assumptions, its terms as hints."""
    from threesil.notations.writing import ladr

    if len(proofs) > 1:
        raise InputError(f"Prover9 reads one problem a file, and these are {len(proofs)} proofs")
    texts = []
    for proof in map(readable, proofs):
        if proof.problem.target is None:
            raise InputError("Prover9 proves equations, and this is a normal form")
        lemmas = [
            Equation(f"lemma_{number}", lemma.problem.start, lemma.derivation.end, "known")
            for number, lemma in enumerate(in_order(proof)[:-1], 1)
        ]
        hints = [
            Equation(f"hint_{number}", proof.derivation.start, term)
            for number, term in enumerate(proof.derivation.terms[1:-1], 1)
        ]
        texts.append(
            ladr.write_problem(
                proof.theory,
                proof.problem,
                lemmas=lemmas,
                hints=hints if not proof.problem.exists else (),
                seconds=_SECONDS,
                megabytes=_MEGABYTES,
            )
        )
    return "".join(texts)


def _models(models: Sequence[Countermodel], form: str) -> str:
    if form == "json":
        from threesil.notations.model_json import model_to_json

        return "".join(json.dumps(model_to_json(model)) + "\n" for model in models)
    if form != "text":
        return _written(models, form)
    from threesil.notations.writing.text import format_model

    names = [model.problem.name if model.problem else model.theory.name for model in models]
    return _headed(map(format_model, models), names)


def _headed(texts: Iterable[str], names: Sequence[str]) -> str:
    """Texts for people, each under a name if there are several."""
    heads = [f"% {title(name)}\n" if len(names) > 1 else "" for name in names]
    return "\n".join(f"{head}{text}\n" for head, text in zip(heads, texts, strict=True))
