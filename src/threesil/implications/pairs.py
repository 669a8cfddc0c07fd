"""Listed pairs of equations: a row for each, gone on with where it was interrupted."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Final

from threesil.engine import Stop
from threesil.errors import ThreesilError
from threesil.files import write_atomically
from threesil.implications.attempt import Decider, Decision
from threesil.implications.equations import EquationList, Pair
from threesil.kernel.certificate import shows
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import length
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Problem, Theory
from threesil.measure.evaluate import proof_path
from threesil.measure.results import Results, Row, lemmas_of
from threesil.measure.setting import Setting, make_setting
from threesil.notations.document import theory_of
from threesil.notations.model_json import model_to_json
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading.certificates import has_certificate
from threesil.notations.system_json import system_to_json
from threesil.work.places import place_for

SYSTEM: Final = "implications"


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
        left = [pair for pair in pairs if given.name(pair) not in rows]
        place = stack.enter_context(place_for(on, workers))
        make = partial(_Decide, given, seconds)
        for done in stack.enter_context(closing(place.map(make, left, stop))):
            decision, took = done.get()
            row = _row(given, decision, took)
            if proofs is not None:
                _write(proofs, row.name, decision)
            if results is not None:
                results.add(row)
            rows[row.name] = row
            progress(row)
    return [rows[given.name(pair)] for pair in pairs if given.name(pair) in rows]


class _Decide:
    """What a worker does with a pair; how long it took is given with the decision."""

    def __init__(self, given: EquationList, seconds: float) -> None:
        self._decider, self._seconds = Decider(given), seconds

    def __call__(
        self, pair: Pair, give: Callable[[tuple[Decision, float]], None], stop: Stop
    ) -> None:
        begin = time.perf_counter()
        decision = self._decider.decide(pair, self._seconds, stop)
        if decision.status is not SZS.USER:
            give((decision, time.perf_counter() - begin))


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


def _row(given: EquationList, decision: Decision, took: float) -> Row:
    theory, problem = given.theory(decision.pair[0]), given.problem(decision.pair)
    proof, certificate = decision.proof, decision.proof or decision.model
    if certificate is not None and not shows(certificate, theory, problem):
        raise ThreesilError(f"what was found for {problem.name} is another: {certificate!r}")
    return Row(
        given.name(decision.pair),
        decision.status,
        decision.status.decides,
        round(took, 6),
        round(decision.cpu_seconds, 6),
        rewrites=length(proof) if proof else None,
        by=SYSTEM,
        reason=decision.reason,
        lemmas=lemmas_of(proof),
    )


def _write(directory: Path, name: str, decision: Decision) -> None:
    if decision.proof is not None:
        value = proof_to_json(decision.proof)
    elif isinstance(decision.model, Countermodel):
        value = model_to_json(decision.model)
    elif decision.model is not None:
        value = system_to_json(decision.model)
    else:
        return
    write_atomically(proof_path(directory, name), f"{json.dumps(value, indent=1)}\n".encode())


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
