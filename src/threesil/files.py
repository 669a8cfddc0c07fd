"""Files: whether a text names one, and how they appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def is_file(name: str | Path) -> bool:
    """Whether this is the path of a file; a text that can't be a path is none."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file beside its place, forces it to disk, and moves it there.

    Whatever goes wrong on the way, a full disk included, leaves what was there before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    name = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with name.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except OSError as error:
        name.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
