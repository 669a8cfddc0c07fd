"""Other provers' proofs become ours: `reconstruct(theory, problem, skeleton, budget)`.

What a prover printed is a claim. Its steps are proved again, one lemma for each, by replay where
the output says how, by our own search where it names the parents only; what comes of it goes
through the kernel like everything else.
"""

from __future__ import annotations

from threesil.provers.reconstruct.align import NotReconstructed
from threesil.provers.reconstruct.build import reconstruct

__all__ = ["NotReconstructed", "reconstruct"]
