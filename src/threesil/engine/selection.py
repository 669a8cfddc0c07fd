"""How completion chooses among its critical pairs: by size, or as a network has learned.

Shapes: N pairs, F features, P parameters. The parameters stand in one array in the order of
`pair_layout`; weights of a linear layer are (in, out).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from threesil import _native
from threesil.engine.arrays import Parameters, integers, np, reals
from threesil.engine.network import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

Codes = list[int]
FEATURES: int = _native.PAIR_FEATURES
MARKS: int = _native.PAIR_MARKS
ARGUMENTS = 3
"""arguments with weights of their own; later ones share the last"""
PARTS = 5
"""vectors of terms that the predictor reads"""


@dataclass(frozen=True)
class PairShape:
    """Sizes of a network for pairs: `size` of a term's vector, 0 if it reads features alone."""

    size: int = 0
    hidden: int = 32


def pair_layout(shape: PairShape) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the parameters, in the order in which they stand in the array."""
    n, h = shape.size, shape.hidden
    names: dict[str, tuple[int, ...]] = dict.fromkeys(("mean", "scale", "skip"), (FEATURES,))
    if n:
        names |= {"head.weight": (n + MARKS, n), "head.bias": (n,)}
        names |= {f"argument.{k}.weight": (n, n) for k in range(ARGUMENTS)}
        names |= {"term.weight": (n, n), "term.bias": (n,)}
    names |= {"first.weight": (FEATURES + PARTS * n, h), "first.bias": (h,)}
    names |= {"second.weight": (h, h), "second.bias": (h,)}
    names |= {"last.weight": (h,), "last.bias": (1,)}
    return names


class PairNetwork:
    """A network that judges critical pairs of any theory; parameters (P,)."""

    def __init__(self, shape: PairShape, parameters: Parameters) -> None:
        self.shape = shape
        self.native = _native.PairNet(shape.size, shape.hidden, reals(parameters, "parameters"))


@dataclass(frozen=True)
class Pairs:
    """N critical pairs: codes of their sides in a row, where these end (2N,), generations (N,)."""

    codes: NDArray[np.int32]
    ends: NDArray[np.uint64]
    depths: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.depths)

    def sides(self) -> list[NDArray[np.int32]]:
        """The codes of each side, (2N)."""
        starts = np.concatenate([np.zeros(1, np.uint64), self.ends])[:-1]
        return [self.codes[a:b] for a, b in zip(starts, self.ends, strict=True)]

    def take(self, chosen: NDArray[Any], swapped: NDArray[np.bool_] | None = None) -> Pairs:
        """Those with the listed indices, some of them with their sides swapped."""
        first = np.zeros(len(chosen), np.int64) if swapped is None else swapped[chosen]
        sides = np.stack([2 * chosen + first, 2 * chosen + 1 - first], axis=1).ravel()
        mine = self.sides()
        parts = [mine[s] for s in sides]
        ends = np.cumsum([len(part) for part in parts], dtype=np.uint64)
        codes = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        return Pairs(codes, ends, self.depths[chosen])


@dataclass(frozen=True)
class Selection:
    """Which pair next: `turns` by the network for each one by size.

    `seed` decides the random vectors of symbols. With `record` the pairs are kept.
    """

    network: PairNetwork | None = None
    turns: int = 1
    seed: int = 0
    record: bool = False

    def prepare(
        self,
        order: tuple[Codes, Codes, Codes],
        equations: Sequence[tuple[Codes, Codes]],
        aim: tuple[Codes, Codes],
        scaffolding: Codes,
        equals: int,
    ) -> Selecting:
        """For equations and a goal in codes; `order` is arity, weight and rank by symbol.

        `equals` is the symbol that stands for the goal's equality, -1 if none does.
        """
        net = self.network.native if self.network else None
        native = _native.Selection(
            *order,
            equations,
            aim,
            scaffolding,
            equals,
            net,
            self.turns,
            self.seed,
            self.record,
        )
        return Selecting(native, len(order[0]))


class Selecting:
    """A selection in one theory with one goal."""

    def __init__(self, native: _native.Selection, symbols: int) -> None:
        self.native = native
        self._symbols = symbols

    def features(self, pairs: Pairs) -> tuple[Floats, Pairs]:
        """(N, F), and the pairs with their larger sides first."""
        out: Floats = np.empty((len(pairs), FEATURES), dtype=np.float32)
        swapped = np.empty(len(pairs), dtype=np.uint8)
        self.native.features(*_arrays(pairs), out, swapped)
        return out, pairs.take(np.arange(len(pairs)), swapped.astype(bool))

    def judge(self, pairs: Pairs) -> Floats:
        """What the network says, (N,): the larger the better."""
        out: Floats = np.empty(len(pairs), dtype=np.float32)
        self.native.judge(*_arrays(pairs), out)
        return out

    def marks(self) -> Floats:
        """Of the symbols, and last of a variable: (symbols + 1, marks)."""
        out: Floats = np.empty((self._symbols + 1, MARKS), dtype=np.float32)
        self.native.marks(out)
        return out

    def vectors(self, codes: Sequence[int]) -> Floats:
        """Random numbers and marks of symbols and variables, as the core draws them."""
        return np.stack([self.native.vector(code) for code in codes])

    def recorded(self) -> tuple[Pairs, NDArray[np.uint32]]:
        """The pairs that were scored so far, and their numbers."""
        codes, ends, depths, numbers = self.native.recorded()
        return Pairs(codes, ends, depths), numbers


def _arrays(
    pairs: Pairs,
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint32]]:
    codes = integers(pairs.codes, np.int32, "codes")
    ends = integers(pairs.ends, np.uint64, "ends")
    return codes, ends, integers(pairs.depths, np.uint32, "depths")
