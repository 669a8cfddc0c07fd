"""The state of an episode, to keep and to go back to: what planning methods need.

An episode is its problem and the actions that were taken; playing these again leads to the same
state, with the same mask and the same limits. A state is a plain value: it can be compared, pickled
and given to another environment of the same theory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from threesil.kernel.theory import Problem


@dataclass(frozen=True)
class State:
    """`actions` taken on `problem`; `random` draws the problems that come after it."""

    theory: str
    """the theory's digest"""
    problem: Problem
    actions: tuple[int, ...]
    random: Mapping[str, Any] = field(repr=False, hash=False)
    """the state of the random generator, as NumPy writes it"""


def generator_of(random: Mapping[str, Any]) -> np.random.Generator:
    """A random generator in a state that NumPy has written."""
    kind = getattr(np.random, str(random["bit_generator"]))
    generator = np.random.Generator(kind())
    generator.bit_generator.state = dict(random)
    return generator
