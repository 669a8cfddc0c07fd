"""threesil: a learning prover for equations.

The public surface is what this module names: terms, theories, problems, episodes, proofs.
"""

from importlib.metadata import version

from threesil.engine import Batch, End, Episode, Limits
from threesil.errors import IllegalAction, InputError, MissingTool, ThreesilError
from threesil.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.search.prover import Prover, prove
from threesil.terms import Position, Term, app, var
from threesil.theories import all_theories, get_theory
from threesil.theory import Direction, Equation, Problem, Signature, Theory

__version__ = version("threesil")

__all__ = [
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
    "prove",
    "var",
]
