"""Episodes in the slots of one engine batch: what the single and the vector environment share.

Shapes: B slots, A actions, L tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from threesil.engine import Batch, End, Limits
from threesil.envs.picture import Image, image
from threesil.envs.spaces import Vocabulary
from threesil.envs.supply import Choice, Source, Supply
from threesil.errors import IllegalAction, InputError
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Problem, Theory
from threesil.notations.writing.tree import draw_tree
from threesil.theories import get_theory

_REASONS = np.array([end.reason for end in End], dtype=object)
_MOST_NAMED = 20


@dataclass(frozen=True)
class State:
    """The state of an episode, to keep and to go back to: `actions` taken on `problem`.

    Playing these again leads to the same state, with the same mask and the same limits. It is a
    plain value: it can be compared, pickled and given to another environment of the same theory.
    `random` draws the problems that come after it.
    """

    theory: str
    """the theory's digest"""
    problem: Problem
    actions: tuple[int, ...]
    random: Mapping[str, Any] = field(repr=False, hash=False)
    """the state of the random generator, as NumPy writes it"""


def _generator_of(random: Mapping[str, Any]) -> np.random.Generator:
    """A random generator in a state that NumPy has written."""
    kind = getattr(np.random, str(random["bit_generator"]))
    generator = np.random.Generator(kind())
    generator.bit_generator.state = dict(random)
    return generator


class Settings(TypedDict, total=False):
    """Keywords of every environment."""

    problems: Source
    """problems or their texts, the name of a set (`dev`, `goals`), a problem file, or None
    (default) for 2,048 random ones of the theory"""
    max_steps: int | None
    """steps of an episode; None (default): the theory's own limit"""
    max_tokens: int
    """L, the width of `tokens` (default 512); a rewrite to a larger term truncates the episode"""
    max_constants: int
    """variables of an equation to prove (default 8)"""
    max_variables: int
    """variables that rewrites may introduce (default 64); one more truncates the episode"""


class Slots:
    """B episodes of a theory, one engine batch, a random generator for the problems of each."""

    def __init__(
        self,
        theory: str | Path | Theory,
        width: int = 1,
        threads: int = 1,
        *,
        problems: Source = None,
        max_steps: int | None = None,
        max_tokens: int = 512,
        max_constants: int = 8,
        max_variables: int = 64,
    ) -> None:
        for name, value in (("num_envs", width), ("threads", threads), ("max_tokens", max_tokens)):
            _check_count(name, value, 1)
        for name, value in (("max_constants", max_constants), ("max_variables", max_variables)):
            _check_count(name, value, 0)
        if max_steps is not None:
            _check_count("max_steps", max_steps, 1)
        self.theory = get_theory(theory)
        self.vocabulary = Vocabulary.of(self.theory, max_constants, max_variables)
        self.max_steps = self.theory.step_limit if max_steps is None else int(max_steps)
        limits = Limits(steps=self.max_steps, size=max_tokens, variables=max_variables)
        self.max_tokens = max_tokens
        self.supply = Supply(self.theory, problems, limits, max_constants)
        self._how: dict[str, Any] = {"width": width, "threads": threads, "limits": limits}
        self._batch = Batch(self.theory, [], **self._how)
        self._generators: list[np.random.Generator | None] = [None] * width
        self._names = np.full(width, None, dtype=object)  # of the problems; None: no episode yet
        self._started = np.zeros(width, dtype=np.bool_)
        self._masks: NDArray[np.bool_] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the engine's batch, whose episodes are played again in the copy."""
        kept = self.__dict__ | {"_masks": None, "episodes": self.episodes()}
        del kept["_batch"]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        episodes = kept.pop("episodes")
        self.__dict__ |= kept
        self._batch = Batch(self.theory, [], **self._how)
        self._replay(episodes)

    @property
    def width(self) -> int:
        return self._batch.width

    def seed(self, slot: int, generator: np.random.Generator) -> None:
        """From now on the slot's problems come from `generator`."""
        self._generators[slot] = generator

    def seeded(self, slot: int) -> bool:
        return self._generators[slot] is not None

    def empty(self) -> bool:
        """Whether a slot has no episode yet."""
        return not self._started.all()

    def start(self, choices: Mapping[int, Choice | None]) -> None:
        """Starts an episode in each slot that `choices` names; None for the slot's next problem."""
        if not choices:
            return
        chosen = {slot: self.supply.choose(c) for slot, c in choices.items() if c is not None}
        drawn = {slot: self._next(slot) for slot in choices if slot not in chosen}
        self._masks = None
        for slot, place in drawn.items():
            self._start(slot, place, self.supply[place])
        for slot, problem in chosen.items():
            self._start(slot, len(self.supply) + slot, problem)

    def _next(self, slot: int) -> int:
        generator = self._generators[slot]
        assert generator is not None, "a slot is seeded before it starts"
        return self.supply.draw(generator)

    def _start(self, slot: int, place: int, problem: Problem) -> None:
        """The batch keeps each problem of the supply in a place, once it was drawn; behind them
        is a place for what the user chose for each slot."""
        if not self._batch.problems:
            leaf = next(term for term in problem.start.subterms() if not term.args)
            self._batch.load([Problem("", leaf, leaf)] * (len(self.supply) + self.width))
        if self._batch.problems[place] is not problem:
            self._batch.replace(place, problem)
        self._batch.reset(slot, place)
        self._names[slot] = problem.name
        self._started[slot] = True

    def episodes(self) -> dict[int, tuple[Problem, list[int]]]:
        """The problem and the actions of each slot that has an episode."""
        slots = np.flatnonzero(self._started).tolist()
        return {slot: (self._batch.problem(slot), self._batch.actions(slot)) for slot in slots}

    def states(self) -> list[State]:
        """The state of every slot; each has an episode."""
        kept = []
        for slot, (problem, actions) in self.episodes().items():
            generator = self._generators[slot]
            assert generator is not None, "a slot is seeded before it starts"
            random = generator.bit_generator.state
            kept.append(State(self.theory.digest, problem, tuple(actions), random))
        return kept

    def restore(self, states: Mapping[int, State]) -> None:
        """Brings slots into states; `InputError`, and nothing is done, if one does not fit."""
        before = self.episodes()
        for state in states.values():
            if not isinstance(state, State):
                raise InputError(f"a state is what get_state() gives, not {state!r}")
            if state.theory != self.theory.digest:
                raise InputError(f"this state is of another theory than {self.theory.name}")
            self.supply.choose(state.problem)
        try:
            self._replay({slot: (s.problem, list(s.actions)) for slot, s in states.items()})
        except IllegalAction as error:
            self._replay(before)
            raise InputError(f"this state does not fit the limits here: {error}") from None
        for slot, state in states.items():
            generator = self._generators[slot]
            if generator is None:
                self._generators[slot] = _generator_of(state.random)
            else:  # in place: the environment has it too
                generator.bit_generator.state = dict(state.random)

    def _replay(self, episodes: Mapping[int, tuple[Problem, list[int]]]) -> None:
        """Plays episodes as they were played before."""
        self._masks = None
        for slot, (problem, _) in episodes.items():
            self._start(slot, len(self.supply) + slot, problem)
        for t in range(max((len(actions) for _, actions in episodes.values()), default=0)):
            now = np.full(self.width, -1, dtype=np.int32)
            for slot, (problem, actions) in episodes.items():
                if t < len(actions):
                    now[slot] = actions[t]
                    if (end := self._batch.end(slot)) is not End.RUNNING:
                        raise IllegalAction(f"{problem.name}: {end.reason} after {t} steps")
            self._batch.step(now)

    def step(self, actions: object, active: NDArray[np.bool_]) -> None:
        """One action for each slot, (B,), taken where `active`, (B,), says so.

        `IllegalAction` (a `ValueError`), and nothing is done, if one of them is not legal.
        """
        given = self._read_actions(actions)
        masks = self.masks()
        legal = (given >= 0) & (given < masks.shape[1])
        legal[legal] = masks[legal, given[legal]]
        for slot in np.flatnonzero(active & ~legal):
            raise IllegalAction(self._complaint(int(slot), int(given[slot])))
        self._batch.step(np.where(active, given, -1).astype(np.int32))
        self._masks = None

    def _read_actions(self, actions: object) -> NDArray[np.int64]:
        """The actions as numbers, (B,); `IllegalAction` says what was expected and what came."""
        expected = f"actions are {self.width} integers, shape ({self.width},)"
        if self.width == 1:
            expected = "an action is one integer"
        try:
            given = np.asarray(actions)
        except Exception:  # whatever a foreign object's own conversion does
            raise IllegalAction(f"{expected}, not {type(actions).__name__}") from None
        if given.size == self.width == 1:
            given = given.reshape(1)
        if given.shape != (self.width,) or given.dtype.kind not in "iu":
            found = f"{type(actions).__name__} of dtype {given.dtype} and shape {given.shape}"
            raise IllegalAction(f"{expected}, not {found}")
        if given.dtype.kind == "u":  # a large one must not become a negative one
            given = np.minimum(given.astype(np.uint64), np.uint64(2**63 - 1))
        return given.astype(np.int64)

    def _complaint(self, slot: int, action: int) -> str:
        names = self.action_names()
        if not 0 <= action < len(names):
            return f"{self.theory.name}: there is no action {action}, only 0 to {len(names) - 1}"
        legal = [f"{a} ({names[a]})" for a in np.flatnonzero(self.masks()[slot])]
        if len(legal) > _MOST_NAMED:
            legal = [*legal[:_MOST_NAMED], f"{len(legal) - _MOST_NAMED} more"]
        where = f" in slot {slot}" if self.width > 1 else ""
        return (
            f"{self.theory.name}: action {action} ({names[action]}) is not legal{where} with the "
            f"cursor at {list(self._batch.cursor(slot))}; legal actions: {', '.join(legal)}"
        )

    def masks(self) -> NDArray[np.bool_]:
        """Legal actions, (B, A); a row without any (of an episode that is over) is full."""
        if self._masks is None:
            masks = self._batch.masks()
            masks[~masks.any(axis=1)] = True
            self._masks = masks
        return self._masks

    def samplable(self, seed: int | None) -> NDArray[np.int8]:
        """What a sample without a mask is drawn from in slot 0, (A,).

        The legal actions. Right after the action space was seeded, those that are legal as well
        where `reset(seed=seed)` starts; if there are none and the episode has begun, a reset is
        about to come (Gymnasium's `check_env` samples an action first), so those of its start.
        """
        now: NDArray[np.bool_] = self.masks()[0]
        if seed is not None:
            problem = self.supply[self.supply.draw(seeding.np_random(seed)[0])]
            start = self.supply.first_mask(problem)
            if (now & start).any():
                now = now & start
            elif not self._started[0] or self._batch.actions(0):
                now = start
        return now.astype(np.int8)

    def ends(self) -> NDArray[np.uint8]:
        """`End` of every slot, (B,)."""
        return self._batch.ends()

    def outcomes(self) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Rewards, terminated, truncated, (B,) each."""
        ends = self.ends()
        solved: NDArray[np.bool_] = ends == End.SOLVED
        truncated: NDArray[np.bool_] = ends >= End.STEPS
        return solved.astype(np.float64), solved | (ends == End.DEAD_END), truncated

    def observe(self) -> dict[str, NDArray[Any]]:
        """`tokens` (B, L) int32, `length` (B,) and `cursor` (B,) int64."""
        tokens = np.empty((self.width, self.max_tokens), dtype=np.int32)
        lengths, cursors = np.empty((2, self.width), dtype=np.int32)
        self._batch.observe(tokens, lengths, cursors, self.vocabulary.constants)
        return {
            "tokens": tokens,
            "length": lengths.astype(np.int64),
            "cursor": cursors.astype(np.int64),
        }

    def infos(self) -> dict[str, NDArray[Any]]:
        """`action_mask` (B, A) int8; `end`, why it is over, and `problem`, its name, (B,) str."""
        return {
            "action_mask": self.masks().astype(np.int8),
            "end": _REASONS[self.ends()],
            "problem": self._names.copy(),
        }

    def action_names(self) -> tuple[str, ...]:
        """What every action does, (A,)."""
        return tuple(map(self.theory.action_name, range(len(self.theory.actions))))

    def seen(self, slot: int) -> tuple[Term, Position]:
        """The slot's term and cursor."""
        return self._batch.term(slot), self._batch.cursor(slot)

    def draw(self, slot: int) -> str:
        """The slot's term as a tree of text with its cursor."""
        term, cursor = self.seen(slot)
        return draw_tree(term, self.theory.signature, cursor)

    def caption(self, slot: int) -> str:
        """The problem's name, the steps so far, and how it ended."""
        end = self._batch.end(slot)
        steps = f"step {len(self._batch.actions(slot))}"
        over = "" if end is End.RUNNING else f": {end.reason}"
        return f"{self._names[slot]}    {steps}{over}"

    def image(self, slot: int) -> Image:
        """The slot's term as a picture with its cursor, (height, width, 3)."""
        term, cursor = self.seen(slot)
        return image(term, self.theory.signature, cursor, self.caption(slot))


def _check_count(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is an integer, not {value!r}")
    if not least <= value < 2**31:
        raise ValueError(f"{name} is {least} or more and below 2^31, not {value}")


def row(arrays: Mapping[str, NDArray[Any]], slot: int) -> dict[str, Any]:
    """What `arrays` of a leading axis B say about one slot."""
    return {key: values[slot] for key, values in arrays.items()}
