"""Public problem sets, fetched from where they are published into the directory of data.

A mirror is a directory or an address. Below an address there are the paths of GitHub,
`OWNER/NAME/COMMIT/FILE`, or `OWNER/NAME/tar.gz/COMMIT` for a whole repository; a directory has the
same, or clones of the repositories under their names. Whatever the mirror gives, what is made of
it must have the bundled digests. `download` gets single files, `ueq` copies problems of TPTP.
"""

from __future__ import annotations

import shutil
import tarfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from threesil.errors import InputError
from threesil.files import is_directory, is_file, locked
from threesil.problems.fetch import store
from threesil.problems.fetch.download import NoConnection, download, is_address
from threesil.problems.fetch.sources import SOURCES, Source

DOWNLOADS: Final = ".downloads"
_LARGEST: Final = 1_000_000  # bytes of a member of an archive

Progress = Callable[[str, int, int | None], None]
"""hears what is fetched, how many bytes have come, and how many there will be if known"""


def is_there(source: Source, directory: Path) -> bool:
    """Whether all files of the set are there as they should be."""
    return all(store.holds(directory / file, digest) for file, digest in source.made.items())


def fetch(
    source: Source,
    directory: Path,
    origin: str | None = None,
    *,
    progress: Progress = lambda what, done, total: None,
    patience: float | None = None,
) -> bool:
    """Makes the files of a set in the directory; False if they were there already."""
    if is_there(source, directory):
        return False
    directory.mkdir(parents=True, exist_ok=True)
    with locked(directory):
        store.refuse_strangers(directory, source.made)
        files, where = _gathered(source, directory, origin, progress, patience)
        try:
            made = source.make(files)
            for file, digest in source.made.items():
                if store.text_digest(made[file]) != digest:
                    raise InputError(
                        f"{file} would have the SHA-256 {store.text_digest(made[file])}"
                    )
        except (InputError, KeyError) as error:
            _forget(source, directory)
            raise InputError(
                f"what {where} gives is not {source.repository} at {source.commit[:12]}: {error}; "
                f"nothing of it was kept. {_remedy(source, origin)}"
            ) from None
        store.write(directory, made)
        _forget(source, directory)
    return True


def _gathered(
    source: Source,
    directory: Path,
    origin: str | None,
    progress: Progress,
    patience: float | None,
) -> tuple[dict[str, bytes], str]:
    """The files of the repository that are needed, and where they come from."""
    if origin is not None and not is_address(origin):
        return _from_directory(source, Path(origin)), origin
    base = (origin or source.home).rstrip("/")
    limit = {} if patience is None else {"patience": patience, "pause": patience / 10}
    paths = []
    for place in source.downloads:
        path = directory / DOWNLOADS / place
        if not path.exists():
            what = place.removeprefix(f"{source.repository}/")
            try:
                download(f"{base}/{place}", path, progress=partial(progress, what), **limit)
            except NoConnection as error:
                raise NoConnection(f"{error}\n{advice(source)}") from None
        paths.append(path)
    return _contents(source, paths), base


def advice(source: Source) -> str:
    """What can be done without a connection."""
    return (
        "What has arrived is kept: the same command resumes. Without a connection, on a machine "
        f"that has one:\n  git clone https://github.com/{source.repository}\n"
        f"  git -C {source.folder} checkout {source.commit}\n"
        f"then bring the directory {source.folder} here and say where it lies:\n"
        f"  threesil data fetch {source.name} --from DIRECTORY-THAT-HAS-IT"
    )


def _remedy(source: Source, origin: str | None) -> str:
    """What can be done if a mirror has something else."""
    if origin is None or is_address(origin):
        return "Try again, or another mirror with --from"
    return f"If it is a clone: git checkout {source.commit}"


def _from_directory(source: Source, origin: Path) -> dict[str, bytes]:
    """From a clone below the directory, or that it is; or from a mirror on disk."""
    if not is_directory(origin):
        message = f"there is no directory {origin}; --from takes one, or an address that begins"
        raise InputError(f"{message} with http:// or https://")
    for clone in (origin / source.folder, origin):
        if source.files and all(is_file(clone / file) for file in source.files):
            return {file: (clone / file).read_bytes() for file in source.files}
        if source.below and is_directory(clone / source.below):
            found = sorted(path for path in (clone / source.below).iterdir() if path.is_file())
            return {f"{source.below}/{path.name}": path.read_bytes() for path in found}
    paths = [origin / place for place in source.downloads]
    missing = [path for path in paths if not is_file(path)]
    if missing:
        raise InputError(
            f"{origin} has neither a clone of {source.repository}, {source.folder}/ with "
            f"{source.below or source.files[0]}, nor {missing[0]}"
        )
    return _contents(source, paths)


def _contents(source: Source, paths: list[Path]) -> dict[str, bytes]:
    if source.files:
        return {file: path.read_bytes() for file, path in zip(source.files, paths, strict=True)}
    files = {}
    try:
        with tarfile.open(paths[0], "r:gz") as archive:
            for member in archive:
                inside = member.name.partition("/")[2]  # after the archive's own directory
                if member.isfile() and inside.startswith(f"{source.below}/"):
                    opened = archive.extractfile(member)
                    assert opened is not None  # it is a file
                    files[inside] = opened.read(_LARGEST)
    except (tarfile.TarError, zlib.error, OSError, EOFError, ValueError):
        pass  # what is missing for that is noticed, by name, when the files are made
    return files


def _forget(source: Source, directory: Path) -> None:
    """Removes what was downloaded for a set."""
    owner = directory / DOWNLOADS / source.repository.split("/")[0]
    shutil.rmtree(owner, ignore_errors=True)
    if is_directory(directory / DOWNLOADS) and not any((directory / DOWNLOADS).iterdir()):
        (directory / DOWNLOADS).rmdir()


__all__ = ["SOURCES", "NoConnection", "Source", "advice", "fetch", "is_there"]
