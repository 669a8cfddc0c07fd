"""All pairs of a list: models first, then proofs and models in turn, with more and more time.

A model decides many pairs at once, a proof all that follows with what is known. So few searches
are needed, if they are chosen well:

- proofs from the weakest equations to the strongest, as far as models tell, each of the strongest
  that it may imply: what those imply in turn is known by then;
- models from the strongest equations to the weakest, each to refute the weakest that it may not
  imply: whatever implies these is refuted with them.

What is shown of a pair holds for the mirror images too.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Final

import numpy as np

from threesil.engine import Stop
from threesil.engine.laws import Bits, Laws
from threesil.implications.equations import EquationList, Pair
from threesil.implications.library import exhausted_size, library
from threesil.implications.mirror import mirrored_tables
from threesil.implications.relation import Relation, numbers, set_bit
from threesil.implications.store import (
    MODELS,
    PROGRESS,
    PROOFS,
    SYSTEMS,
    TRIED,
    Store,
    lines,
    model_line,
    read_models,
)
from threesil.implications.tasks import Kind, Report, Search, Task
from threesil.implications.verify import (
    check_system,
    named_by_proof,
    named_by_system,
    proof_of,
    proved_pairs,
    refuted_by_systems,
)
from threesil.kernel.tables import Tables
from threesil.work.place import Place

_FIRST: Final = 0.004  # seconds that a pair gets in the first round
_GROWTH: Final = 5.0  # of these from round to round
_REFUTE: Final = 5.0  # how much more time models get, which are looked for together
_SHARED: Final = 10.0  # how much more time a completion gets that serves all goals
_TOGETHER: Final = 8  # goals of a task
_MANY: Final = 48  # of one with a completion for all
_EACH: Final = 0.05  # seconds for each of these
_PAUSE: Final = 5.0  # seconds between two lines of progress
_FOUND: Final = "what a search has found"  # the source of a certificate that is no file yet


@dataclass(frozen=True)
class Standing:
    """How far it is: seconds since the beginning, by the wall clock and of CPU time of all
    processes; pairs by what is known; certificates."""

    seconds: float
    cpu_seconds: float
    proved: int
    refuted: int
    open: int
    proofs: int
    models: int
    doing: str


class Explorer:
    """Decides pairs of a list, with what a directory holds already."""

    def __init__(
        self,
        given: EquationList,
        store: Store,
        progress: Callable[[Standing], None] = lambda standing: None,
    ) -> None:
        self.given, self.store, self.progress = given, store, progress
        self.relation = Relation(len(given))
        self.proofs = self.models = 0
        self._make = partial(Search, given)
        self._laws = Laws(given.signature, given.sides)
        self._systems: list[tuple[int, list[int]]] = []
        self._tried: dict[Kind, dict[Pair, float]] = {"prove": {}, "refute": {}}
        self._doing = ""
        self._said = 0.0
        self._begin, self._cpu = time.monotonic(), -time.process_time()
        self._before = self._load()

    def _load(self) -> tuple[float, float]:
        """Takes in what the directory holds; the seconds and CPU seconds that went into it."""
        path = self.store.path
        for tables in read_models(path):
            self._take(tables)
        for (i, j), line in proved_pairs(self.given, path):
            self.proofs = line
            self.relation.prove(i, j)
        for i, goals, _ in refuted_by_systems(self.given, path):
            self._take_system(i, goals)
        for _, tried in lines(path / TRIED):
            pairs = self._tried[tried["kind"]]
            for goal in tried["goals"]:
                self._try(pairs, tried["source"], goal, tried["seconds"])
        spent = 0.0, 0.0
        for _, known in lines(path / PROGRESS):
            spent = known["seconds"], known["cpu_seconds"]
        return spent

    def run(self, place: Place, seconds: float, deadline: float) -> None:
        """Continues until all is decided, each pair got so many seconds, or time is up.

        Searches run at `place`. `deadline` is in seconds from now, by the wall clock.
        """
        end = self._begin + deadline
        self._start("library")
        for tables in library(self.given.signature):
            if time.monotonic() > end:
                return
            self._add_model(tables)
        smallest = exhausted_size(self.given.signature) + 1
        effort = min(_FIRST, seconds)
        self._pass(place, "prove", effort, end)
        while self.open and time.monotonic() < end:
            self._pass(place, "refute", effort * _REFUTE, end, smallest=smallest)
            if effort > _FIRST:  # what is left by now is mostly false, so that models pay more
                self._pass(place, "prove", effort, end)
            if effort >= seconds:
                break
            effort = min(effort * _GROWTH, seconds)
        self._tell()

    @property
    def open(self) -> int:
        proved, refuted = self.relation.counts
        return self.relation.pairs - proved - refuted

    # One pass over all equations

    def _pass(
        self, place: Place, kind: Kind, seconds: float, end: float, *, smallest: int = 2
    ) -> None:
        """Every equation with an open pair that did not get so many seconds yet."""
        self._start(f"{kind}, {seconds:g} s")
        done = np.zeros_like(self.relation.proved)
        for (i, j), spent in self._tried[kind].items():
            if spent >= seconds:
                set_bit(done, i, j)
        queue, stop = self._order(kind, seconds), Stop()
        under_way, number = dict[int, Task](), count()

        def tasks() -> Iterator[Task | None]:
            while True:
                task = None
                while queue and task is None:
                    task = self._task(kind, queue.popleft(), done, seconds, smallest)
                if task is not None:
                    under_way[next(number)] = task
                yield task

        def look() -> None:
            self._tell(_PAUSE)
            if time.monotonic() >= end:
                stop.set()

        look()
        for one in place.map(self._make, tasks(), stop, look):
            task = under_way.pop(one.index)
            if self._receive(one.value or Report(task, 0.0, failed=str(one.error)), done):
                queue.appendleft(task.source)

    def _order(self, kind: Kind, seconds: float) -> deque[int]:
        """The equations in the order of the pass; once few pairs are open, most open ones first."""
        if seconds > (_FIRST if kind == "prove" else _FIRST * _REFUTE):
            left = [
                len(numbers(self.relation.open(i), self.relation.n)) for i in range(self.relation.n)
            ]
            order = np.argsort(-np.array(left), kind="stable")
        else:
            order = np.argsort(self.relation.strengths(), kind="stable")
            order = order if kind == "prove" else order[::-1]
        return deque(order.tolist())

    def _task(
        self, kind: Kind, source: int, done: Bits, seconds: float, smallest: int
    ) -> Task | None:
        """The goals of an equation that are to be tried next, if there are any."""
        if kind == "refute":
            goals = self._weakest(source, done, _TOGETHER)
            return Task(kind, source, goals, seconds, smallest) if goals else None
        goals = self._strongest(source, done, _TOGETHER)
        if not goals or seconds <= _FIRST:
            return Task(kind, source, goals, seconds) if goals else None
        relation = self.relation
        waiting = numbers(relation.open(source) & ~done[source], relation.n)
        waiting = waiting[np.argsort(-self._strengths[waiting], kind="stable")]
        spread = waiting[:: max(1, len(waiting) // (_MANY - len(goals)))].tolist()
        goals = tuple(dict.fromkeys((*goals, *spread)))[:_MANY]
        among = frozenset(goals)
        follows = [among & set(numbers(relation.proved[j], relation.n).tolist()) for j in goals]
        return Task(
            kind,
            source,
            goals,
            min(seconds, _EACH),
            shared=seconds * _SHARED,
            follows=tuple(follows),
            undecided=tuple(numbers(relation.open(source), relation.n).tolist()),
        )

    def _strongest(self, i: int, done: Bits, most: int) -> tuple[int, ...]:
        """Open goals such that, if they are proved, all that i may imply is.

        Of the equations that no model separates from i, only the first needs proofs of all others.
        """
        relation = self.relation
        candidates = relation.open(i) & ~done[i]
        strengths = self._strengths
        chosen: list[int] = []
        waiting = numbers(candidates, relation.n)
        left = np.unpackbits(candidates, count=relation.n)
        for j in waiting[np.argsort(-strengths[waiting], kind="stable")].tolist():
            if not left[j]:
                continue
            chosen.append(j)
            if len(chosen) == most:
                break
            alike = i < j and not relation.is_refuted(j, i)
            gone = relation.proved[j] if alike else relation.allowed(j)
            left &= 1 - np.unpackbits(gone, count=relation.n)
            left[j] = 0
        return tuple(chosen)

    def _weakest(self, i: int, done: Bits, most: int) -> tuple[int, ...]:
        """Open goals such that, if they are refuted, all that i may not imply is."""
        relation = self.relation
        waiting = numbers(relation.open(i) & ~done[i], relation.n)
        strengths = self._strengths
        waiting = waiting[np.argsort(strengths[waiting], kind="stable")]
        chosen: list[int] = []
        while len(waiting) and len(chosen) < most:
            j = int(waiting[0])
            chosen.append(j)
            column = relation.refuted[waiting, j // 8] & np.uint8(128 >> (j % 8))
            waiting = waiting[(column != 0) & (waiting != j)]
        return tuple(chosen)

    def _receive(self, report: Report, done: Bits) -> bool:
        """Takes in what was found; whether that is anything."""
        task = report.task
        self._cpu += report.cpu_seconds
        for proof in report.proofs.values():
            pair = named_by_proof(self.given, proof, _FOUND)
            proof_of(self.given, pair, proof, _FOUND)
            self.store.add(PROOFS, proof)
            self._take_proof(*pair)
        found = bool(report.proofs)
        for tables in report.models:
            found |= self._add_model(tables)
        if report.system is not None:
            source, goals = named_by_system(self.given, report.system, _FOUND)
            check_system(self.given, source, goals, report.system, _FOUND)
            self.store.add(SYSTEMS, report.system)
            self._take_system(source, goals)
        spent = task.shared / _SHARED or task.seconds
        vain = [goal for goal in task.goals if self.relation.is_open(task.source, goal)]
        if vain or report.failed:
            facts = {"kind": task.kind, "source": task.source, "goals": vain, "seconds": spent}
            self.store.add(TRIED, facts | ({"failed": report.failed} if report.failed else {}))
        for goal in vain:
            for i, j in self._try(self._tried[task.kind], task.source, goal, spent):
                set_bit(done, i, j)
        return found

    def _try(self, pairs: dict[Pair, float], i: int, j: int, seconds: float) -> list[Pair]:
        """Remembers that a pair and its mirror image were tried."""
        image = self.given.reflected((i, j))
        both = [(i, j), image] if image else [(i, j)]
        for pair in both:
            pairs[pair] = max(seconds, pairs.get(pair, 0.0))
        return both

    # Certificates

    def _take_proof(self, i: int, j: int) -> None:
        self.proofs += 1
        self.relation.prove(i, j)
        if image := self.given.reflected((i, j)):
            self.relation.prove(*image)

    def _add_model(self, tables: Tables) -> bool:
        """An interpretation and its mirror image, stored if they refute what nothing else does."""
        found = False
        if self._take(tables):
            found = True
            self.store.add(MODELS, model_line(tables))
            image = mirrored_tables(tables, self.given.signature)
            if self._take(image):
                self.store.add(MODELS, model_line(image))
        self._tell(_PAUSE)
        return found

    def _take_system(self, i: int, goals: list[int]) -> None:
        self._systems.append((i, goals))
        self.relation.refute_all(i, goals)

    def _take(self, tables: Tables) -> bool:
        hold, fail = self._laws.rows(self._laws.add(tables), 1)
        holding, _ = self.relation.refute(hold[0], fail[0])
        self.models += len(holding) > 0
        return len(holding) > 0

    # Progress

    def _start(self, doing: str) -> None:
        for i, goals in self._systems:  # with what is proved by now, more follows
            self.relation.refute_all(i, goals)
        self._strengths = self.relation.strengths()
        self._doing = doing
        self._tell()

    def _tell(self, wait: float = 0.0) -> None:
        """Says how far it is, if that was said so many seconds ago."""
        now = time.monotonic()
        if now - self._said < wait:
            return
        self._said = now
        proved, refuted = self.relation.counts
        left = self.relation.pairs - proved - refuted
        spent = now - self._begin, time.process_time() + self._cpu
        wall, cpu = (round(old + new, 1) for old, new in zip(self._before, spent, strict=True))
        known = proved, refuted, left, self.proofs, self.models
        standing = Standing(wall, cpu, *known, self._doing)
        self.store.add(PROGRESS, vars(standing))
        self.progress(standing)
