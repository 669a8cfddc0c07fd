"""Jobs on a Ray cluster: the same results as in threads, from as many machines as there are.

What all jobs need is put into the object store once. Jobs travel in chunks, as many together as
take about a second, so that small ones cost little more than by themselves. Two chunks a core are
under way. A chunk whose node dies is done again by Ray; each gives its results once, whole. What
comes back is certified anew on arrival, as everything that comes out of a pickle is.
"""

from __future__ import annotations

import socket
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from importlib.metadata import version
from itertools import islice
from typing import Any, Final, TypeVar

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool

_J = TypeVar("_J")
_R = TypeVar("_R")

_CHUNK: Final = 1.0  # seconds that a chunk should take
_MOST: Final = 256  # jobs of a chunk
_AHEAD: Final = 2  # chunks under way for each core
_TICK: Final = 0.1  # seconds between looks at the stop flag
_PATIENCE: Final = 5.0  # seconds until an address that does not answer is given up

_kept: dict[str, Callable[[Any], list[Any]]] = {}  # in a worker: what it has been given to do


def read_place(text: str) -> str | None:
    """The address in `ray://HOST:PORT`; None for `ray`, a cluster of this machine alone."""
    if text == "ray":
        return None
    address = text.removeprefix("ray://")
    host, colon, port = address.rpartition(":")
    if not text.startswith("ray://") or not host or not colon or not port.isdecimal():
        raise InputError(f"--on {text}: expected ray, or ray://HOST:PORT of a cluster's head")
    return address


def on_ray(
    place: str,
    jobs: Iterator[_J],
    do: Callable[[_J], list[_R]],
    workers: int,
    stop: Stop,
) -> Generator[_R, None, None]:
    """What comes of the jobs, as it comes. `do` is what travels; `workers` are local ones.

    When `stop` is set, or this generator is closed, what is under way is given up.
    """
    ray = _connected(read_place(place), workers)
    under_way: dict[Any, int] = {}
    try:
        task = ray.remote(max_retries=-1, num_cpus=1)(_chunk)
        given, token, pace = ray.put(do), uuid.uuid4().hex, _CHUNK
        while not stop.is_set():
            room = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while len(under_way) < room:
                chunk = list(islice(jobs, max(1, min(_MOST, round(_CHUNK / pace)))))
                if not chunk:
                    break
                under_way[task.remote(token, given, chunk)] = len(chunk)
            if not under_way:
                return
            ready, _ = ray.wait(list(under_way), num_returns=1, timeout=_TICK)
            for reference in ready:
                count = under_way.pop(reference)
                theirs, seconds, results = ray.get(reference)
                _check_version(theirs)
                pace = 0.5 * pace + 0.5 * max(seconds / count, 1e-4)
                yield from results
    except ray.exceptions.RayError as error:
        told = str(error).strip().splitlines()
        raise InputError(f"the cluster failed: {told[-1] if told else type(error)}") from None
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)
        ray.shutdown()


def _chunk(
    token: str, do: Callable[[Any], list[Any]], jobs: list[Any]
) -> tuple[str, float, list[Any]]:
    """Runs in a worker: its version, how long it took, and all results."""
    keep = _kept.setdefault(token, do)  # it is warm from the chunk before
    begin = time.perf_counter()
    results = [result for job in jobs for result in keep(job)]
    return version("threesil"), time.perf_counter() - begin, results


def _check_version(theirs: str) -> None:
    if theirs != version("threesil"):
        raise InputError(
            f"a node of the cluster has threesil {theirs}, this is {version('threesil')}: results "
            "of both can't be mixed; install the same everywhere"
        )


def _connected(address: str | None, workers: int) -> Any:
    """Ray, as a part of the cluster."""
    try:
        import ray
    except ImportError:
        raise MissingTool("ray is not installed; try: pip install 'threesil[ray]'") from None
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        ray.init(num_cpus=workers, **quiet)
        return ray
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, OverflowError, ConnectionError, RuntimeError, ValueError) as error:
        raise InputError(
            f"no Ray cluster at {address}: {error}; start one with `ray start --head --port=6379`"
        ) from None
    return ray
