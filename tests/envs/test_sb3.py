"""MaskablePPO of sb3-contrib learns on the environment, by way of the example."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

EXAMPLE = Path(__file__).parents[2] / "examples" / "rl" / "maskable_ppo.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("maskable_ppo", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_learns_and_respects_the_mask(example: ModuleType, tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = example.make_model(seed=0)
        model.learn(6000)  # an illegal action would raise
        model.save(tmp_path / "model")
        policy = example.policy_of(type(model).load(tmp_path / "model"))

        def checked(observation: dict[str, Any], mask: np.ndarray) -> int:
            action = policy(observation, mask)
            assert mask[action]
            return int(action)

        after = example.success_rate(checked, episodes=50, seed=10_000)
        by_chance = example.success_rate(example.random_policy(0), episodes=50, seed=10_000)
        assert after > by_chance
    finally:
        torch.set_num_threads(threads)
