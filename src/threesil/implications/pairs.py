"""Listed pairs of equations: a row for each, resumed where it was interrupted.

Proofs and counter-models of a pair are looked for in turn, by the searches that others use too.
Small interpretations of the library come first, then short looks of saturation and completion, the
rest of the library, and then ever longer turns of all.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from threesil.engine import Budget, Found, Status, Stop, Stopped
from threesil.engine.laws import Laws
from threesil.implications.equations import EquationList, Pair
from threesil.implications.library import library
from threesil.kernel.countermodel import Countermodel, check
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.evaluate import gather
from threesil.measure.results import Row
from threesil.measure.setting import make_setting
from threesil.problems.sets import ProblemSet
from threesil.search.learned import Learned
from threesil.search.refute import Refute
from threesil.search.schedule import Part, Schedule
from threesil.search.searcher import Searcher
from threesil.search.single import Complete, Saturate
from threesil.search.solver import Solver, solve_each
from threesil.work.places import place_for

_TINY: Final = 64  # interpretations that are tried before anything else
_LOOK: Final = Part(1.0, 10, 200e-6)  # of two milliseconds at first
_LATER: Final = replace(_LOOK, later=0.002)
Known = Callable[[Problem, Budget], Countermodel | None]
"""looks for a model among those of a library"""
SYSTEM: Final = "implications"
_DECIDED: Final = (SZS.THEOREM, SZS.COUNTER_SATISFIABLE)


class InTurn(Schedule):
    """Completion and saturation in turn; with a library, models too.

    `learned` has lemmas that the searches take as further equations. `tiny` and `rest` look for a
    model in parts of the library.
    """

    name = SYSTEM
    shortens = False
    last_look = 0.0

    def __init__(
        self,
        theory: Theory,
        learned: Learned | None = None,
        tiny: Known | None = None,
        rest: Known | None = None,
    ) -> None:
        super().__init__(theory)
        searched = theory
        if learned is not None:
            self.use(learned)
            searched = learned.extended
        parts: list[tuple[Searcher, Part]]
        parts = [(Complete(searched), _LOOK), (Saturate(searched), _LOOK)]
        if rest is not None:
            parts += [(_Library(theory, rest), _LATER), (Refute(theory, smallest=3), _LATER)]
        self.parts = parts
        self.looks = [(_Library(theory, tiny), 1)] if tiny is not None else []


class _Library(Searcher):
    """A look into a part of a library, once."""

    name = "library"

    def __init__(self, theory: Theory, known: Known) -> None:
        super().__init__(theory)
        self._known = known

    def search(self, problem: Problem, budget: Budget) -> Found:
        model = self._known(problem, budget)
        return Found(Status.REFUTED if model else Status.EXHAUSTED, 1, model=model)


class Decider:
    """Decides pairs of a list, one after the other; it keeps the library of interpretations.

    One thread at a time.
    """

    def __init__(self, given: EquationList) -> None:
        self.given = given
        self._laws = Laws(given.signature, given.sides)
        self._tables = list(library(given.signature))
        for tables in self._tables:
            self._laws.add(tables)

    def decide(self, pair: Pair, seconds: float, stop: Stop | None = None) -> Outcome:
        """Looks for a proof or a counter-model for so many CPU seconds."""

        def solver() -> Solver:
            tiny = partial(self._known, pair, 0, _TINY)
            rest = partial(self._known, pair, _TINY, len(self._tables))
            return InTurn(self.given.theory(pair[0]), None, tiny, rest)

        problem, budget = self.given.problem(pair), Budget(None, seconds, stop=stop)
        try:
            (outcome,) = solve_each(solver, [problem], budget, SYSTEM)
        except Stopped:
            return Outcome(problem, SZS.USER, by=SYSTEM)
        return outcome

    def _known(
        self, pair: Pair, first: int, last: int, problem: Problem, budget: Budget
    ) -> Countermodel | None:
        """A model among some of the library, checked by the kernel."""
        number = self._laws.refuting(*pair, first, last, seconds=budget.whole, stop=budget.stop)
        if number is None:
            return None
        values = self._laws.failing(pair[1], number, budget.stop)
        return check(self.given.theory(pair[0]), problem, self._tables[number], values)


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
    free = given.free
    theories = {one: given.theory(pair[0]) for one, pair in named.items()}
    problems = ProblemSet(free, tuple(map(given.problem, pairs)), own=theories)
    setting = make_setting(
        problems.problems, problems.theory_of, free, name, SYSTEM, seconds=seconds
    )

    def solve(left: Sequence[Problem]) -> Generator[Outcome, None, None]:
        with place_for(on, workers) as place:
            asked = [named[problem.name] for problem in left]
            for done in place.map(partial(_Worker, given, seconds), asked, stop):
                yield done.get()

    return gather(
        problems, setting, solve, out=out, proofs=proofs, kept=_DECIDED, progress=progress
    )


class _Worker(Decider):
    def __init__(self, given: EquationList, seconds: float) -> None:
        super().__init__(given)
        self._seconds = seconds

    def __call__(self, pair: Pair, give: Callable[[Outcome], None], stop: Stop) -> None:
        outcome = self.decide(pair, self._seconds, stop)
        if outcome.status is not SZS.USER:
            problem = self.given.problem(pair)  # an outcome that shows another one is refused
            give(replace(outcome, problem=problem, turns=(), by=SYSTEM))
