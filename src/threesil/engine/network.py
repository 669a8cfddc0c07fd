"""The tree network in the core, and the states that it is trained on.

Shapes: B states, A actions, P parameters. The parameters stand in one array in the order of
`layout`; weights of a linear layer are (in, out).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from threesil import _native
from threesil.engine.arrays import Parameters, integers, np, reals
from threesil.engine.compiled import compile_theory
from threesil.engine.control import Stop, checks_itself
from threesil.engine.problems import ProblemList
from threesil.errors import IllegalAction
from threesil.kernel.theory import Problem, Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float32]"


@dataclass(frozen=True)
class Shape:
    """Sizes of a network: `size` is the paper's n, `hidden` the width of the predictor."""

    size: int = 16
    hidden: int = 64
    value: bool = False


def layout(theory: Theory, shape: Shape) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the parameters, in the order in which they stand in the array."""
    codec, _ = compile_theory(theory)
    n, h = shape.size, shape.hidden
    symbols = list(zip(codec.symbols, codec.arity, strict=True))
    names: dict[str, tuple[int, ...]] = {f"leaf.{s}": (n,) for s, arity in symbols if arity == 0}
    networks = [(f"symbol.{s}", arity) for s, arity in symbols if arity]
    for name, arity in (*networks, ("constant", 1), ("variable", 1)):
        names |= _linear(f"{name}.first", arity * n, n) | _linear(f"{name}.second", n, n)
    names |= _linear("predictor.first", n, h) | _linear("predictor.second", h, h)
    names |= _linear("predictor.policy", h, len(theory.actions))
    if shape.value:
        names |= _linear("predictor.value", h, 1)
    return names


def _linear(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (inputs, outputs), f"{name}.bias": (outputs,)}


class Network:
    """A network that the core evaluates."""

    def __init__(self, theory: Theory, shape: Shape) -> None:
        self.theory = theory
        self.shape = shape
        _, rules = compile_theory(theory)
        self.native = _native.TreeNet(rules, shape.size, shape.hidden, shape.value)

    @property
    def parameters(self) -> int:
        """P, the number of parameters."""
        return self.native.parameters

    def load(self, parameters: Parameters) -> None:
        """Takes over the parameters, (P,). Cached vectors of the old ones are dropped."""
        self.native.load(reals(parameters, "parameters"))

    def require(self, theory: Theory) -> None:
        """`ValueError` unless the network reads states of the theory and judges its actions."""
        mine = self.theory
        if mine is theory or (
            list(mine.signature.symbols.items()) == list(theory.signature.symbols.items())
            and mine.goal is theory.goal
            and mine.actions == theory.actions
        ):
            return
        raise ValueError(f"the network belongs to another theory than {theory.name}: {mine.name}")


class Pass:
    """A forward pass over B states that can be followed by a backward pass."""

    def __init__(self, native: _native.TreePass, count: int, network: Network) -> None:
        self._native = native
        self._parameters = network.parameters
        self.logits: Floats = np.empty((count, len(network.theory.actions)), dtype=np.float32)
        self.values: Floats = np.zeros(count, dtype=np.float32)
        native.outputs(self.logits, self.values)

    def backward(self, logits: Floats, values: Floats, *, stop: Stop | None = None) -> Floats:
        """The gradient of the parameters, (P,), from those of logits (B, A) and values (B,)."""
        gradient: Floats = np.zeros(self._parameters, dtype=np.float32)
        self._native.backward(reals(logits, "logits"), reals(values, "values"), gradient, stop)
        return gradient

    def schedule(self) -> dict[str, Any]:
        """The order of evaluation.

        `groups`: (network, first node, last node + 1, offset in `children`, offset in `random`),
        bottom-up; `children`: nodes, arity for each node of a group; `random`: vectors of random
        leaves; `roots`: the node of each state, (B,).
        """
        return self._native.schedule()


class States:
    """The states of recorded episodes on `problems`, each with its mask."""

    def __init__(
        self, theory: Theory, problems: Sequence[Problem], *, compatible: bool = False
    ) -> None:
        self.theory = theory
        _, rules = compile_theory(theory)
        self._native = _native.StateStore(rules, compatible, checks_itself())
        self._native.load(ProblemList.of(theory, problems).native)

    def __len__(self) -> int:
        return len(self._native)

    def add(self, problem: int, actions: NDArray[np.uint16], *, with_last: bool = False) -> int:
        """Keeps the states before each action (and the last one); the index of the first."""
        try:
            return self._native.add(problem, integers(actions, np.uint16, "actions"), with_last)
        except ValueError as error:
            raise IllegalAction(str(error)) from None

    def prune(self, problem: int, actions: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """The actions of an episode without its loops."""
        return self._native.prune(problem, integers(actions, np.uint16, "actions"))

    def masks(self, states: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Legal actions in the listed states, (B, A)."""
        out = np.empty((len(states), len(self.theory.actions)), dtype=np.uint8)
        self._native.masks(integers(states, np.uint32, "states"), out)
        return out.view(np.bool_)

    def forward(
        self,
        network: Network,
        states: NDArray[np.uint32],
        draws: NDArray[np.uint64],
        *,
        seed: int,
        stream: int = 0,
        stop: Stop | None = None,
    ) -> Pass:
        """Evaluates the listed states, (B,); `draws` (B,) number the draws of random vectors."""
        network.require(self.theory)
        native = self._native.forward(
            network.native,
            integers(states, np.uint32, "states"),
            integers(draws, np.uint64, "draws"),
            seed,
            stream,
            stop,
        )
        return Pass(native, len(states), network)
