"""How fast threesil is, measured in one run.

A measurement has a name and gives figures, each under a key that begins with that name. Rates are
steps for each second of CPU time of one core. What is compared is measured in the same run, in
turns, and given as a ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from threesil.kernel.theory import Goal, Theory
from threesil.measure.bench.common import Field
from threesil.measure.bench.completion import completion
from threesil.measure.bench.core import random, replay, threads
from threesil.measure.bench.environments import envs
from threesil.theories import benchmark_of

__all__ = ["MEASUREMENTS", "bench"]

Measurement = Callable[[Field], dict[str, Any]]
MEASUREMENTS: Mapping[str, Measurement] = MappingProxyType(
    {
        "replay": replay,
        "random": random,
        "threads": threads,
        "completion": completion,
        "envs": envs,
    }
)


def bench(
    theories: Sequence[Theory],
    seconds: float = 2.0,
    progress: Callable[[str], None] = lambda what: None,
    measurements: Mapping[str, Measurement] = MEASUREMENTS,
) -> dict[str, Any]:
    """The figures of the measurements; each is measured for about `seconds` of CPU time.

    Episodes are those of theories with an environment, completion that of all with equations to
    prove.

    None stands for what can't be measured here. `profile` has the shares of time in the core.
    """
    field = Field([t for t in theories if benchmark_of(t).env_id], seconds, progress)
    proving = replace(field, theories=[t for t in theories if t.goal is Goal.EQUATION])
    figures: dict[str, Any] = {}
    for name, measure in measurements.items():
        figures |= measure(proving if name == "completion" else field)
    return figures | {"profile": field.profile}
