"""The strategies by their names, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from threesil.errors import InputError
from threesil.nets.find import bundled_model, find_model
from threesil.nets.model import Model
from threesil.search.best import Best, Unguided
from threesil.search.ladder import Greedy, Ladder, Sample, Tree
from threesil.search.single import Complete, GuidedTerms, Plain, Saturate
from threesil.search.strategy import Need, Strategy
from threesil.theory import Goal, Theory

STRATEGIES: Final[Mapping[str, type[Strategy]]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            *(Best, Unguided, GuidedTerms, Complete, Saturate, Plain),
            *(Tree, Sample, Greedy, Ladder),
        )
    }
)


def default_strategy(theory: Theory) -> str:
    """What is tried where nobody says how."""
    return Best.name if theory.goal is Goal.EQUATION else Ladder.name


def make_strategy(
    name: str,
    theory: Theory,
    *,
    model: str | Path | Model | None = None,
    seed: int = 0,
    **options: Any,
) -> Strategy:
    """The strategy of that name for a theory; options that are None are left out.

    `model` is a model, a run's directory or a file; without it, the bundled model of the theory
    is used, if there is one and the strategy wants it.
    """
    kind = strategy_named(name)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in kind.options:
            raise InputError(f"{key} means nothing to strategy {name}")
    found = model_for(kind, theory, model)
    return kind(theory, found.network() if found else None, seed=seed, **given)


def strategy_named(name: str) -> type[Strategy]:
    if name not in STRATEGIES:
        raise InputError(f"unknown strategy {name!r}; expected {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def model_for(
    kind: type[Strategy], theory: Theory, model: str | Path | Model | None
) -> Model | None:
    """The model that a strategy would use: of the theory, or of the one that it is a part of."""
    base = theory.base or theory
    if isinstance(model, Model):
        if model.theory.digest != base.digest:
            raise InputError(f"a model of {model.theory.name}, not of {base.name}")
        return model
    if kind.needs_model is Need.NEVER:
        if model is not None:
            raise InputError(f"strategy {kind.name} uses no model; leave --model out")
        return None
    if model is not None:
        return find_model(str(model), base)
    return find_model(None, base) if kind.needs_model is Need.ALWAYS else bundled_model(base)
