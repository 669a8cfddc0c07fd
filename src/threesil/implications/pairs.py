"""Listed pairs of equations: a row for each, resumed where it was interrupted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from threesil.engine import Stop
from threesil.implications.attempt import SYSTEM, Decider
from threesil.implications.equations import EquationList, Pair
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem
from threesil.measure.gather import gather
from threesil.measure.results import Row
from threesil.measure.setting import make_setting
from threesil.notations.document import theory_of
from threesil.problems.sets import ProblemSet
from threesil.work.places import place_for

_DECIDED: Final = (SZS.THEOREM, SZS.COUNTER_SATISFIABLE)


def decide_pairs(
    given: EquationList,
    pairs: Sequence[Pair],
    *,
    name: str = "the pairs",
    seconds: float = 1.0,
    workers: int = 1,
    on: str | None = None,
    out: Path | None = None,
    proofs: Path | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    stop: Stop | None = None,
) -> tuple[Row, ...]:
    """Decides each pair within so many CPU seconds; `progress` hears of each row.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    each proof and each counter-model is written there, as `NAME.json`. `on` is `ray`, or
    `ray://HOST:PORT`: pairs are decided on a Ray cluster, not in threads.
    """
    named = {given.name(pair): pair for pair in pairs}
    of = given.signature
    free = theory_of("equations", "No equation", of.symbols, of.infix, ())
    theories = {one: given.theory(pair[0]) for one, pair in named.items()}
    problems = ProblemSet(free, tuple(map(given.problem, pairs)), own=theories)
    setting = make_setting(
        problems.problems, problems.theory_of, free, name, SYSTEM, seconds=seconds
    )

    def solve(left: Sequence[Problem]) -> Generator[Outcome, None, None]:
        with place_for(on, workers) as place:
            asked = [named[problem.name] for problem in left]
            for done in place.map(partial(_Decide, given, seconds), asked, stop):
                yield done.get()

    return gather(
        problems, setting, solve, out=out, proofs=proofs, kept=_DECIDED, progress=progress
    )


class _Decide:
    """A worker for pairs."""

    def __init__(self, given: EquationList, seconds: float) -> None:
        self._given, self._seconds = given, seconds
        self._decider = Decider(given)

    def __call__(self, pair: Pair, give: Callable[[Outcome], None], stop: Stop) -> None:
        outcome = self._decider.decide(pair, self._seconds, stop)
        if outcome.status is not SZS.USER:
            problem = self._given.problem(pair)  # an outcome that shows another one is refused
            give(replace(outcome, problem=problem, turns=(), by=SYSTEM))
