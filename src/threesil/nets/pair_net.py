"""The network for critical pairs in PyTorch: what the core evaluates, made trainable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from threesil.engine import PairShape, pair_layout
from threesil.engine.network import Floats
from threesil.engine.selection import ARGUMENTS
from threesil.nets.judge import Judge

CLIP = 5.0  # of standardised features
_FIXED = ("mean", "scale")


@dataclass(frozen=True)
class Forest:
    """Unique subterms of many terms, bottom-up in levels.

    `heads` (nodes,) are numbers of symbols, variable i is number symbols + i; `children` (nodes,
    ARGUMENTS) name nodes, one past the last where there is no argument. Later arguments are
    treated as the last, so that `extra` lists (node, child) of those.
    """

    heads: NDArray[np.int64]
    children: NDArray[np.int64]
    extra: NDArray[np.int64]
    levels: NDArray[np.int64]
    """where each level begins, and the end"""
    roots: NDArray[np.int64]

    @classmethod
    def of(cls, terms: Sequence[Sequence[int]], arity: Sequence[int]) -> Forest:
        """From codes in prefix order."""
        known: dict[tuple[int, ...], int] = {}
        depth: list[int] = []
        roots = []
        for codes in terms:
            stack: list[int] = []
            for code in reversed(codes):
                count = arity[code] if code >= 0 else 0
                key = (code, *(stack.pop() for _ in range(count)))
                node = known.setdefault(key, len(known))
                if node == len(depth):
                    depth.append(1 + max((depth[child] for child in key[1:]), default=-1))
                stack.append(node)
            roots.append(stack[0])
        order = np.argsort(np.array(depth, np.int64), kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        heads = np.empty(len(order), np.int64)
        children = np.full((len(order), ARGUMENTS), len(order), np.int64)
        extra = []
        for key, node in known.items():
            heads[place[node]] = key[0] if key[0] >= 0 else len(arity) + ~key[0]
            for k, child in enumerate(key[1:]):
                if k < ARGUMENTS:
                    children[place[node], k] = place[child]
                else:
                    extra.append((place[node], place[child]))
        levels = np.searchsorted(np.array(depth)[order], np.arange(max(depth, default=-1) + 2))
        return cls(
            heads,
            children,
            np.array(extra, np.int64).reshape(-1, 2),
            levels,
            place[np.array(roots, np.int64)],
        )


class TrainablePairNet(nn.Module):
    """The same function as the core's."""

    def __init__(self, shape: PairShape, mean: Floats, scale: Floats, *, seed: int) -> None:
        super().__init__()
        self.shape = shape
        random = torch.Generator().manual_seed(seed)
        self.weights = nn.ParameterDict()
        for name, dimensions in pair_layout(shape).items():
            if name in _FIXED:
                value = torch.from_numpy(mean if name == "mean" else scale).clone()
            elif name.endswith(".weight"):
                bound = 1 / math.sqrt(dimensions[0])
                value = (torch.rand(dimensions, generator=random) * 2 - 1) * bound
            else:
                value = torch.zeros(dimensions)
            key = name.replace(".", "_")
            self.weights[key] = nn.Parameter(value, requires_grad=name not in _FIXED)

    def judge(self, notes: dict[str, Any]) -> Judge:
        """A copy of the weights, to be saved."""
        parts = [self._weight(name).detach().numpy().ravel() for name in pair_layout(self.shape)]
        return Judge(self.shape, np.concatenate(parts), notes)

    def take(self, model: Judge) -> None:
        """Takes over the weights of a model of the same shape."""
        if model.shape != self.shape:
            raise ValueError(f"the shape of the weights is {model.shape}, not {self.shape}")
        with torch.no_grad():
            for name, tensor in model.tensors.items():
                self._weight(name).copy_(torch.from_numpy(tensor.copy()))

    def _weight(self, name: str) -> Tensor:
        weight: Tensor = self.weights[name.replace(".", "_")]
        return weight

    def forward(self, features: Tensor, vectors: Tensor | None = None) -> Tensor:
        """Judgements (N,) from features (N, F) and `pair_vectors` (N, PARTS n)."""
        x = (features - self._weight("mean")) * self._weight("scale")
        straight = x @ self._weight("skip")
        x = x.clamp(-CLIP, CLIP)
        if vectors is not None:
            x = torch.cat([x, vectors], dim=1)
        x = torch.relu(x @ self._weight("first.weight") + self._weight("first.bias"))
        x = torch.relu(x @ self._weight("second.weight") + self._weight("second.bias"))
        return straight + x @ self._weight("last.weight") + self._weight("last.bias")

    def pair_vectors(self, forest: Forest, heads: Tensor) -> Tensor:
        """What the predictor reads of pairs and a goal (N, PARTS n).

        The forest's terms are the goal's sides, then those of the pairs by turns; `heads` are the
        random numbers and marks of symbols and variables, (symbols + variables, n + marks).
        """
        roots = self.embed(forest, heads)[torch.from_numpy(forest.roots)]
        goal = (roots[0] + roots[1]) / 2
        large, small = roots[2::2], roots[3::2]
        whole = goal.expand_as(large)
        return torch.cat([large, small, whole, large * goal, small * goal], dim=1)

    def embed(self, forest: Forest, heads: Tensor) -> Tensor:
        """The vectors of all nodes, (nodes, n)."""
        n = self.shape.size
        own = (heads @ self._weight("head.weight") + self._weight("head.bias"))[
            torch.from_numpy(forest.heads)
        ]
        children = torch.from_numpy(forest.children)
        done = torch.zeros(0, n)
        nothing = torch.zeros(1, n)
        for begin, end in zip(forest.levels[:-1], forest.levels[1:], strict=True):
            hidden = own[begin:end]
            if begin:
                below = torch.cat([done, nothing])
                for k in range(ARGUMENTS):
                    which = children[begin:end, k].clamp(max=len(done))
                    hidden = hidden + below[which] @ self._weight(f"argument.{k}.weight")
                late = forest.extra[(forest.extra[:, 0] >= begin) & (forest.extra[:, 0] < end)]
                if len(late):
                    added = below[torch.from_numpy(late[:, 1])]
                    added = added @ self._weight(f"argument.{ARGUMENTS - 1}.weight")
                    place = torch.from_numpy(late[:, 0] - begin)
                    hidden = hidden.index_add(0, place, added)
            out = torch.relu(hidden) @ self._weight("term.weight") + self._weight("term.bias")
            out = out * torch.rsqrt(out.square().mean(dim=1, keepdim=True) + 1e-5)
            done = torch.cat([done, out])
        return done
