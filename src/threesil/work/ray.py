"""Work on a Ray cluster: the same results as in threads, from as many machines as there are.

A job is put into the object store once, and so is each theory that is met in an item: in its place
travels a name. Items travel in chunks, as many together as take about a second, so that small ones
cost little more than by themselves; a worker that needs longer gives back what it has not begun,
for others to share. Two chunks a core are under way. A chunk whose node dies is done again by Ray;
each gives its results once. What comes back is certified again on arrival, as everything that comes
out of a pickle is.
"""

from __future__ import annotations

import io
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final, TypeVar

from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.work.clusters import connected
from threesil.work.place import Crew, Done, Job, Make, Place, dismiss
from threesil.work.processes import portable

_CHUNK: Final = 1.0  # seconds that a chunk should take
_MOST: Final = 256  # items of a chunk
_AHEAD: Final = 2  # chunks under way for each core
_GROWTH: Final = 1.0  # seconds between looks at how large the cluster is
_RECENT: Final = 32  # values that a worker keeps

_R = TypeVar("_R")
_Items = Sequence[tuple[int, Any]]

# In a worker: what it has been given to do, and other values that were sent once, by their names.
_doing: dict[str, Job[Any, Any]] = {}
_values: OrderedDict[str, Any] = OrderedDict()


class Ray(Place):
    """A cluster that this process is a part of; `cores` are for one of this machine alone."""

    def __init__(self, address: str | None, cores: int = 1) -> None:
        self.ray = connected(address, cores)
        self.task = self.ray.remote(max_retries=-1, num_cpus=1)(_chunk)
        self.theories: dict[str, Theory] = {}  # that were sent, by their names
        self._sent: dict[int, Kept] = {}  # the same, by their identity
        self._cores, self._counted = 1, float("-inf")

    @property
    def cores(self) -> int:
        """How many there are now: nodes come and go."""
        if time.monotonic() > self._counted + _GROWTH:
            self._cores = max(1, int(self.ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        return self._cores

    def keep(self, value: _R) -> Callable[[], _R]:
        return Kept(self.ray.put(value))

    def theory(self, theory: Theory) -> Kept:
        """Stands for a theory."""
        if id(theory) not in self._sent:
            kept = self._sent[id(theory)] = Kept(self.ray.put(theory))
            self.theories[kept.name] = theory
        return self._sent[id(theory)]

    def begin(self, make: Make[Any, Any]) -> Crew:
        return _Crew(self, make)

    def close(self) -> None:
        # Ends the workers too. To cancel what they do is no use beside that, and ends this process
        # with a fault of Ray's where a result comes at the same moment.
        self.ray.shutdown()


class _Crew(Crew):
    def __init__(self, place: Ray, make: Make[Any, Any]) -> None:
        self._place = place
        self._make = Kept(place.ray.put(make))
        self._next: list[tuple[int, Any]] = []  # a chunk that is not sent yet
        self._under_way: dict[Any, _Items] = {}
        self._pace = _CHUNK  # seconds that an item takes, about

    @property
    def room(self) -> int:
        chunks = _AHEAD * self._place.cores - len(self._under_way)
        return chunks * self._length - len(self._next)

    @property
    def busy(self) -> bool:
        return bool(self._under_way or self._next)

    @property
    def _length(self) -> int:
        return max(1, min(_MOST, round(_CHUNK / self._pace)))

    def add(self, index: int, item: Any) -> None:
        self._next.append((index, item))
        if len(self._next) >= self._length:
            self._send(self._next)
            self._next = []

    def _send(self, items: _Items) -> None:
        met: dict[str, Kept] = {}

        def name(theory: Theory) -> str:
            kept = self._place.theory(theory)
            met[kept.name] = kept
            return kept.name

        chunk = packed(items, name)
        self._under_way[self._place.task.remote(self._make, list(met.values()), chunk)] = items

    def results(self, seconds: float) -> Iterator[Done[Any]]:
        if self._next:
            self._send(self._next)
            self._next = []
        ray = self._place.ray
        try:
            ready, _ = ray.wait(list(self._under_way), num_returns=1, timeout=seconds)
            for reference in ready:
                items = self._under_way.pop(reference)
                theirs, count, took, found = ray.get(reference)
                check_version(theirs)
                self._pace = 0.5 * self._pace + 0.5 * max(took / count, 1e-4)
                results = unpacked(found, self._place.theories)
                middle = (count + len(items) + 1) // 2
                for rest in (items[count:middle], items[middle:]):
                    if rest:
                        self._send(rest)
                yield from results
        except ray.exceptions.RayError as error:
            said = str(error).strip().splitlines()
            raise InputError(
                f"the cluster failed: {said[-1] if said else type(error)}; each node needs what "
                f"this one has: threesil {version('threesil')}"
            ) from None

    def stop(self) -> Iterator[Done[Any]]:
        """Forgets what is under way, which ends with the cluster or by itself."""
        self._under_way.clear()
        self._next = []
        return iter(())


class Kept:
    """A value in the object store; a worker that has got it keeps it, with what it makes of it."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    @property
    def name(self) -> str:
        return str(self._reference.hex())

    def get(self) -> Any:
        import ray

        return ray.get(self._reference)

    def __call__(self) -> Any:
        if self.name not in _values:
            _values[self.name] = self.get()
            if len(_values) > _RECENT:
                _values.popitem(last=False)
        _values.move_to_end(self.name)
        return _values[self.name]


class _Packer(pickle.Pickler):
    """Names stand for theories; those that have none travel whole."""

    def __init__(self, file: io.BytesIO, name: Callable[[Theory], str | None]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._name = name

    def persistent_id(self, value: object) -> str | None:
        return self._name(value) if isinstance(value, Theory) else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, content: bytes, theories: Mapping[str, Theory]) -> None:
        super().__init__(io.BytesIO(content))
        self._theories = theories

    def persistent_load(self, name: str) -> Theory:
        return self._theories[name]


def packed(value: object, name: Callable[[Theory], str | None]) -> bytes:
    """A value as bytes, in which the names that `name` gives stand for theories."""
    file = io.BytesIO()
    _Packer(file, name).dump(value)
    return file.getvalue()


def unpacked(content: bytes, theories: Mapping[str, Theory]) -> Any:
    """The value again, with the theories that the names stand for."""
    return _Unpacker(content, theories).load()


def _chunk(make: Kept, theories: Sequence[Kept], content: bytes) -> tuple[str, int, float, bytes]:
    """Runs in a worker: its version, how many items it did, how long that took, all results."""
    known = {kept.name: kept() for kept in theories}
    names = {id(theory): name for name, theory in known.items()}
    items = unpacked(content, known)
    begin, took, done, results = time.perf_counter(), 0.0, 0, list[Done[Any]]()
    while done < len(items) and took < _CHUNK:
        index, item = items[done]
        _do(make, index, item, results)
        took, done = time.perf_counter() - begin, done + 1
    whole = packed(results, lambda theory: names.get(id(theory)))
    return version("threesil"), done, took, whole


def _do(make: Kept, index: int, item: Any, results: list[Done[Any]]) -> None:
    """Does an item; the job stays warm for the next one, unless it fails."""
    try:
        if make.name not in _doing:
            _forget()
            _doing[make.name] = make.get()()
        job = _doing[make.name]
        job(item, lambda value: results.append(Done(index, value)), Stop())
    except Exception as error:
        _forget()
        results.append(Done(index, error=portable(error)))


def _forget() -> None:
    while _doing:
        dismiss(_doing.popitem()[1])


def check_version(theirs: str) -> None:
    """Refuses results of another version."""
    if theirs != version("threesil"):
        raise InputError(
            f"a node of the cluster has threesil {theirs}, this is {version('threesil')}: results "
            "of both can't be mixed; install the same everywhere"
        )
