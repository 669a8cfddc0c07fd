"""What is true: terms, theories, proofs, counter-models, convergent systems, words for outcomes.

All that has to be trusted is in here: `proof.certify`, `countermodel.check`, `confluence.check`.
It needs the standard library alone.
"""

__all__ = [
    "confluence",
    "countermodel",
    "lemmas",
    "matching",
    "naming",
    "outcome",
    "proof",
    "shown",
    "tables",
    "terms",
    "theory",
]
