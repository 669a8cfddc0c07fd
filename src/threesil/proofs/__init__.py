"""Work on finished proofs: shorten them, cut them into lemmas, translate them, write them.

shorten      shorter chains, fewer lemmas
factoring    lemmas where a step repeats
from_axioms  known equations replaced by their proofs
translation  the same proof in a theory with other names
export       certificates as text in a notation
"""
