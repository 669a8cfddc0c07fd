"""Proofs as JSON: everything that the kernel needs to certify them again.

    {"format": "threesil-proof-1", "theory": "aim", "digest": "...", "problem": "p1",
     "start": "x * T(y,x)", "target": "y * x",
     "steps": [{"position": [1], "equation": "T", "direction": "->",
                "substitution": {"u": "y", "x": "x"}, "result": "..."}]}

Positions count arguments from 0; terms are written as people write them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.formats.infix import Place, format_term, parse_term
from threesil.proof import Derivation, Proof, Step
from threesil.terms import Term
from threesil.theory import Direction, Problem, Theory

FORMAT = "threesil-proof-1"


def proof_to_json(proof: Proof) -> dict[str, Any]:
    """A proof as a JSON object."""
    signature = proof.theory.signature

    def text(term: Term) -> str:
        return format_term(term, signature)

    target = proof.problem.target
    return {
        "format": FORMAT,
        "theory": proof.theory.name,
        "digest": proof.theory.digest,
        "problem": proof.problem.name,
        "start": text(proof.problem.start),
        "target": None if target is None else text(target),
        "steps": [
            {
                "position": list(step.position),
                "equation": step.equation,
                "direction": step.direction.value,
                "substitution": {name: text(term) for name, term in step.substitution.items()},
                "result": text(step.result),
            }
            for step in proof.derivation.steps
        ],
    }


def read_proof_file(path: Path) -> dict[str, Any]:
    """The JSON object of a proof file."""
    try:
        value = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"can't be read: {error}", source=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", source=str(path)) from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError("not a proof of threesil", source=str(path))
    return value


def proof_from_json(
    value: dict[str, Any], theory: Theory, source: str
) -> tuple[Problem, Derivation]:
    """The problem and the derivation of a proof file, for `certify`."""

    def term(text: object, what: str) -> Term:
        if not isinstance(text, str):
            raise InputError(f"{what} should be a term, as text", source=source)
        place = Place(f"{source} ({what})", text=text)
        return parse_term(text, theory.signature, place=place)

    target = value.get("target")
    problem = Problem(
        str(value.get("problem")),
        term(value.get("start"), "start"),
        None if target is None else term(target, "target"),
    )
    steps = []
    listed = value.get("steps")
    if not isinstance(listed, list):
        raise InputError("steps should be a list", source=source)
    for number, entry in enumerate(listed, 1):
        where = f"step {number}"
        try:
            position = tuple(int(k) for k in entry["position"])
            direction = Direction(entry["direction"])
            substitution = {
                str(name): term(text, f"{where}, {name}")
                for name, text in entry["substitution"].items()
            }
            result = term(entry["result"], f"{where}, result")
            steps.append(Step(position, str(entry["equation"]), direction, substitution, result))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{where} is not a rewrite: {error!r}", source=source) from None
    return problem, Derivation(problem.start, tuple(steps))
