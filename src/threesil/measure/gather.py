"""Outcomes of problems become rows, kept in a file as they come; some there are not made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from threesil.files import write_atomically
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem
from threesil.measure.outcome_json import certificates_to_json
from threesil.measure.results import Results, Row, row_of
from threesil.measure.setting import Setting
from threesil.notations.reading.certificates import has_certificate
from threesil.problems.sets import ProblemSet
from threesil.theories import benchmark_of

_LONGEST: Final = 150  # characters of a problem's name in the name of a file


def gather(
    given: ProblemSet,
    setting: Setting,
    solve: Callable[[Sequence[Problem]], Generator[Outcome, None, None]],
    *,
    out: Path | None,
    proofs: Path | None,
    kept: Collection[SZS] = (SZS.THEOREM,),
    progress: Callable[[Row], None],
) -> tuple[Row, ...]:
    """The rows of the problems, in their order; fewer than these if `solve` was stopped.

    With `out`, rows are kept there, and those that it holds are not tried again. With `proofs`,
    the certificates of outcomes with one of the statuses `kept` are written there, as `NAME.json`.
    """
    rows: dict[str, Row] = {}
    asked = {problem.name: problem for problem in given.problems}
    benchmark = benchmark_of(given.theory)

    def stands(row: Row) -> bool:
        """Whether a row needs no certificate, or has one."""
        if proofs is None or not row.certified or row.status not in kept:
            return True
        problem, path = asked[row.name], proof_path(proofs, row.name)
        return has_certificate(path, given.theory_of(problem), problem, row.status)

    with ExitStack() as stack:
        results = None
        if out is not None:
            results = stack.enter_context(Results(out, setting, list(asked), keep=stands))
            for row in results.rows.values():
                rows[row.name] = row
                progress(row)
        left = [problem for problem in given.problems if problem.name not in rows]
        for outcome in stack.enter_context(closing(solve(left))):
            problem = asked[outcome.problem.name]
            stratum = benchmark.stratum(problem) if benchmark.steps else None
            row = row_of(outcome, given.theory_of(problem), problem, stratum)
            if proofs is not None and outcome.certified and outcome.status in kept:
                for value in certificates_to_json(outcome).values():
                    text = f"{json.dumps(value, indent=1)}\n"
                    write_atomically(proof_path(proofs, problem.name), text.encode())
            if results is not None:
                results.add(row)
            rows[row.name] = row
            progress(row)
    return tuple(rows[name] for name in asked if name in rows)


def proof_path(directory: Path, name: str) -> Path:
    """Where the proof of a problem is written: its name, or what can be the name of a file."""
    plain = quote(name, safe=" ()+,=@~")
    if len(plain) > _LONGEST:
        plain = f"{plain[:_LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return directory / f"{plain}.json"
