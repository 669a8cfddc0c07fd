"""What tests of commands share: the command in this process, and weights that it can be given."""

from __future__ import annotations

import signal
import sys

import pytest

from commands import Done, Run
from samples import AIM, untrained
from threesil.cli import main


@pytest.fixture
def threesil(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run here, which is quicker."""

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["threesil", *map(str, arguments)])
        handler = signal.getsignal(signal.SIGTERM)
        try:
            code = main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            signal.signal(signal.SIGTERM, handler)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of weights of AIM that have learned nothing."""
    path = tmp_path_factory.mktemp("weights") / "aim.safetensors"
    untrained(AIM).save(path)
    return str(path)
