"""Jobs on a Ray cluster: the same results as in threads, from as many machines as there are.

What all jobs need is put into the object store once, and so is each theory that is met in a job: in
its place travels a name. Jobs travel in chunks, as many together as take about a second, so that
small ones cost little more than by themselves; a worker that needs longer gives back what it has
not begun, for others to share. Two chunks a core are under way. A chunk whose node dies is done
again by Ray; each gives its results once. What comes back is certified anew on arrival, as
everything that comes out of a pickle is.

    with Cluster("ray://head:6379") as cluster:
        for result in cluster.run(jobs, do, stop): ...
"""

from __future__ import annotations

import io
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from typing import Any, Final, Protocol, Self, TypeVar

from threesil.errors import InputError
from threesil.kernel.theory import Theory
from threesil.work.ray_places import connected, read_place


class Stop(Protocol):
    """What ends it from another thread."""

    def is_set(self) -> bool: ...


_J = TypeVar("_J")
_R = TypeVar("_R")

_CHUNK: Final = 1.0  # seconds that a chunk should take
_MOST: Final = 256  # jobs of a chunk
_AHEAD: Final = 2  # chunks under way for each core
_TICK: Final = 0.1  # seconds between looks at the stop flag
_GROWTH: Final = 1.0  # seconds between looks at how large the cluster is

_RECENT: Final = 32  # values that a worker keeps

# In a worker: what it has been given to do, and other values that were sent once, by their names.
_doing: dict[str, Callable[[Any], list[Any]]] = {}
_values: OrderedDict[str, Any] = OrderedDict()


def on_ray(
    place: str,
    jobs: Iterator[_J],
    do: Callable[[_J], list[_R]],
    workers: int,
    stop: Stop,
) -> Generator[_R, None, None]:
    """What comes of the jobs, as it comes, from a cluster that is left afterwards."""
    with Cluster(place, workers) as cluster:
        yield from cluster.run(jobs, do, stop)


class Cluster:
    """A cluster that this process is a part of; `workers` are for one of this machine alone.

    It has one thing to do at a time: `begin` says what, `give` and `results` are for those who
    hand out jobs one by one, `run` does it all.
    """

    def __init__(self, place: str, workers: int = 1) -> None:
        self._ray = connected(read_place(place), workers)
        self._task = self._ray.remote(max_retries=-1, num_cpus=1)(_chunk)
        self._under_way: dict[Any, Sequence[Any]] = {}
        self._do: _Kept | None = None
        self._sent: dict[int, _Kept] = {}  # theories, by their identity
        self._theories: dict[str, Theory] = {}  # the same, by their names
        self._cores, self._counted = 1, float("-inf")

    def begin(self, do: Callable[[_J], list[_R]]) -> None:
        """Puts what jobs need into the object store."""
        self._do = self.keep(do)

    def keep(self, value: Any) -> _Kept:
        """Sends a value once; what comes back travels with jobs and gives it, the same object."""
        return _Kept(self._ray.put(value))

    @property
    def room(self) -> int:
        """How many chunks it takes now."""
        if time.monotonic() > self._counted + _GROWTH:
            self._cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        return _AHEAD * self._cores - len(self._under_way)

    @property
    def busy(self) -> bool:
        return bool(self._under_way)

    def give(self, jobs: Sequence[_J]) -> None:
        """Sends a chunk on its way."""
        met: dict[str, _Kept] = {}

        def name(theory: Theory) -> str:
            if id(theory) not in self._sent:
                kept = self._sent[id(theory)] = self.keep(theory)
                self._theories[kept.name] = theory
            kept = self._sent[id(theory)]
            met[kept.name] = kept
            return kept.name

        packed = _packed(jobs, name)
        self._under_way[self._task.remote(self._do, list(met.values()), packed)] = jobs

    def results(self, seconds: float) -> Iterator[tuple[int, float, list[Any]]]:
        """(jobs, seconds that they took, results) of a chunk that has come back by then."""
        try:
            ready, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=seconds)
            for reference in ready:
                jobs = self._under_way.pop(reference)
                theirs, count, took, packed = self._ray.get(reference)
                _check_version(theirs)
                results = _unpacked(packed, self._theories)
                middle = (count + len(jobs) + 1) // 2
                for rest in (jobs[count:middle], jobs[middle:]):
                    if rest:
                        self.give(rest)
                yield count, took, results
        except self._ray.exceptions.RayError as error:
            told = str(error).strip().splitlines()
            raise InputError(
                f"the cluster failed: {told[-1] if told else type(error)}; each node needs what "
                f"this one has: threesil {version('threesil')}"
            ) from None

    def run(
        self, jobs: Iterator[_J], do: Callable[[_J], list[_R]], stop: Stop
    ) -> Generator[_R, None, None]:
        """What comes of the jobs, as it comes. `do` is what travels.

        When `stop` is set, or this generator is closed, what is under way is forgotten.
        """
        self.begin(do)
        pace = _CHUNK
        try:
            while not stop.is_set():
                for _ in range(self.room):
                    chunk = list(islice(jobs, max(1, min(_MOST, round(_CHUNK / pace)))))
                    if not chunk:
                        break
                    self.give(chunk)
                if not self.busy:
                    return
                for count, seconds, results in self.results(_TICK):
                    pace = 0.5 * pace + 0.5 * max(seconds / count, 1e-4)
                    yield from results
        finally:
            self._under_way.clear()

    def ordered(
        self, jobs: Sequence[_J], do: Callable[[_J], _R], stop: Stop
    ) -> Generator[_R, None, None]:
        """One result for each job, in the order of the jobs."""
        found: dict[int, _R] = {}
        number = 0
        for place, result in self.run(iter(enumerate(jobs)), _Numbered(do), stop):
            found[place] = result
            while number in found:
                yield found.pop(number)
                number += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Ends the workers too. To cancel what they do is no use beside that, and ends this process
        # with a fault of Ray's where a result comes at the same moment.
        self._under_way.clear()
        self._ray.shutdown()


class _Kept:
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
    def __init__(self, packed: bytes, theories: Mapping[str, Theory]) -> None:
        super().__init__(io.BytesIO(packed))
        self._theories = theories

    def persistent_load(self, name: str) -> Theory:
        return self._theories[name]


def _packed(value: object, name: Callable[[Theory], str | None]) -> bytes:
    file = io.BytesIO()
    _Packer(file, name).dump(value)
    return file.getvalue()


def _unpacked(packed: bytes, theories: Mapping[str, Theory]) -> Any:
    return _Unpacker(packed, theories).load()


class _Numbered:
    """Does a job and says which one it was."""

    def __init__(self, do: Callable[[Any], Any]) -> None:
        self._do = do

    def __call__(self, job: tuple[int, Any]) -> list[tuple[int, Any]]:
        number, what = job
        return [(number, self._do(what))]


def _chunk(do: _Kept, theories: Sequence[_Kept], packed: bytes) -> tuple[str, int, float, bytes]:
    """Runs in a worker: its version, how many of the jobs it did, how long it took, all results."""
    if do.name not in _doing:
        _doing.clear()
        _doing[do.name] = do.get()
    keep = _doing[do.name]  # it is warm from the chunk before
    known = {kept.name: kept() for kept in theories}
    names = {id(theory): name for name, theory in known.items()}
    jobs = _unpacked(packed, known)
    begin, took, done, results = time.perf_counter(), 0.0, 0, list[Any]()
    while done < len(jobs) and took < _CHUNK:
        results += keep(jobs[done])
        took, done = time.perf_counter() - begin, done + 1
    whole = _packed(results, lambda theory: names.get(id(theory)))
    return version("threesil"), done, took, whole


def _check_version(theirs: str) -> None:
    if theirs != version("threesil"):
        raise InputError(
            f"a node of the cluster has threesil {theirs}, this is {version('threesil')}: results "
            "of both can't be mixed; install the same everywhere"
        )
