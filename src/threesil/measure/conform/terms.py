"""Episodes on terms, as the original programs for arithmetic recorded them."""

from __future__ import annotations

from threesil.engine import End
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.conform.comparison import Differs, Replay, expect
from threesil.measure.conform.records import Record
from threesil.notations.infix import format_prefix, parse_prefix


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
