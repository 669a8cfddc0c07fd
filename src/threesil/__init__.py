"""threesil: a learning prover for equations. Nothing is shown as proved that was not certified.

    import threesil

    outcome = threesil.prove("x * T(y,x) = y * x", theory="aim")
    print(outcome.status, outcome.seconds)   # Theorem, and how long it took
    print(outcome.proof)                     # every step, for people
    print(threesil.prove("x * y = y * x", theory="groups").model)  # a group in which it fails

    prover = threesil.Prover("mine.thy")     # a theory of your own; it stays warm
    for outcome in prover.prove_all(["x * e = x", "i(i(x)) = x"], seconds=2):
        print(outcome.problem.name, outcome.status, outcome.rewrites)

What else there is, by what one wants:

    prove something      prove, Prover, Outcome, SZS
    theories             get_theory, all_theories, Theory, Equation, Signature, Direction
    problems             parse_problem, open_set, random_theorems, Problem
    play by hand         Episode, Batch, End, Limits, IllegalAction
    be certain           certify, Derivation, Step, Proof, NotAProof, Position, Term, app, var
    errors               ThreesilError, InputError, MissingTool

`import threesil.envs` registers the Gymnasium environments. A name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from threesil.kernel.display import display_with

if TYPE_CHECKING:
    from threesil.engine import Batch, End, Episode, Limits
    from threesil.errors import IllegalAction, InputError, MissingTool, ThreesilError
    from threesil.kernel.outcome import SZS, Outcome
    from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
    from threesil.kernel.terms import Position, Term, app, var
    from threesil.kernel.theory import Direction, Equation, Problem, Signature, Theory
    from threesil.problems.files import parse_problem
    from threesil.problems.sets import open_set
    from threesil.problems.theorems import random_theorems
    from threesil.search.prover import Prover, prove
    from threesil.theories import all_theories, get_theory

_PLACES: Final = {
    "engine": ("Batch", "End", "Episode", "Limits"),
    "errors": ("IllegalAction", "InputError", "MissingTool", "ThreesilError"),
    "kernel.outcome": ("SZS", "Outcome"),
    "kernel.proof": ("Derivation", "NotAProof", "Proof", "Step", "certify"),
    "problems.files": ("parse_problem",),
    "problems.sets": ("open_set",),
    "problems.theorems": ("random_theorems",),
    "search.prover": ("Prover", "prove"),
    "kernel.terms": ("Position", "Term", "app", "var"),
    "theories": ("all_theories", "get_theory"),
    "kernel.theory": ("Direction", "Equation", "Problem", "Signature", "Theory"),
}
_MODULE_OF: Final = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "SZS",
    "Batch",
    "Derivation",
    "Direction",
    "End",
    "Episode",
    "Equation",
    "IllegalAction",
    "InputError",
    "Limits",
    "MissingTool",
    "NotAProof",
    "Outcome",
    "Position",
    "Problem",
    "Proof",
    "Prover",
    "Signature",
    "Step",
    "Term",
    "Theory",
    "ThreesilError",
    "all_theories",
    "app",
    "certify",
    "get_theory",
    "open_set",
    "parse_problem",
    "prove",
    "random_theorems",
    "var",
]


display_with(lambda: import_module("threesil.notations.writing.notebook"))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # a twentieth of a second that few need

        return version("threesil")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'threesil' has no attribute {name!r}")
    value = getattr(import_module(f"threesil.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
