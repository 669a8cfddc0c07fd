"""An episode in the engine beside its recording, and where they differ.

Episodes on equations are as AIMLEAP recorded them, those on terms as the original programs for
arithmetic did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from threesil.engine import Batch, End, Limits
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Goal, Move, Problem, Theory
from threesil.measure.conform.records import Record
from threesil.notations.infix import (
    format_prefix,
    format_term,
    parse_equation,
    parse_prefix,
    parse_term,
)

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


class Differs(Exception):
    """What ends a replay: the engine is not where the recording is."""

    def __init__(self, step: int, what: str, recorded: object, engine: object) -> None:
        self.step, self.what, self.recorded, self.engine = step, what, str(recorded), str(engine)


def expect(step: int, what: str, recorded: object, engine: object) -> None:
    """`Differs` unless the two agree."""
    if recorded != engine:
        raise Differs(step, what, recorded, engine)


class Replay(ABC):
    """One episode: the engine's copy of it, and the recording."""

    problem: Problem
    actions: list[int]

    def __init__(self, theory: Theory, record: Record) -> None:
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
            raise Differs(step, "the action", action, "not legal")
        self.batch.step(np.array([action], dtype=np.int32))

    @abstractmethod
    def run(self) -> int:
        """Compares the whole episode; the number of its decisions."""


class TermReplay(Replay):
    """Episodes of a theory whose state is one term."""

    def __init__(self, theory: Theory, record: Record) -> None:
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
            expect(number, "the flag done", step.get("d", bool), batch.end(0) is End.SOLVED)
        final = Record(self.record.get("final", dict), self.record.place)
        self.compare(len(self.steps), final)
        expect(
            len(self.steps),
            "the outcome",
            self.record.get("done", bool),
            batch.end(0) is End.SOLVED,
        )
        return len(self.steps)

    def compare(self, number: int, step: Record) -> list[int]:
        assert self.batch is not None
        text, place = step.text("e")
        engine = format_prefix(self.batch.term(0))
        if text != engine:
            parse_prefix(text, self.theory.signature, place=place)
            raise Differs(number, "the term", text, engine)
        expect(number, "the cursor", step.numbers("c"), list(self.batch.cursor(0)))
        legal = self.legal()
        numbers = [a + self.theory.first_action for a in legal]
        expect(number, "the list of legal actions", step.numbers("l"), numbers)
        return legal


class EquationReplay(Replay):
    """Episodes of a theory whose state is an equation."""

    def __init__(self, theory: Theory, record: Record) -> None:
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
            expect(number, "the variable bound", step.get("vbd", int), bound)
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
        self, number: int, step: Record, keys: Sequence[str], texts: Sequence[str]
    ) -> None:
        for key, name, text in zip(keys, ("left", "right"), texts, strict=True):
            recorded, place = step.text(key)
            if recorded != text:
                parse_term(recorded, self.theory.signature, place=place)
                raise Differs(number, f"the {name} side", recorded, text)

    def compare_cursor(self, number: int, step: Record) -> None:
        assert self.batch is not None
        cursor = step.fields.get("cur")
        path = self.batch.cursor(0)
        engine = [path[0], [k + 1 for k in path[1:]]] if path else None
        expect(number, "the cursor", cursor, engine)

    def compare_mask(self, number: int, recorded: str, engine: str) -> None:
        if recorded == engine:
            return
        if len(recorded) != len(engine) or set(recorded) - {"0", "1"}:
            raise self.record.error(f"a mask should be {len(engine)} digits 0 or 1")
        more = [a for a in range(len(engine)) if recorded[a] > engine[a]]
        less = [a for a in range(len(engine)) if recorded[a] < engine[a]]
        raise Differs(number, "the mask", f"also offers {more}", f"also offers {less}")

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
        probe = EquationReplay(self.theory, self.record)
        copy = probe.start()
        for a in (*self.batch.actions(0), action):
            copy.step(np.array([a], dtype=np.int32))
        left, right = copy.term(0).args
        return left == right

    def outcome(self) -> None:
        assert self.batch is not None
        number, record = len(self.steps), self.record
        solved = self.batch.end(0) is End.SOLVED
        expect(number, "the outcome", record.get("success", bool), solved)
        taken = len(self.actions)
        expect(number, "the number of actions", record.get("n_actions", int), taken)
        if solved:
            sides = self.sides()
            self.compare_sides(number, record, ("final_m", "final_n"), self.render(sides))
            same = record.get("final_syntactic_eq", bool)
            expect(number, "the final equality", same, sides[0] == sides[1])
        elif self.steps[-1].fields.get("act") is None:
            blocked = "1" not in self.steps[-1].get("mask", str)
            end = record.get("end", str)
            expect(number, "the ending", end, "deadend" if blocked else "limit")
