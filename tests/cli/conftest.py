"""What tests of commands share: weights that they can be given."""

from __future__ import annotations

import pytest

from samples import AIM, untrained


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of weights of AIM that have learned nothing."""
    path = tmp_path_factory.mktemp("weights") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)
