"""The spaces of the environments: tokens to see, actions to take.

A term is seen as its symbols in prefix order, each a number (its token). The table of tokens,
V entries:

    0                               padding
    1 ... s                         the symbols of the theory in its order, then `=` where a state
                                    is an equation
    s + 1 ... s + c                 constants of the problem (an equation's own variables), in
                                    order of first appearance; c is `max_constants`
    s + c + 1 ... s + c + v         variables that rewrites introduced; v is `max_variables`

Theories whose goal is not an equation have neither constants of the problem nor introduced
variables: c = v = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from threesil.engine import EQUALITY
from threesil.kernel.theory import Goal, Theory


@dataclass(frozen=True)
class Vocabulary:
    """The table of tokens: `symbols` names (s,), c `constants`, v `variables`."""

    symbols: tuple[str, ...]
    constants: int
    variables: int

    @classmethod
    def of(cls, theory: Theory, max_constants: int, max_variables: int) -> Vocabulary:
        symbols = tuple(theory.signature.symbols)
        if theory.goal is Goal.EQUATION:
            return cls((*symbols, EQUALITY), max_constants, max_variables)
        return cls(symbols, 0, 0)

    def names(self) -> tuple[str, ...]:
        """The name of every token, (V,)."""
        constants = (f"c{i}" for i in range(self.constants))
        variables = (f"X{i}" for i in range(self.variables))
        return ("<pad>", *self.symbols, *constants, *variables)

    @property
    def largest(self) -> int:
        """The last token."""
        return len(self.symbols) + self.constants + self.variables


def observation_space(vocabulary: Vocabulary, max_tokens: int) -> spaces.Dict:
    """`tokens` (L,) int32 padded with 0, `length` 0 to L, `cursor` an index in the tokens."""
    return spaces.Dict(
        {
            "tokens": spaces.Box(0, vocabulary.largest, (max_tokens,), np.int32),
            "length": spaces.Discrete(max_tokens + 1),
            "cursor": spaces.Discrete(max_tokens),
        }
    )


class LegalDiscrete(spaces.Discrete):
    """{0, ..., n - 1}; a sample without a mask is an action that is legal in the current state.

    `legal(seed)` is that mask, (n,) int8. It is asked with the seed for the first sample after
    `seed(seed)`, with None for the others. A copy or a pickle is a plain `Discrete`.
    """

    def __init__(
        self,
        n: int,
        legal: Callable[[int | None], NDArray[np.int8]],
        random: np.random.Generator | None = None,
    ) -> None:
        self._legal = legal
        self._seed: int | None = None
        super().__init__(n, random)

    def seed(self, seed: int | None = None) -> int:
        self._seed = seed
        return super().seed(seed)

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[Any] | None = None
    ) -> np.int64:
        if mask is None and probability is None:
            mask = self._legal(self._seed)
            self._seed = None
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.Discrete, (int(self.n), self.np_random)


class LegalMultiDiscrete(spaces.MultiDiscrete):
    """B actions of A each; a sample without a mask is legal in every slot.

    `legal()` is the mask (B, A). A copy or a pickle is a plain `MultiDiscrete`.
    """

    def __init__(
        self,
        count: int,
        n: int,
        legal: Callable[[], NDArray[np.bool_]],
        random: np.random.Generator | None = None,
    ) -> None:
        self._legal = legal
        super().__init__(np.full(count, n), seed=random)

    def sample(
        self,
        mask: tuple[NDArray[np.int8], ...] | None = None,
        probability: tuple[NDArray[Any], ...] | None = None,
    ) -> NDArray[np.int64]:
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        legal = self._legal()
        counts = np.count_nonzero(legal, axis=1)
        first = np.cumsum(counts) - counts  # where each slot's actions begin in the list of all
        drawn = first + self.np_random.integers(counts)
        chosen: NDArray[np.int64] = np.flatnonzero(legal)[drawn] % legal.shape[1]
        return chosen

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.MultiDiscrete, (self.nvec, self.dtype, self.np_random)
