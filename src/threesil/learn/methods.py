"""The learning methods by their names."""

from __future__ import annotations

from threesil.errors import InputError
from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.config import Config
from threesil.learn.expert import Expert
from threesil.learn.levin import SearchingThreeSIL
from threesil.learn.method import Method
from threesil.learn.ppo import PPO
from threesil.learn.selection_run import METHOD as SELECTION
from threesil.learn.sil_paac import SilPaac
from threesil.learn.three_sil import ThreeSIL

METHODS: dict[str, type[Method]] = {
    "3sil": ThreeSIL,
    "bc": BehaviouralCloning,
    "a2c": A2C,
    "ppo": PPO,
    "acer": ACER,
    "sil-paac": SilPaac,
    "expert": Expert,
}


def method_of(name: str, config: Config) -> type[Method]:
    """The method of this name, as the configuration wants it."""
    if name not in METHODS:
        known = f"{', '.join(METHODS)}, or {SELECTION} without a theory"
        raise InputError(f"unknown method {name!r}; expected one of {known}")
    if name == "3sil" and config.search:
        return SearchingThreeSIL
    return METHODS[name]
