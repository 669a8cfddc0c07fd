"""What one does with a proof: shorten it, cut it into lemmas, translate it, write it for others.

export       proofs and counter-models in every notation
factoring    long chains, cut into lemmas
from_axioms  known equations replaced by their bundled proofs
stored       certificates that were written down, checked again
hints        equations to guide a search, from files
shorten      fewer rewrites
translation  problems and proofs in the words of a theory that corresponds
"""
