"""Files of certificates: all that threesil writes, read with suspicion.

A file holds one JSON object or several, as lines or otherwise one after the other. An object is a
certificate (a proof, a counter-model, a convergent system), or a row of results that holds one
under its key `proof`, `model` or `system`, or several models under `models`, of goals that are
denied together; a row without is passed over. Or it holds models in the
notations of others. What a reader could take
one way and another reader another way is refused: a key that occurs twice, `NaN`, half a pair of
surrogates.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from threesil.errors import InputError, ThreesilError
from threesil.files import limits, read_bytes
from threesil.files.json_text import JsonText, NotJson
from threesil.kernel.certificate import Certificate, shows
from threesil.kernel.outcome import SZS
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.notations.model_json import StoredModel
from threesil.notations.proof_json import StoredProof
from threesil.notations.reading.models import StoredTables, is_model, read_models
from threesil.notations.system_json import StoredSystem

Stored = StoredProof | StoredModel | StoredSystem | StoredTables

_KINDS: Mapping[str, type[StoredProof | StoredModel | StoredSystem]] = {
    "proof": StoredProof,
    "model": StoredModel,
    "system": StoredSystem,
}


def read_proofs(path: str | Path) -> list[StoredProof]:
    """The proofs of a file; other certificates are none."""
    return _proofs(read_certificates(path), str(path))


def stored_proofs(text: str, source: str) -> list[StoredProof]:
    """The proofs in the text of a file."""
    return _proofs(stored_certificates(text, source), source)


def _proofs(found: list[Stored], source: str) -> list[StoredProof]:
    proofs = [stored for stored in found if isinstance(stored, StoredProof)]
    if not proofs:
        raise InputError("there is no proof in it", source=source)
    return proofs


def read_certificates(path: str | Path) -> list[Stored]:
    """The certificates of a file, or of standard input if it is called `-`."""
    source = "standard input" if str(path) == "-" else str(path)
    if str(path) == "-":
        content = sys.stdin.buffer.read(limits.CERTIFICATES + 1)
        if len(content) > limits.CERTIFICATES:
            raise InputError("too large", source=source)
    else:
        content = read_bytes(path, limits.CERTIFICATES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8: {error.reason} at byte {error.start}", source=source
        ) from None
    return stored_certificates(text, source)


def stored_certificates(text: str, source: str) -> list[Stored]:
    """The certificates in the text of a file."""
    if not text.lstrip().startswith("{") and is_model(text):
        return list(read_models(text, source))
    values = _values(text, source)
    found: list[Stored] = []
    for line, value in values:
        where = f"{source}:{line}" if len(values) > 1 else source
        several = value.get("models") if isinstance(value, dict) else None
        for one in several if isinstance(several, list) else (value,):
            stored = _stored(one, where)
            if stored is not None:
                found.append(stored)
    if not found:
        raise InputError("there is no proof in it", source=source)
    return found


def _stored(value: object, where: str) -> Stored | None:
    if isinstance(value, dict):
        for key, kind in _KINDS.items():
            inner = value.get(key)
            held: dict[str, Any] = inner if isinstance(inner, dict) else value
            if str(held.get("format", "")).startswith(f"threesil-{key}-"):
                return kind(where, held)
        if "status" in value and not any(isinstance(value.get(key), dict) for key in _KINDS):
            return None
    raise InputError("not a proof of threesil", source=where)


def _values(text: str, source: str) -> list[tuple[int, object]]:
    """All JSON values with the lines that they start in; lines with % before them are remarks."""
    json_text = JsonText(text)
    values: list[tuple[int, object]] = []
    at = line = 0
    while text.startswith("%", at):  # the status, which goes to the same output
        at, line = (text.find("\n", at) + 1 or len(text)), line + 1
    while True:
        start, at = at, json_text.skip(at)
        line += text.count("\n", start, at)
        if at == len(text):
            return values
        try:
            value, end = json_text.value(at)
        except NotJson as error:
            place = line + 1 + text.count("\n", at, error.offset)
            raise InputError(f"not JSON: {error}", source=source, line=place) from None
        values.append((line + 1, value))
        line += text.count("\n", at, end)
        at = end


def has_certificate(path: Path, theory: Theory, problem: Problem, status: SZS) -> bool:
    """Whether a file has a certificate that this problem of this theory is decided so."""
    try:
        found = [_checked(stored, theory) for stored in read_certificates(path)]
    except ThreesilError:
        return False
    proves = status is SZS.THEOREM
    return any(isinstance(one, Proof) is proves and shows(one, theory, problem) for one in found)


def _checked(stored: Stored, theory: Theory) -> Certificate:
    if isinstance(stored, StoredModel | StoredTables):
        return stored.checked(theory)
    return stored.certified(theory)
