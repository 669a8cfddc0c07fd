"""The schedule: what each strategy did in its turns."""

from threesil.engine import Budget, Status
from threesil.outcome import RUNNING, Turn
from threesil.problems import parse_problem
from threesil.search.best import Unguided
from threesil.theories import AIM


def test_the_turns_add_up() -> None:
    """What its strategies spent is what the schedule spent, and is heard of as it comes."""
    heard: list[Turn] = []
    outcome = Unguided(AIM).prove(
        parse_problem("x * y = y * x", AIM), Budget(3000, None, progress=heard.append)
    )
    begun, ended = heard[::2], heard[1::2]
    assert outcome.turns == tuple(ended)
    assert {turn.status for turn in begun} == {RUNNING}
    assert [turn.strategy for turn in begun] == [turn.strategy for turn in ended]
    assert len({turn.strategy for turn in heard}) > 1
    assert sum(turn.expansions for turn in heard) == outcome.expansions
    assert 0 < sum(turn.seconds for turn in heard) <= outcome.cpu_seconds
    known = {status.name.lower() for status in Status}
    assert all(turn.status in known for turn in ended)
    assert all(turn.figures["terms"] > 0 for turn in heard if turn.strategy == "saturate")


def test_the_turn_that_proves_is_the_last() -> None:
    outcome = Unguided(AIM).prove(parse_problem("x * T(y,x) = y * x", AIM), Budget(1000))
    assert outcome.proved
    assert [turn.status == "proved" for turn in outcome.turns[-1:]] == [True]
