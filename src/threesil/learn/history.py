"""The problem history H: the k shortest solutions of each problem, all of them certified.

To see what comes of it, H may keep the newest k instead, or give every transition, rather than
every problem, the same weight in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Batch, ProblemList, States
from threesil.errors import ThreesilError
from threesil.kernel.proof import Derivation, certify
from threesil.kernel.theory import Problem, Theory
from threesil.runs.checkpoint import Arrays, take

Actions = NDArray[np.uint16]


class History:
    """H[p] for each problem p, and the transitions (s, a) of its solutions for training.

    A solution enters only if the kernel certifies it. Among solutions of the same length those
    that came earlier stay.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem],
        k: int = 1,
        prune: bool = False,
        *,
        shortest: bool = True,
        newest: bool = True,
        stratified: bool = True,
    ) -> None:
        self.theory = theory
        self.problems = ProblemList.of(theory, problems)
        self.k = k
        self.prune = prune
        self.shortest = shortest
        self.newest = newest
        self.stratified = stratified
        self.solutions: dict[int, list[Actions]] = {}
        self._checker = Batch(theory, self.problems, 1)
        self._states = States(theory, self.problems)
        self._first: dict[tuple[int, bytes], int] = {}  # first state of a stored solution
        self._live = 0

    def __len__(self) -> int:
        """Problems with a solution."""
        return len(self.solutions)

    def solved(self) -> NDArray[np.bool_]:
        """Which problems have a solution."""
        mask = np.zeros(len(self.problems), dtype=np.bool_)
        mask[list(self.solutions)] = True
        return mask

    def offer(self, problem: int, actions: Sequence[int]) -> bool:
        """Keeps a solution if it is among the k shortest, newest or first; True if it was kept."""
        found = np.array(actions, dtype=np.uint16)
        kept = self.solutions.get(problem, [])
        if self.prune:
            found = self._states.prune(problem, found)
        if len(kept) == self.k:
            replaces = len(found) < len(kept[-1]) if self.shortest else self.newest
            if not replaces:
                return False
        if any(np.array_equal(found, other) for other in kept):
            return False
        self._certify(problem, found)
        self._insert(problem, found)
        return True

    def _certify(self, problem: int, actions: Actions) -> None:
        certify(self.theory, self.problems[problem], self.derivation(problem, actions))

    def derivation(self, problem: int, actions: Actions) -> Derivation:
        """What the actions of a solution derive."""
        return self._checker.derivation_of(problem, actions.tolist())

    def _insert(self, problem: int, actions: Actions) -> None:
        """Puts a solution that has been certified in its place."""
        kept = [*self.solutions.get(problem, []), actions]
        if self.shortest:
            kept.sort(key=len)
        places = slice(self.k, None) if self.shortest else slice(-self.k)  # of those that leave
        for dropped in kept[places]:
            del self._first[problem, dropped.tobytes()]
            self._live -= len(dropped)
        del kept[places]
        self.solutions[problem] = kept
        self._first[problem, actions.tobytes()] = self._states.add(problem, actions)
        self._live += len(actions)
        if len(self._states) > 4 * self._live + 100_000:
            self._rebuild()

    def _rebuild(self) -> None:
        """Drops the states of solutions that shorter ones have replaced."""
        self._states = States(self.theory, self.problems)
        for problem, actions in self:
            self._first[problem, actions.tobytes()] = self._states.add(problem, actions)

    def __iter__(self) -> Iterator[tuple[int, Actions]]:
        """All (problem, solution) pairs, in a fixed order."""
        for problem in sorted(self.solutions):
            for actions in self.solutions[problem]:
                yield problem, actions

    def transitions(self) -> Transitions:
        """All transitions, grouped by problem, for stratified sampling."""
        pieces = ((p, self._first[p, actions.tobytes()], actions) for p, actions in self)
        return Transitions(self._states, pieces, stratified=self.stratified)

    def arrays(self) -> Arrays:
        """All solutions as arrays, for a checkpoint."""
        pairs = list(self)
        empty = np.zeros(0, dtype=np.uint16)
        return {
            "history.problem": np.array([p for p, _ in pairs], dtype=np.uint32),
            "history.length": np.array([len(a) for _, a in pairs], dtype=np.uint32),
            "history.actions": np.concatenate([empty, *(a for _, a in pairs)]),
        }

    def restore(self, arrays: Arrays) -> list[str]:
        """Takes over the solutions of a checkpoint, each certified anew; says what was left out."""
        lengths = take(arrays, "history.length", np.uint32).tolist()
        problems = take(arrays, "history.problem", np.uint32, (len(lengths),)).tolist()
        actions = take(arrays, "history.actions", np.uint16, (sum(lengths),))
        left_out = []
        end = 0
        for problem, length in zip(problems, lengths, strict=True):
            own = actions[end : end + length].copy()
            end += length
            try:
                self._certify(problem, own)
            except (ThreesilError, ValueError, IndexError) as error:
                left_out.append(f"a stored solution is no solution and is left out: {error}")
            else:
                self._insert(problem, own)
        return left_out


class Transitions:
    """Transitions (s, a) grouped by problem: `states` and `actions` (N,), groups (P,)."""

    def __init__(
        self,
        store: States,
        pieces: Iterable[tuple[int, int, Actions]],
        *,
        stratified: bool = True,
    ) -> None:
        """`pieces` are (problem, first state, actions), those of a problem one after the other;
        unless `stratified`, all make one group."""
        self.store = store
        states, actions = [np.zeros(0, dtype=np.uint32)], [np.zeros(0, dtype=np.uint16)]
        counts: dict[int, int] = {}
        for problem, first, taken in pieces:
            if len(taken):  # a problem that is solved at its start has no transition
                states.append(np.arange(first, first + len(taken), dtype=np.uint32))
                actions.append(taken)
                group = problem if stratified else 0
                counts[group] = counts.get(group, 0) + len(taken)
        self.states = np.concatenate(states)
        self.actions = np.concatenate(actions).astype(np.int64)
        self._counts = np.array(list(counts.values()), dtype=np.int64)
        self._starts = np.cumsum(self._counts) - self._counts

    def __len__(self) -> int:
        return len(self.states)

    def sample(
        self, count: int, random: np.random.Generator
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """States and actions of `count` transitions that were drawn."""
        chosen = self.draw(count, random)
        return self.states[chosen], self.actions[chosen]

    def draw(self, count: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Indices of `count` transitions, stratified: a problem first, then one of its own."""
        problems = random.integers(len(self._starts), size=count)
        within = random.random(count) * self._counts[problems]
        return self._starts[problems] + within.astype(np.int64)
