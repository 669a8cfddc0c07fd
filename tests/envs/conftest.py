"""What the tests of the environments share: their ids and two theories of a user's own."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest

import threesil.envs
from samples import GROUPS_FILE

gymnasium.register_envs(threesil.envs)

GROUPS = f"{GROUPS_FILE}Theorem one: e * (e * a) = a.\n"
# No rule applies everywhere, and every rule shrinks the term.
BOOLEAN = """\
Goal normal t f.
Constants t, f.
Rule not-t: n(t) -> f.
Rule not-f: n(f) -> t.
Rule and-t: t * x -> x.
Rule and-f: f * x -> f.
"""


@pytest.fixture(params=["Robinson-v0", "Polynomial-v0", "AIM-v0"])
def env_id(request: pytest.FixtureRequest) -> str:
    return f"threesil/{request.param}"


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    path = tmp_path / "groups.txt"
    path.write_text(GROUPS)
    return path


@pytest.fixture
def boolean(tmp_path: Path) -> Path:
    path = tmp_path / "boolean.txt"
    path.write_text(BOOLEAN)
    return path
