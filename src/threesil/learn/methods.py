"""The learning methods by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.config import Config, ThreeSILConfig
from threesil.learn.expert import Expert
from threesil.learn.levin import SearchingThreeSIL
from threesil.learn.method import Method
from threesil.learn.ppo import PPO
from threesil.learn.sil_paac import SilPaac
from threesil.learn.three_sil import ThreeSIL

METHODS: Final[Mapping[str, type[Method[Any]]]] = {
    "3sil": ThreeSIL,
    "bc": BehaviouralCloning,
    "a2c": A2C,
    "ppo": PPO,
    "acer": ACER,
    "sil-paac": SilPaac,
    "expert": Expert,
}


def method_of(config: Config) -> type[Method[Any]]:
    """The method that a configuration is of."""
    if isinstance(config, ThreeSILConfig) and config.search:
        return SearchingThreeSIL
    return METHODS[config.method]
