"""An outcome as JSON: the same for the command line, the page and files.

    {"name": …, "status": …, "certified": …, "seconds": …, "cpu_seconds": …, "expansions": …,
     "proof" | "model" and "models" | "system": …, "turns": […], "provers": {…}, …}

The first keys are those of a row of results; what does not apply is left out.
"""

from __future__ import annotations

from typing import Any

from threesil.kernel.outcome import Outcome, Turn
from threesil.kernel.theory import Theory
from threesil.measure.results import row_of
from threesil.notations.model_json import model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.notations.system_json import system_to_json

Value = dict[str, Any]


def outcome_to_json(outcome: Outcome, theory: Theory) -> Value:
    """What was decided, by whom, how, and what shows it."""
    return facts_of(outcome, theory) | certificates_to_json(outcome)


def facts_of(outcome: Outcome, theory: Theory) -> Value:
    """The same without what shows it."""
    value = row_of(outcome, theory, outcome.problem).to_json()
    if outcome.claimed:
        value |= {"claim": True, "words": outcome.words, "given": outcome.given}
    own = (*outcome.parts, outcome)[0]
    value["turns"] = [turn_to_json(turn) for turn in own.turns]
    others = [other for other in outcome.parts[1:] if other.problem is outcome.problem]
    if others:
        value["provers"] = {other.by: _part(other) for other in others}
    return value


def certificates_to_json(outcome: Outcome) -> Value:
    """The proof, the counter-model or the rules that refute, whichever there is."""
    value: Value = {}
    if outcome.proof is not None:
        value["proof"] = proof_to_json(outcome.proof)
    if outcome.model is not None:
        value["model"] = model_to_json(outcome.model)
    if len(outcome.models) > 1:
        value["models"] = [model_to_json(model) for model in outcome.models]
    if outcome.system is not None:
        value["system"] = system_to_json(outcome.system)
    return value


def turn_to_json(turn: Turn) -> Value:
    """A search's turn in a schedule."""
    return {
        "solver": turn.solver,
        "cpu_seconds": round(turn.seconds, 6),
        "expansions": turn.expansions,
        "status": turn.status,
        "figures": dict(turn.figures),
    }


def _part(outcome: Outcome) -> Value:
    seconds = round(outcome.seconds, 6)
    return {"status": outcome.status, "seconds": seconds, "reason": outcome.reason}
