"""Files: writing them whole, and locks against a second writer."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.files import locked, write_atomically

HOLD = """
import sys
from pathlib import Path
from threesil.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until it is told to end."""
    command = [sys.executable, "-c", HOLD, str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def assert_refused(path: Path, owner: int) -> None:
    with pytest.raises(InputError) as caught, locked(path):
        pass
    message = f"{path} is being written to by another threesil (pid {owner}); wait for it, or end"
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("kind", ["directory", "file", "new file"])
def test_a_second_writer_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path if kind == "directory" else tmp_path / "results.jsonl"
    if kind == "file":
        path.write_text("rows\n")
    before = set(tmp_path.iterdir())
    process = holder(path)
    assert_refused(path, process.pid)
    assert_refused(path, process.pid)  # the first one who was refused did no harm
    process.communicate("")
    with locked(path):
        assert_refused(path, os.getpid())  # within a process too
    assert set(tmp_path.iterdir()) == before


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (tmp_path / ".lock").exists()
    with locked(tmp_path):
        pass
    assert not (tmp_path / ".lock").exists()


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken" / ".lock").mkdir(parents=True)
    for path in (tmp_path / "file" / "x", tmp_path / "taken"):
        with pytest.raises(InputError, match=f"{path} can't be written to: "), locked(path):
            pass


def test_files_appear_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"

    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for function in ("os.fsync", "os.replace"):
        with monkeypatch.context() as patch:
            patch.setattr(function, fail)
            with pytest.raises(OSError, match="No space left"):
                write_atomically(path, b"three")
        assert path.read_bytes() == b"two"
        assert list(path.parent.iterdir()) == [path]

    with monkeypatch.context() as patch:  # as on a file system that is read-only
        for function in ("open", "unlink"):
            patch.setattr(Path, function, fail)
        with pytest.raises(OSError, match="No space left") as caught:
            write_atomically(path, b"three")
    assert caught.value.filename == str(path)
