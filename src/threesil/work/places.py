"""Which place a user has asked for: `--on ray` or `ray://HOST:PORT`, else so many workers here."""

from __future__ import annotations

from threesil.errors import InputError
from threesil.work.place import Place
from threesil.work.threads import Threads


def place_for(on: str | None, workers: int, *, processes: bool = False) -> Place:
    """A Ray cluster if one is named; else so many threads, or processes, of this machine."""
    if on is not None:
        from threesil.work.ray import Ray

        return Ray(_address(on), workers)
    if not processes:
        return Threads(workers)
    from threesil.work.processes import Processes  # loaded by those who use it

    return Processes(workers)


def check_place(on: str | None) -> None:
    """Refuses a place where no cluster is, before anything is begun for it."""
    if on is not None:
        from threesil.work.clusters import find_cluster

        find_cluster(_address(on))


def _address(on: str) -> str | None:
    """The address in `ray://HOST:PORT`; None for `ray`, a cluster of this machine alone."""
    if on == "ray":
        return None
    address = on.removeprefix("ray://")
    host, colon, port = address.rpartition(":")
    if not on.startswith("ray://") or not host or not colon or not port.isdecimal():
        raise InputError(f"--on {on}: expected ray, or ray://HOST:PORT of a cluster's head")
    return address
