"""What all tests share: the engine checks itself, property tests can be repeated, the command."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from commands import Done, Run

# Read whenever a batch is made: every rewrite of every test is verified a second time.
os.environ["THREESIL_SELF_CHECK"] = "1"

# Under nohup or in the background the tests' own processes would not hear of a terminal that is
# closed, or of Ctrl-C.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "threesil", deadline=None, database=None, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("threesil")


@pytest.fixture(scope="session")
def data() -> Path:
    """The directory of recorded data; tests that ask for it are skipped where there is none."""
    name = os.environ.get("THREESIL_DATA")
    if not name:
        pytest.skip("set THREESIL_DATA to the directory of recorded data to run this test")
    directory = Path(name)
    if not directory.is_dir():
        pytest.skip(f"THREESIL_DATA names {name}, which is not a directory")
    return directory


@pytest.fixture
def threesil(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run here, which is quicker."""
    from threesil.cli import main

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
