"""What is true: terms, theories, proofs, counter-models, convergent systems, words for outcomes.

All that has to be trusted is in here: `proof.certify`, `countermodel.check`, `confluence.check`.
It needs the standard library alone.
"""

__all__ = [
    "certificate",
    "confluence",
    "countermodel",
    "display",
    "lemmas",
    "matching",
    "naming",
    "outcome",
    "proof",
    "tables",
    "terms",
    "theory",
]
