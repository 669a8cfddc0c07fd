"""Reading text files line by line, gzipped or not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from threesil.errors import InputError


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end) of a text file; bad files give `InputError`."""
    source = str(path)
    number = 0
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if zipped else path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield number, line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text (byte {error.start + 1} of the line)"
        raise InputError(message, source=source, line=number) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"damaged gzip file: {error}", source=source) from None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", source=source) from None
