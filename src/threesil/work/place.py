"""The one interface for work: a place does a list of jobs and gives results as they come.

A *job* is a function of an item. It is made once in each worker, where it stays warm from item to
item: `make` travels to the worker, so it can be pickled (a class with `partial`, say), and so can
items and results. A job hands each thing that it finds to `give`, and ends soon after `stop` is
set. What goes wrong with one item is a result too, and the others continue.

    with place_for(on, workers) as place:
        for done in place.map(make, items, stop): ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, Self, TypeVar

from threesil.engine import Stop

TICK: Final = 0.05  # seconds between looks at a stop flag

_I = TypeVar("_I")
_R = TypeVar("_R")
Job = Callable[[_I, Callable[[_R], None], Stop], None]
"""job(item, give, stop)"""
Make = Callable[[], Job[_I, _R]]


@dataclass(frozen=True)
class Done(Generic[_R]):
    """Something that the item with this index gave, or the error that has ended it."""

    index: int
    value: _R | None = None
    error: BaseException | None = None

    def get(self) -> _R:
        """The value; raises the error, if there is one."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # what was given, which may be None


def dismiss(job: Job[Any, Any] | None) -> None:
    """Ends what a job keeps for itself, if it has a way to."""
    close = getattr(job, "close", None)
    if close is not None:
        close()


class Crew(ABC):
    """The workers of a place while they do one list."""

    @property
    @abstractmethod
    def room(self) -> int:
        """How many items it takes now."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Whether items are under way."""

    @abstractmethod
    def add(self, index: int, item: Any) -> None:
        """Takes an item."""

    @abstractmethod
    def results(self, seconds: float) -> Iterator[Done[Any]]:
        """What has come, after so many seconds at most."""

    @abstractmethod
    def stop(self) -> Iterator[Done[Any]]:
        """Ends what is under way; what had come by then."""


class Place(ABC):
    """Where work is done, until it is closed."""

    @abstractmethod
    def begin(self, make: Make[Any, Any]) -> Crew:
        """Workers for a list; one that was made for the same `make` before is used again."""

    @abstractmethod
    def close(self) -> None:
        """Ends everything."""

    def keep(self, value: _R) -> Callable[[], _R]:
        """Stands for a value that many jobs need: it travels once, where there is a way to."""
        return _Itself(value)

    def map(
        self,
        make: Make[_I, _R],
        items: Iterable[_I | None],
        stop: Stop | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Generator[Done[_R], None, None]:
        """What the items give, in the order in which it comes.

        Items are taken when there is room for them, in the thread that asks for results. None
        among them says that there is none now, but may be one after the next result. When `stop`
        is set, or this generator is closed, what is under way ends; what was found by then still
        comes. `meanwhile` is called every now and then.
        """
        stop = stop or Stop()
        crew, left, index = self.begin(make), iter(items), 0
        try:
            while not stop.is_set():
                for _ in range(crew.room):
                    if (item := next(left, None)) is None:
                        break
                    crew.add(index, item)
                    index += 1
                if not crew.busy:
                    return
                yield from crew.results(TICK)
                meanwhile()
            yield from crew.stop()
        finally:
            for _ in crew.stop():
                pass  # nobody listens any more

    def ordered(
        self, make: Make[_I, _R], items: Iterable[_I], stop: Stop | None = None
    ) -> Generator[_R, None, None]:
        """The one result of each item, in the order of the items; raises an error among them."""
        found: dict[int, _R] = {}
        number = 0
        for done in self.map(make, items, stop):
            found[done.index] = done.get()
            while number in found:
                yield found.pop(number)
                number += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Itself(Generic[_R]):
    value: _R

    def __call__(self) -> _R:
        return self.value
