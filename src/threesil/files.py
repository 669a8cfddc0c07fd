"""Files: whether a text names one, how they appear whole or not at all, locks, links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from threesil.errors import InputError

LOCK = ".lock"  # in a directory that is being written to


def is_file(name: str | Path) -> bool:
    """Whether this is the path of a file; a text that can't be a path is none."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def is_directory(name: str | Path) -> bool:
    """Whether this is the path of a directory."""
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def check_closed(directory: Path, name: str) -> None:
    """Refuses a directory with a link, at any depth, that leads out of it; `name` is its name."""
    root = directory.resolve()
    for folder, folders, files in os.walk(root):
        for path in (Path(folder, entry) for entry in sorted((*folders, *files))):
            if path.is_symlink() and not _is_inside(path, root):
                link = path.relative_to(root).as_posix()
                raise InputError(f"{name} is not read: its link {link} leads out of it")


def _is_inside(path: Path, root: Path) -> bool:
    """Whether a link leads to something below a directory."""
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # it leads nowhere, or round and round
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
        _remove(name)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        _remove(name)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _remove(path: Path) -> None:
    """Removes what may not be there; where nothing can be written, nothing is."""
    with suppress(OSError):
        path.unlink()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps other processes from writing to a directory or a file; refused if one does already.

    The lock is one of the operating system on a hidden file, in the directory or beside the file,
    that names its owner: it ends with the process, however that ends.
    """
    from filelock import FileLock, Timeout  # a twentieth of a second that readers needn't wait

    hidden = path / LOCK if path.is_dir() else path.with_name(f".{path.name}.lock")
    lock = FileLock(hidden, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        message = f"{path} is being written to by another threesil{_owner(hidden)}"
        raise InputError(f"{message}; wait for it, or end that process first") from None
    except OSError as error:
        raise InputError(f"{path} can't be written to: {error.strerror or error}") from None
    try:
        hidden.write_text(str(os.getpid()))
        yield
    finally:
        hidden.unlink(missing_ok=True)  # while it is ours, so that nobody else's is taken away
        lock.release()


def _owner(hidden: Path) -> str:
    """The process that holds a lock, as far as its file says so."""
    try:
        text = hidden.read_text()[:20]
    except (OSError, UnicodeDecodeError):
        return ""
    return f" (pid {text})" if text.isdecimal() else ""
