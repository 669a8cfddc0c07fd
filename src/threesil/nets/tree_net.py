"""The tree network in PyTorch (paper, section 5).

One parameter holds all weights in the engine's order. The engine does both passes over a batch of
states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from threesil.engine import Network, Pass, Shape, States, layout
from threesil.engine.network import Floats
from threesil.kernel.theory import Theory
from threesil.nets.policy import Policy, initial_parameters


class TreeNet(nn.Module):
    """A trainable tree network. Leaf vectors stay as drawn unless `train_leaves`."""

    flat: nn.Parameter

    def __init__(self, theory: Theory, shape: Shape, *, train_leaves: bool, seed: int) -> None:
        super().__init__()
        self.theory = theory
        self.shape = shape
        self.train_leaves = train_leaves
        self.engine = Network(theory, shape)
        self.layout = layout(theory, shape)
        self.leaf_parameters = sum(d[0] for name, d in self.layout.items() if "leaf." in name)
        self.flat = nn.Parameter(torch.from_numpy(initial_parameters(theory, shape, seed)))
        self.publish()

    def publish(self) -> None:
        """Hands the current weights to the engine."""
        self.engine.load(self.parameters_array())

    def parameters_array(self) -> Floats:
        """The parameters, (P,), shared with PyTorch."""
        array: Floats = self.flat.detach().numpy()
        return array

    def policy(self, notes: dict[str, Any]) -> Policy:
        """A copy of the weights, to be saved."""
        return Policy(self.theory, self.shape, self.parameters_array().copy(), notes)

    def forward(
        self,
        states: States,
        indices: NDArray[np.uint32],
        draws: NDArray[np.uint64],
        seed: int,
        stream: int = 0,
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, A) and values (B,) of the listed states."""
        self.publish()
        done = states.forward(self.engine, indices, draws, seed=seed, stream=stream)
        logits, values = _Evaluate.apply(self.flat, done, self)  # type: ignore[no-untyped-call]
        return logits, values


class _Evaluate(torch.autograd.Function):
    """The engine's pass as one operation of PyTorch."""

    @staticmethod
    def forward(ctx: Any, flat: Tensor, done: Pass, net: TreeNet) -> tuple[Tensor, Tensor]:
        ctx.done = done
        ctx.fixed = 0 if net.train_leaves else net.leaf_parameters
        return torch.from_numpy(done.logits), torch.from_numpy(done.values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        logits, values = gradients
        gradient = ctx.done.backward(logits.numpy(), values.numpy())
        gradient[: ctx.fixed] = 0.0  # leaf vectors come first
        return torch.from_numpy(gradient), None, None
