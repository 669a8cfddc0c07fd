"""Listed pairs of equations: a row for each, resumed where it was interrupted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from threesil.engine import Stop
from threesil.files import write_atomically
from threesil.implications.attempt import SYSTEM, Decider
from threesil.implications.equations import EquationList, Pair
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.measure.evaluate import proof_path
from threesil.measure.outcome_json import certificates_to_json
from threesil.measure.results import Results, Row, row_of
from threesil.measure.setting import Setting, make_setting
from threesil.notations.document import theory_of
from threesil.notations.reading.certificates import has_certificate
from threesil.work.on_ray import on_ray
from threesil.work.threads import in_threads


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
) -> list[Row]:
    """Decides each pair within so many CPU seconds; `progress` hears of each row.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    each proof and each counter-model is written there, as `NAME.json`. `on` is `ray`, or
    `ray://HOST:PORT`: pairs are decided on a Ray cluster, not in threads.
    """
    stop = stop or Stop()
    rows: dict[str, Row] = {}
    with ExitStack() as stack:
        results = None
        if out is not None:
            names = [given.name(pair) for pair in pairs]
            keep = _has_certificate(proofs, given, pairs)
            setting = _setting(given, pairs, name, seconds)
            results = stack.enter_context(Results(out, setting, names, keep=keep))
            for row in results.rows.values():
                rows[row.name] = row
                progress(row)
        left = iter([pair for pair in pairs if given.name(pair) not in rows])
        if on is not None:
            decisions = on_ray(on, left, _Decide(given, seconds), workers, stop)
        else:
            decisions = in_threads(
                left, lambda: partial(_Decide(given, seconds), stop=stop), workers, stop
            )
        for pair, outcome in stack.enter_context(closing(decisions)):
            row = row_of(outcome, given.theory(pair[0]), given.problem(pair))
            if proofs is not None:
                for value in certificates_to_json(outcome).values():
                    text = f"{json.dumps(value, indent=1)}\n"
                    write_atomically(proof_path(proofs, row.name), text.encode())
            if results is not None:
                results.add(row)
            rows[row.name] = row
            progress(row)
    return [rows[given.name(pair)] for pair in pairs if given.name(pair) in rows]


class _Decide:
    """What a worker does with a pair, here or on a node; its engine is made there."""

    def __init__(self, given: EquationList, seconds: float) -> None:
        self._given, self._seconds = given, seconds
        self._decider: Decider | None = None

    def __call__(self, pair: Pair, stop: Stop | None = None) -> list[tuple[Pair, Outcome]]:
        if self._decider is None:
            self._decider = Decider(self._given)
        outcome = self._decider.decide(pair, self._seconds, stop)
        return [] if outcome.status is SZS.USER else [(pair, replace(outcome, turns=(), by=SYSTEM))]


def _setting(given: EquationList, pairs: Sequence[Pair], name: str, seconds: float) -> Setting:
    problems = [given.problem(pair) for pair in pairs]
    theories = {
        problem.name: given.theory(pair[0]) for problem, pair in zip(problems, pairs, strict=True)
    }

    def theory(problem: Problem) -> Theory:
        return theories[problem.name]

    of = given.signature
    free = theory_of("equations", "No equation", of.symbols, of.infix, ())
    return make_setting(problems, theory, free, name, SYSTEM, seconds=seconds)


def _has_certificate(
    proofs: Path | None, given: EquationList, pairs: Sequence[Pair]
) -> Callable[[Row], bool]:
    """Whether a row stands: what is decided needs its certificate if these are asked for."""
    named = {given.name(pair): pair for pair in pairs}

    def keep(row: Row) -> bool:
        if proofs is None or not row.certified:
            return True
        pair, path = named[row.name], proof_path(proofs, row.name)
        return has_certificate(path, given.theory(pair[0]), given.problem(pair), row.status)

    return keep
