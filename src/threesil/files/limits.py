"""How much a file may ask for: every number that is read is held against these before it is used.

A few bytes can name a large number, so that a size, an arity or a numeral from a file is refused,
with its place, before anything is made of it.
"""

from __future__ import annotations

from typing import Final

# Bytes
TEXT: Final = 5_000_000
"""of a theory, a problem, a configuration; what is made of it takes some hundred times as much"""
CERTIFICATES: Final = 200_000_000
"""of a file of certificates, results or episodes"""
ARRAYS: Final = 2_000_000_000
"""of a file of weights or matrices, and of each of its arrays"""
LINE: Final = 20_000_000
"""of a line, where lines are read one by one"""

# Theories
ARITY: Final = 255
"""arguments of a symbol: as many as the engine takes"""
SYMBOLS: Final = 10_000
OPERATORS: Final = 1_000
"""symbols between, before or behind their arguments, other than names"""
EQUATIONS: Final = 30_000
"""equations of a theory, each an action in both directions: the engine takes 65,535 actions"""
NUMERAL: Final = 100_000
"""the largest number that stands for a chain of successors"""
NODES: Final = 2**1000
"""of a term that shares its subterms: a few hundred of these have so many"""

# Models
ELEMENTS: Final = 10_000
CELLS: Final = 2**22
"""of a table"""
WEIGHT: Final = 2**31 - 1
"""of a symbol in an order of terms"""

# Values of JSON and TOML
NESTING: Final = 100
"""brackets inside one another"""
INTEGER: Final = 2**63 - 1
"""the largest, and the smallest with a minus"""
NAME: Final = 100
"""letters of what a file is named after"""
