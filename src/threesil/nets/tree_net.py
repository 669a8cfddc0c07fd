"""The tree network in PyTorch (paper, section 5).

One parameter holds all weights in the engine's order. `forward` lets the engine do both passes
over a batch of states; `reference` is the same function in PyTorch operations alone, group by
group of the engine's schedule, and is what the engine is tested against.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from threesil.engine import Network, Pass, Shape, States, layout
from threesil.engine.compiled import compile_theory
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

    def reference(self, done: Pass) -> tuple[Tensor, Tensor]:
        """The same outputs in PyTorch operations, along the schedule of an engine's pass."""
        schedule = done.schedule()
        weights = self.views()
        networks = self._network_names()
        children = torch.from_numpy(schedule["children"].astype(np.int64))
        random = torch.from_numpy(schedule["random"])
        vectors: list[Tensor] = []
        for network, begin, end, child, drawn in schedule["groups"]:
            name = networks[network]
            count, n = end - begin, self.shape.size
            if name.startswith("leaf."):
                vectors.append(weights[name].expand(count, n))
                continue
            if name in ("constant", "variable"):
                inputs = random[drawn : drawn + count * n].view(count, n)
            else:
                arity = self.layout[f"{name}.first.weight"][0] // n
                nodes = children[child : child + count * arity]
                inputs = torch.cat(vectors)[nodes].view(count, arity * n)
            hidden = torch.relu(_linear(weights, f"{name}.first", inputs))
            vectors.append(_linear(weights, f"{name}.second", hidden))
        roots = torch.cat(vectors)[torch.from_numpy(schedule["roots"].astype(np.int64))]
        h = torch.relu(_linear(weights, "predictor.first", roots))
        h = torch.relu(_linear(weights, "predictor.second", h))
        values = torch.zeros(len(roots))
        if self.shape.value:
            values = _linear(weights, "predictor.value", h).squeeze(1)
        return _linear(weights, "predictor.policy", h), values

    def views(self) -> dict[str, Tensor]:
        """The weights by name, as views of the one parameter."""
        parts = torch.split(self.flat, [math.prod(d) for d in self.layout.values()])
        return {
            name: part.view(dimensions)
            for (name, dimensions), part in zip(self.layout.items(), parts, strict=True)
        }

    def _network_names(self) -> list[str]:
        """Names of the networks by the engine's numbers: one a symbol, constant, variable."""
        codec, _ = compile_theory(self.theory)
        symbols = [
            f"symbol.{s}" if arity else f"leaf.{s}"
            for s, arity in zip(codec.symbols, codec.arity, strict=True)
        ]
        return [*symbols, "constant", "variable"]


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


def _linear(weights: dict[str, Tensor], name: str, inputs: Tensor) -> Tensor:
    return inputs @ weights[f"{name}.weight"] + weights[f"{name}.bias"]
