"""The tree network in PyTorch operations alone, which the engine is tested against."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from threesil.engine import Pass
from threesil.engine.compiled import compile_theory
from threesil.nets.tree_net import TreeNet


def reference(net: TreeNet, done: Pass) -> tuple[Tensor, Tensor]:
    """The outputs of a pass of the engine, group by group of its schedule."""
    schedule = done.schedule()
    weights = views(net)
    networks = network_names(net)
    children = torch.from_numpy(schedule["children"].astype(np.int64))
    random = torch.from_numpy(schedule["random"])
    vectors: list[Tensor] = []
    for network, begin, end, child, drawn in schedule["groups"]:
        name = networks[network]
        count, n = end - begin, net.shape.size
        if name.startswith("leaf."):
            vectors.append(weights[name].expand(count, n))
            continue
        if name in ("constant", "variable"):
            inputs = random[drawn : drawn + count * n].view(count, n)
        else:
            arity = net.layout[f"{name}.first.weight"][0] // n
            nodes = children[child : child + count * arity]
            inputs = torch.cat(vectors)[nodes].view(count, arity * n)
        hidden = torch.relu(linear(weights, f"{name}.first", inputs))
        vectors.append(linear(weights, f"{name}.second", hidden))
    roots = torch.cat(vectors)[torch.from_numpy(schedule["roots"].astype(np.int64))]
    h = torch.relu(linear(weights, "predictor.first", roots))
    h = torch.relu(linear(weights, "predictor.second", h))
    values = torch.zeros(len(roots))
    if net.shape.value:
        values = linear(weights, "predictor.value", h).squeeze(1)
    return linear(weights, "predictor.policy", h), values


def views(net: TreeNet) -> dict[str, Tensor]:
    """The weights by name, as views of the one parameter."""
    parts = torch.split(net.flat, [math.prod(d) for d in net.layout.values()])
    return {
        name: part.view(dimensions)
        for (name, dimensions), part in zip(net.layout.items(), parts, strict=True)
    }


def network_names(net: TreeNet) -> list[str]:
    """Names of the networks by the engine's numbers: one a symbol, constant, variable."""
    codec, _ = compile_theory(net.theory)
    symbols = [
        f"symbol.{s}" if arity else f"leaf.{s}"
        for s, arity in zip(codec.symbols, codec.arity, strict=True)
    ]
    return [*symbols, "constant", "variable"]


def linear(weights: dict[str, Tensor], name: str, inputs: Tensor) -> Tensor:
    return inputs @ weights[f"{name}.weight"] + weights[f"{name}.bias"]
