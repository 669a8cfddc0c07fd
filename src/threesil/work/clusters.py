"""Where Ray is: a cluster whose address is given, or one that is started on this machine alone.

The second one listens on this machine's own addresses only, so that no other machine reaches it.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, Final

from threesil.errors import InputError, MissingTool
from threesil.work.machine import ENDINGS

_PATIENCE: Final = 5.0  # seconds until an address that does not answer is given up
_TRIES: Final = 4  # starts of a cluster of this machine alone
_BY_HAND: Final = (
    "start a cluster by hand, `ray start --head --port=6379`, and name it: --on ray://HOST:6379"
)


def find_cluster(address: str | None) -> None:
    """Refuses an address where no cluster is, before anything is begun for it."""
    _ray()
    if address is not None:
        _reach(address)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingTool("ray is not installed; try: pip install 'threesil[ray]'") from None
    return ray


def _reach(address: str) -> None:
    """Refuses an address where nothing answers."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except (OSError, OverflowError, ValueError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str, error: Exception) -> InputError:
    return InputError(
        f"no Ray cluster at {address}: {error}; start one with `ray start --head --port=6379`, "
        "and name that port; one that wants a token is reached with RAY_AUTH_MODE=token"
    )


def connected(address: str | None, workers: int) -> Any:
    """Ray, as a part of the cluster."""
    ray = _ray()
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        # Else workers are nicer than this process by 15, and starve where there is other work.
        os.environ.setdefault("RAY_worker_niceness", "0")
        # A cluster of its own, also where another one runs on this machine.
        with _loopback(ray):
            _begin_here(ray, num_cpus=workers, **quiet)
        if not ip_address(ray.util.get_node_ip_address()).is_loopback:
            ray.shutdown()
            raise InputError(f"Ray {ray.__version__} would let other machines in; {_BY_HAND}")
        return ray
    _reach(address)
    # Else what answers there and is no cluster, such as the port of Ray's client, is asked for a
    # quarter of an hour.
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    try:
        _begin(ray, address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError) as error:
        raise _no_cluster(address, error) from None
    return ray


@contextmanager
def _loopback(ray: Any) -> Iterator[None]:
    """In the block Ray makes clusters of this machine alone, to whose ports no other one comes.

    It has a switch for that, but not one of `init`: an address there that is this machine's own is
    replaced by that of the network.
    """
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _begin_here(ray: Any, **options: Any) -> None:
    """Starts a cluster; Ray gives each try half a minute, which is little on a busy machine."""
    for tries_left in reversed(range(_TRIES)):
        try:
            return _begin(ray, address="local", **options)
        except Exception as error:
            if not tries_left:
                raise InputError(f"Ray does not start: {error}; {_BY_HAND}") from None


def _begin(ray: Any, **options: Any) -> None:
    """Starts or joins a cluster; an interruption leaves it again."""
    try:
        with _signals_later():
            ray.init(**options)
    except BaseException:
        ray.shutdown()
        raise


@contextmanager
def _signals_later() -> Iterator[None]:
    """Signals wait for the end of the block, a second one does not.

    Where one comes while Ray connects, the process ends by a fault of memory.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where no signals come
        return
    before = {number: signal.getsignal(number) for number in ENDINGS}
    waiting: list[signal.Signals] = []

    def note(number: int, _: object) -> None:
        waiting.append(signal.Signals(number))
        signal.signal(number, before[waiting[-1]])

    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in waiting:
            signal.raise_signal(number)
