"""The strategies by their names, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from threesil.errors import InputError
from threesil.files import is_directory
from threesil.kernel.theory import Goal, Theory
from threesil.nets.model import Model
from threesil.nets.pair_model import PairModel, find_pair_model
from threesil.runs.weights import (
    BUNDLED,
    bundled_model,
    find_model,
    theories_of_model,
    theory_of_run,
)
from threesil.search.best import Best, Unguided
from threesil.search.ladder import Greedy, Ladder, Sample, Tree
from threesil.search.learned import Learned, read_learned
from threesil.search.refute import Refute
from threesil.search.single import Complete, GuidedTerms, Plain, Saturate, Select, WithLemmas
from threesil.search.strategy import Need, Strategy
from threesil.search.translated import (
    Translated,
    common_part,
    learned_search,
    theory_of_search,
    translated_learned,
)
from threesil.theories import all_theories

AnyModel = Model | PairModel | Learned
_ENOUGH = 5  # equations in common, where nobody asked for the model

STRATEGIES: Final[Mapping[str, type[Strategy]]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            *(Best, Unguided, GuidedTerms, Complete, Select, Saturate, Plain),
            *(Tree, Sample, Greedy, Ladder, Refute),
        )
    }
)

_INFORMED = (Best, GuidedTerms, Saturate, Select)  # that use what a run has learned


def default_strategy(theory: Theory) -> str:
    """What is tried where nobody says how."""
    return Best.name if theory.goal is Goal.EQUATION else Ladder.name


def make_strategy(
    name: str,
    theory: Theory,
    *,
    model: str | Path | AnyModel | None = None,
    seed: int = 0,
    **options: Any,
) -> Strategy:
    """The strategy of that name for a theory; options that are None are left out.

    `model` is a model, a run's directory or a file; without it, the bundled model of the theory
    is used, if there is one and the strategy wants it, or else that of a theory with the same
    equations under other names, or with many of them; the strategy's `note` says so. A model for
    critical pairs is used by `best` beside that one.
    """
    kind = strategy_named(name)
    given = {key: value for key, value in options.items() if value is not None}
    for key in given:
        if key not in kind.options:
            raise InputError(f"{key} means nothing to strategy {name}")
    found = model_for(kind, theory, model)
    if isinstance(found, PairModel) and issubclass(kind, Best):
        given["pairs"] = found
        found = model_for(kind, theory, None)
    if isinstance(found, Learned):
        return _informed(kind, theory, found, seed, given)
    if isinstance(found, PairModel):
        assert issubclass(kind, Select)
        return kind(theory, seed=seed, model=found, **given)
    if found is None or kind.needs_model is Need.NEVER:
        return kind(theory, seed=seed, **given)
    if found.theory.digest in (theory.digest, (theory.base or theory).digest):
        return kind(theory, found.network(), seed=seed, **given)
    return _translated(kind, theory, found, seed, given)


def _informed(
    kind: type[Strategy], theory: Theory, learned: Learned, seed: int, given: dict[str, Any]
) -> Strategy:
    """The strategy with what was learned of the theory."""
    if issubclass(kind, Unguided):
        strategy: Strategy = kind(theory, seed=seed, learned=learned, **given)
    elif issubclass(kind, Select):
        strategy = kind(theory, seed=seed, model=learned.pairs, **given)
    elif issubclass(kind, Saturate):
        inner = kind(learned.extended, seed=seed, rule_costs=learned.costs, **given)
        strategy = WithLemmas(inner, learned)
    else:
        if learned.policy is None:
            raise InputError("this run has no policy yet: expected a finished run")
        strategy = WithLemmas(learned_search(learned, seed=seed), learned)
    strategy.note = learned.note
    return strategy


def _learned(directory: Path, theory: Theory) -> Learned | None:
    """What a run has learned of the theory, or of one whose equations this one has too."""
    for other in theory_of_run(directory):
        by = None if other.digest == theory.digest else common_part(other, theory)
        if by is not None and by.total:
            found = read_learned(directory, other)
            return found and translated_learned(found, by)
    return read_learned(directory, theory)


def _translated(
    kind: type[Strategy], theory: Theory, model: Model, seed: int, given: dict[str, Any]
) -> Strategy:
    """The strategy in the model's theory; of a schedule, the learned search alone."""
    by = common_part(model.theory, theory)
    assert by is not None
    there, network = theory_of_search(by), model.network()
    if issubclass(kind, Unguided):
        guided = Translated(GuidedTerms(there, network, seed=seed), by)
        return kind(theory, seed=seed, guided=guided, **given)
    return Translated(kind(there, network, seed=seed, **given), by)


def strategy_named(name: str) -> type[Strategy]:
    if name not in STRATEGIES:
        raise InputError(f"unknown strategy {name!r}; expected {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def model_for(
    kind: type[Strategy], theory: Theory, model: str | Path | AnyModel | None
) -> AnyModel | None:
    """The model that a strategy would use: of the theory, or of the one that it is a part of.

    Where there is none, one of a theory that has equations in common with this one. Strategies
    that select critical pairs have a model for all theories.
    """
    base = theory.base or theory
    if isinstance(model, str | Path) and kind in _INFORMED:
        learned = _learned(Path(model), theory)
        if learned is not None:
            return learned
    if isinstance(model, Learned):
        if model.theory.digest != theory.digest:
            raise InputError(f"a model of {model.theory.name}, not of {theory.name}")
        return model
    if kind.needs_model is Need.GENERAL:
        if isinstance(model, Model):
            raise InputError(f"a model of {model.theory.name}; {kind.name} needs one for pairs")
        return model if isinstance(model, PairModel) else find_pair_model(model)
    if isinstance(model, PairModel):
        if issubclass(kind, Best):
            return model
        raise InputError(f"strategy {kind.name} uses no model for critical pairs")
    if isinstance(model, Model):
        if model.theory.digest != base.digest and not common_part(model.theory, theory):
            raise InputError(f"a model of {model.theory.name}, not of {base.name}")
        return model
    if kind.needs_model is Need.NEVER:
        if model is not None:
            raise InputError(f"strategy {kind.name} uses no model; leave --model out")
        return None
    if model is None or str(model) == BUNDLED:
        found = bundled_model(base) or _bundled_elsewhere(theory)
        needed = model is not None or kind.needs_model is Need.ALWAYS
        return find_model(None, base) if found is None and needed else found
    if issubclass(kind, Best):
        with suppress(InputError):
            return find_pair_model(model)
    try:
        return find_model(str(model), base)
    except InputError as error:
        for other in theories_of_model(str(model)):
            if common_part(other, theory):
                return find_model(str(model), other)
        run = Path(model) if is_directory(model) else Path(model).parent
        if any(other.digest == theory.digest for other in theory_of_run(run)):
            modes = ", ".join(kind.name for kind in _INFORMED)
            message = f"{error.message}: it knows lemmas; give the run to one of the modes {modes}"
            raise InputError(message, source=error.source) from None
        raise


def _bundled_elsewhere(theory: Theory) -> Model | None:
    """The bundled model of a theory with enough of the same equations."""
    for other in all_theories():
        found = bundled_model(other) if other.goal is theory.goal else None
        by = common_part(other, theory) if found else None
        if by is not None and len(by.equations) >= _ENOUGH:
            return found
    return None
