"""Conformance: recorded episodes of the original programs, replayed in the engine.

A trace file has one JSON object a line, one episode each. Two kinds are known: episodes on
equations (`equation`, steps with both sides `m`, `n`, the cursor `cur` with positions from 1, a
`mask` string, the action `act` from 0) and episodes on terms (steps with the term `e` in prefix
notation, the cursor `c`, legal actions `l` and the action `a` by the numbers that people read).
Which theory a file is about is seen from the kind and from the symbols.

Every state, cursor, mask, flag and outcome is compared; the first difference ends the replay.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from threesil.engine import Batch, End, Limits
from threesil.errors import InputError
from threesil.formats.infix import Place, format_term, parse_equation, parse_term
from threesil.formats.lines import read_lines
from threesil.formats.prefix import format_prefix, parse_prefix
from threesil.terms import Term, var
from threesil.theory import Goal, Move, Problem, Theory

T = TypeVar("T")
_FULL_MASK_DEPTH = 5.0  # AIMLEAP offers every option while at least this much depth is left


@dataclass(frozen=True)
class Difference:
    """The first place where the engine and the recording disagree."""

    source: str
    line: int
    step: int
    what: str
    recorded: str
    engine: str
    state: str

    def __str__(self) -> str:
        return (
            f"{self.source}:{self.line}: step {self.step}: {self.what} differs\n"
            f"  recorded: {self.recorded}\n"
            f"  engine:   {self.engine}\n"
            f"  state:    {self.state}"
        )


@dataclass(frozen=True)
class Report:
    """The outcome of one file; `difference` is None if all agree."""

    source: str
    theory: str
    episodes: int
    decisions: int
    difference: Difference | None = None


class _Differs(Exception):
    def __init__(self, step: int, what: str, recorded: object, engine: object) -> None:
        self.step, self.what, self.recorded, self.engine = step, what, str(recorded), str(engine)


def _expect(step: int, what: str, recorded: object, engine: object) -> None:
    if recorded != engine:
        raise _Differs(step, what, recorded, engine)


@dataclass(frozen=True)
class _Record:
    """A JSON object of a trace, with checked access to its fields."""

    fields: dict[str, Any]
    place: Place

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        value = self.fields.get(key, default)
        number = kind in (int, float) and isinstance(value, int | float)
        if not (isinstance(value, kind) or number) or (kind is int and isinstance(value, bool)):
            found = "nothing" if value is None else repr(value)[:40]
            raise self.error(f"{key!r} should be {_KINDS[kind]}, found {found}")
        return kind(value) if number else value  # type: ignore[call-arg,return-value]

    def numbers(self, key: str) -> list[int]:
        values = self.get(key, list)
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            raise self.error(f"{key!r} should be a list of integers")
        return values

    def records(self, key: str) -> list[_Record]:
        values = self.get(key, list)
        if not all(isinstance(v, dict) for v in values):
            raise self.error(f"{key!r} should be a list of objects")
        return [_Record(v, self.place) for v in values]

    def error(self, message: str) -> InputError:
        return InputError(message, source=self.place.source, line=self.place.line)

    def text(self, key: str) -> tuple[str, Place]:
        """A text field and the place for errors inside it."""
        value = self.get(key, str)
        return value, replace(self.place, source=f"{self.place.source} ({key})", text=value)


_KINDS: dict[type, str] = {
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def read_trace(path: Path) -> Iterator[_Record]:
    """The episodes of a trace file."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"not JSON: {error.msg}",
                source=str(path),
                line=number,
                column=error.colno,
                text=line,
            ) from None
        except RecursionError:
            message = "not an episode: brackets nested too deep"
            raise InputError(message, source=str(path), line=number) from None
        if not isinstance(value, dict):
            raise InputError("expected a JSON object", source=str(path), line=number)
        yield _Record(value, Place(str(path), number))


def recognise(record: _Record, theories: Sequence[Theory]) -> Theory:
    """The theory of an episode, from its kind and its symbols."""
    if "equation" in record.fields:
        goal, text = Goal.EQUATION, ""
    elif "goal" in record.fields:
        goal, text = Goal.TARGET, record.get("goal", str)
    else:
        goal, text = Goal.NORMAL_FORM, ""
    for theory in theories:
        if theory.goal is goal and set(text) <= set(theory.signature.symbols):
            return theory
    raise record.error(f"no theory with the goal {goal.value!r} fits this episode")


def conform(
    path: Path,
    theories: Sequence[Theory],
    progress: Callable[[int], None] = lambda episodes: None,
) -> Report:
    """Replays all episodes of a file and stops at the first difference."""
    theory: Theory | None = None
    episodes = decisions = 0
    for record in read_trace(path):
        theory = theory or recognise(record, theories)
        replay = _replay(theory, record)
        try:
            decisions += replay.run()
        except _Differs as d:
            line = record.place.line
            state = replay.state()
            found = Difference(str(path), line, d.step, d.what, d.recorded, d.engine, state)
            return Report(str(path), theory.name, episodes, decisions, found)
        episodes += 1
        progress(episodes)
    if theory is None:
        raise InputError("no episode in this file", source=str(path))
    return Report(str(path), theory.name, episodes, decisions)


def recorded_streams(
    path: Path, theories: Sequence[Theory]
) -> tuple[Theory, list[Problem], list[list[int]]]:
    """(theory, problems, actions from 0) of a trace file, for replay without comparison."""
    theory: Theory | None = None
    problems, streams = [], []
    for record in read_trace(path):
        theory = theory or recognise(record, theories)
        replay = _replay(theory, record)
        problems.append(replay.problem)
        streams.append(replay.actions)
    if theory is None:
        raise InputError("no episode in this file", source=str(path))
    return theory, problems, streams


def _replay(theory: Theory, record: _Record) -> _Replay:
    if theory.goal is Goal.EQUATION:
        return _Equations(theory, record)
    return _Terms(theory, record)


class _Replay(ABC):
    """One episode: the engine's copy of it, and the recording."""

    problem: Problem
    actions: list[int]

    def __init__(self, theory: Theory, record: _Record) -> None:
        self.theory = theory
        self.record = record
        self.steps = record.records("steps")
        if not self.steps:
            raise record.error("'steps' is empty")
        self.batch: Batch | None = None

    def start(self) -> Batch:
        limits = Limits(steps=2**31 - 1)
        batch = Batch(self.theory, [self.problem], limits=limits, compatible=True)
        batch.reset(0, 0)
        self.batch = batch
        return batch

    def state(self) -> str:
        """The engine's state, as a person reads it."""
        if self.batch is None:
            return "not begun"
        term = self.batch.term(0)
        shown = replace(self.theory.signature, numerals=None)
        sides = term.args if self.theory.goal is Goal.EQUATION else (term,)
        text = " = ".join(format_term(side, shown) for side in sides)
        return f"{text}  cursor {list(self.batch.cursor(0))}"

    def legal(self) -> list[int]:
        assert self.batch is not None
        return [int(a) for a in np.flatnonzero(self.batch.masks()[0])]

    def take(self, step: int, action: int, legal: Sequence[int]) -> None:
        assert self.batch is not None
        if action not in legal:
            raise _Differs(step, "the action", action, "not legal")
        self.batch.step(np.array([action], dtype=np.int32))

    @abstractmethod
    def run(self) -> int:
        """Compares the whole episode; the number of its decisions."""


class _Terms(_Replay):
    """Episodes of a theory whose state is one term."""

    def __init__(self, theory: Theory, record: _Record) -> None:
        super().__init__(theory, record)
        text, place = self.steps[0].text("e")
        target = None
        if theory.goal is Goal.TARGET:
            goal, goal_place = record.text("goal")
            target = parse_prefix(goal, theory.signature, place=goal_place)
        self.problem = Problem("trace", parse_prefix(text, theory.signature, place=place), target)
        self.actions = [s.get("a", int) - theory.first_action for s in self.steps]
        if not all(0 <= a < len(theory.actions) for a in self.actions):
            raise record.error("an action number is out of range")

    def run(self) -> int:
        batch = self.start()
        for number, step in enumerate(self.steps):
            legal = self.compare(number, step)
            self.take(number, self.actions[number], legal)
            _expect(number, "the flag done", step.get("d", bool), batch.end(0) is End.SOLVED)
        final = _Record(self.record.get("final", dict), self.record.place)
        self.compare(len(self.steps), final)
        _expect(
            len(self.steps),
            "the outcome",
            self.record.get("done", bool),
            batch.end(0) is End.SOLVED,
        )
        return len(self.steps)

    def compare(self, number: int, step: _Record) -> list[int]:
        assert self.batch is not None
        text, place = step.text("e")
        engine = format_prefix(self.batch.term(0))
        if text != engine:
            parse_prefix(text, self.theory.signature, place=place)
            raise _Differs(number, "the term", text, engine)
        _expect(number, "the cursor", step.numbers("c"), list(self.batch.cursor(0)))
        legal = self.legal()
        numbers = [a + self.theory.first_action for a in legal]
        _expect(number, "the list of legal actions", step.numbers("l"), numbers)
        return legal


class _Equations(_Replay):
    """Episodes of a theory whose state is an equation."""

    def __init__(self, theory: Theory, record: _Record) -> None:
        super().__init__(theory, record)
        text, place = record.text("equation")
        lhs, rhs = parse_equation(text, theory.signature, place=place)
        self.problem = Problem(record.get("problem", str), lhs, rhs)
        constants = record.get("skolems", dict)
        self.constants = {str(v): var(str(c)) for c, v in constants.items()}
        acts = [s.fields.get("act") for s in self.steps]
        self.actions = [a for a in acts if isinstance(a, int)]
        if acts[: len(self.actions)] != self.actions or len(acts) > len(self.actions) + 1:
            raise record.error("only the last step may lack an action")
        if not all(0 <= a < len(theory.actions) for a in self.actions):
            raise record.error("an action is out of range")

    def run(self) -> int:
        batch = self.start()
        record = self.record
        maxdepth = record.get("maxdepth", float)
        sides: tuple[Term, Term] | None = None
        texts = ("", "")
        for number, step in enumerate(self.steps):
            if sides is None:
                sides = self.sides()
                texts = self.render(sides)
            self.compare_sides(number, step, "mn", texts)
            bound = max((-c for c in batch.codes(0) if c < 0), default=0)
            _expect(number, "the variable bound", step.get("vbd", int), bound)
            self.compare_cursor(number, step)
            legal = self.gate(maxdepth - number)
            offered = set(legal)
            mask = "".join("01"[a in offered] for a in range(len(self.theory.actions)))
            self.compare_mask(number, step.get("mask", str), mask)
            if number < len(self.actions):
                action = self.actions[number]
                self.take(number, action, legal)
                if not isinstance(self.theory.actions[action], Move):
                    sides = None
        self.outcome()
        return len(self.steps)

    def sides(self) -> tuple[Term, Term]:
        """The engine's two sides, with the recording's names of the constants."""
        assert self.batch is not None
        left, right = self.batch.term(0).args
        return left.substitute(self.constants), right.substitute(self.constants)

    def render(self, sides: tuple[Term, Term]) -> tuple[str, str]:
        left, right = (format_term(side, self.theory.signature) for side in sides)
        return left, right

    def compare_sides(
        self, number: int, step: _Record, keys: Sequence[str], texts: Sequence[str]
    ) -> None:
        for key, name, text in zip(keys, ("left", "right"), texts, strict=True):
            recorded, place = step.text(key)
            if recorded != text:
                parse_term(recorded, self.theory.signature, place=place)
                raise _Differs(number, f"the {name} side", recorded, text)

    def compare_cursor(self, number: int, step: _Record) -> None:
        assert self.batch is not None
        cursor = step.fields.get("cur")
        path = self.batch.cursor(0)
        engine = [path[0], [k + 1 for k in path[1:]]] if path else None
        _expect(number, "the cursor", cursor, engine)

    def compare_mask(self, number: int, recorded: str, engine: str) -> None:
        if recorded == engine:
            return
        if len(recorded) != len(engine) or set(recorded) - {"0", "1"}:
            raise self.record.error(f"a mask should be {len(engine)} digits 0 or 1")
        more = [a for a in range(len(engine)) if recorded[a] > engine[a]]
        less = [a for a in range(len(engine)) if recorded[a] < engine[a]]
        raise _Differs(number, "the mask", f"also offers {more}", f"also offers {less}")

    def gate(self, depth: float) -> list[int]:
        """The legal actions that AIMLEAP offers with this much depth left."""
        legal = self.legal()
        if depth >= _FULL_MASK_DEPTH:
            return legal
        return [a for a in legal if depth >= 0 and self.finishes(a)]

    def finishes(self, action: int) -> bool:
        """Whether the action is a rewrite that makes both sides identical."""
        assert self.batch is not None
        if isinstance(self.theory.actions[action], Move):
            return False
        probe = _Equations(self.theory, self.record)
        copy = probe.start()
        for a in (*self.batch.actions(0), action):
            copy.step(np.array([a], dtype=np.int32))
        left, right = copy.term(0).args
        return left == right

    def outcome(self) -> None:
        assert self.batch is not None
        number, record = len(self.steps), self.record
        solved = self.batch.end(0) is End.SOLVED
        _expect(number, "the outcome", record.get("success", bool), solved)
        taken = len(self.actions)
        _expect(number, "the number of actions", record.get("n_actions", int), taken)
        if solved:
            sides = self.sides()
            self.compare_sides(number, record, ("final_m", "final_n"), self.render(sides))
            same = record.get("final_syntactic_eq", bool)
            _expect(number, "the final equality", same, sides[0] == sides[1])
        elif self.steps[-1].fields.get("act") is None:
            blocked = "1" not in self.steps[-1].get("mask", str)
            end = record.get("end", str)
            _expect(number, "the ending", end, "deadend" if blocked else "limit")
