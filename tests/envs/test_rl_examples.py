"""The examples for learning libraries run, in a moment, as a user would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "rl"


def run(name: str, *options: str) -> str:
    """What an example prints."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / name), *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def shares(printed: str) -> list[float]:
    """The shares of solved problems."""
    return [float(share) for share in re.findall(r"([0-9.]+)%", printed)]


@pytest.mark.slow
def test_maskable_ppo() -> None:
    pytest.importorskip("sb3_contrib")
    small = ["--steps", "1024", "--episodes", "10"]
    printed = run("maskable_ppo.py", "--theory", "lattices", *small)
    assert len(shares(printed)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("theory", ["robinson", "quandles"])
def test_one_file(theory: str) -> None:
    pytest.importorskip("torch")
    small = ["--steps", "4096", "--episodes", "20", "--problems", "100"]
    before, *learning, after = shares(run("cleanrl_ppo.py", "--theory", theory, *small))
    assert len(learning) == 2
    assert all(0 <= share <= 100 for share in (before, after))


@pytest.mark.slow
def test_rllib() -> None:
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    printed = run("rllib_ppo.py", "--theory", "groups", "--iterations", "2", "--batch", "400")
    assert re.findall(r"iteration (\d): (\d+) episodes", printed)[1][0] == "2"
    assert all(0 <= share <= 100 for share in shares(printed))
