"""Files: how they are read, how they appear whole or not at all, locks, links.

Only regular files are read, and none beyond a stated size: a device never ends, a pipe may never
begin. Whatever keeps a file from being read is an `InputError` that names it. `json_text` and
`json_record` read JSON, `limits` has the sizes.
"""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, cast

from threesil.errors import InputError
from threesil.files import limits

_OPEN: Final = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # pipes that this process was given
_KINDS: Final = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
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


def other_than_file(name: str | Path) -> str | None:
    """What is there instead of a file: `a directory`, `a device`; None if it is one, or nothing."""
    try:
        mode = os.stat(name).st_mode
    except (OSError, ValueError):
        return None
    return next((kind for is_one, kind in _KINDS if is_one(mode)), None)


@contextmanager
def opened(path: str | Path, *, unzip: bool = False) -> Iterator[IO[bytes]]:
    """A file to read from; with `unzip`, what is in it if it is gzipped."""
    source = str(path)
    kind = other_than_file(path)
    if kind is not None and not (kind == "a pipe" and source.startswith(_OPEN)):
        hint = "; standard input is called -" if kind == "a pipe" else ""
        raise InputError(f"this is {kind}, and a file was expected{hint}", source=source)
    if not _can_be_name(source):
        raise InputError("there is no such file", source=source)
    try:
        with open(path, "rb") as file:
            if unzip and file.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(file, "rb") as inside:
                    yield cast("IO[bytes]", inside)
            else:
                yield file
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("there is no such file", source=source) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"damaged gzip file: {error}", source=source) from None
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"can't be read: {reason}", source=source[:_SHOWN]) from None


def read_bytes(path: str | Path, most: int = limits.TEXT, *, unzip: bool = False) -> bytes:
    """The content of a file, if it has no more than `most` bytes."""
    with opened(path, unzip=unzip) as file:
        content = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if content is None or len(content) > most:
        raise InputError(f"too large: at most {_size(most)} can be read", source=str(path))
    return content


def read_text(path: str | Path, most: int = limits.TEXT) -> str:
    """The same as text, with a line break where a line ends, however the file writes it."""
    content = read_bytes(path, most)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", source=str(path), line=line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end) of a text file, gzipped or not."""
    number, source = 0, str(path)
    with opened(path, unzip=True) as file:
        while line := file.readline(limits.LINE + 1):
            number += 1
            if len(line) > limits.LINE:
                message = f"a line is too long: at most {_size(limits.LINE)} can be read"
                raise InputError(message, source=source, line=number)
            try:
                text = line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                message = f"not UTF-8 text (byte {error.start + 1} of the line)"
                raise InputError(message, source=source, line=number) from None
            yield number, text.removeprefix("\ufeff") if number == 1 else text


def _can_be_name(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _size(count: int) -> str:
    return f"{count // 10**6:,} MB" if count >= 10**6 else f"{count // 1000} kB"


_SHOWN: Final = 200  # letters of a name that is too long


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
    if os.name != "posix":  # a directory can't be opened there
        return
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
        text = read_text(hidden, _SHOWN)
    except InputError:
        return ""
    return f" (pid {text})" if text.isdecimal() else ""
