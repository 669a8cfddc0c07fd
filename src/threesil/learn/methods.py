"""The learning methods by their names."""

from __future__ import annotations

from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER
from threesil.learn.agent import Method
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.expert import Expert
from threesil.learn.ppo import PPO
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
