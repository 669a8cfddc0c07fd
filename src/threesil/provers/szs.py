"""SZS: the lines by which provers of the TPTP world say how they ended."""

from __future__ import annotations

import re

from threesil.kernel.outcome import SZS
from threesil.provers.proofs.syntax import between

_STATUS = re.compile(r"^[#%] SZS status (\w+)", re.MULTILINE)
_BEGIN = re.compile(r"^[#%] SZS output start (?:CNFRefutation|Refutation|Proof).*\n", re.MULTILINE)
_END = re.compile(r"^[#%] SZS output end", re.MULTILINE)
# The tasks are denied goals, so a refutation is a proof and a model is a counterexample.
_MEANING = {
    "Theorem": SZS.THEOREM,
    "Unsatisfiable": SZS.THEOREM,
    "ContradictoryAxioms": SZS.THEOREM,
    "CounterSatisfiable": SZS.COUNTER_SATISFIABLE,
    "Satisfiable": SZS.COUNTER_SATISFIABLE,
    "GaveUp": SZS.GAVE_UP,
    "Incomplete": SZS.GAVE_UP,
    "Unknown": SZS.GAVE_UP,
    "Timeout": SZS.TIMEOUT,
    "ResourceOut": SZS.RESOURCE_OUT,
    "MemoryOut": SZS.RESOURCE_OUT,
    "InputError": SZS.INPUT_ERROR,
    "SyntaxError": SZS.INPUT_ERROR,
    "Inappropriate": SZS.INPUT_ERROR,
}


def meaning(word: str) -> SZS | None:
    """The status that a prover's word for it means here; None if it means none."""
    return _MEANING.get(word)


def status(output: str) -> SZS | None:
    """The status of the last line that gives one."""
    found = _STATUS.findall(output)
    return meaning(found[-1]) if found else None


def proof(output: str) -> str | None:
    """What stands between the lines that begin and end a proof."""
    found = between(_BEGIN, _END, output)
    return output[slice(*found)].strip() if found else None
