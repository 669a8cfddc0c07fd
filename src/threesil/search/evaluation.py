"""Many equations under the same budget: one line each, continued where it was interrupted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threesil.files import read_rows, write_atomically
from threesil.formats.proof_json import proof_to_json
from threesil.nets.model import Model
from threesil.outcome import Outcome
from threesil.search.prover import Prover
from threesil.theory import Problem, Theory

TIMES = (0.001, 0.01, 0.1, 1.0, 2.0, 10.0, 60.0)


@dataclass(frozen=True)
class Setting:
    """How equations are tried."""

    mode: str = "best"
    seconds: float = 60.0
    expansions: int | None = None
    workers: int = 1
    model: str | Path | Model | None = None
    seed: int = 0


def result_row(result: Outcome) -> dict[str, Any]:
    """What a result file says about a problem."""
    return {
        "name": result.problem.name,
        "status": result.status,
        "seconds": round(result.seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "expansions": result.expansions,
        "rewrites": result.rewrites,
    }


def evaluate_equations(
    theory: Theory | Callable[[Problem], Theory],
    problems: Sequence[Problem],
    setting: Setting,
    out: Path | None = None,
    proofs: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """A row for each problem, in their order; those that `out` holds already are not tried again.

    `theory` is the one of all problems, or says which one a problem is to be proved in. With
    `proofs`, each proof is written there as `NAME.json`.
    """
    done = read_rows(out) if out else {}
    own = threading.local()

    def solve(problem: Problem) -> dict[str, Any]:
        if problem.name in done:
            return done[problem.name]
        wanted = theory if isinstance(theory, Theory) else theory(problem)
        if not hasattr(own, "prover") or own.prover.theory is not wanted:
            model, seed = setting.model, setting.seed
            own.prover = Prover(wanted, mode=setting.mode, model=model, seed=seed)
        result: Outcome = own.prover.prove(
            problem, seconds=setting.seconds, expansions=setting.expansions
        )
        if proofs is not None and result.proof is not None:
            text = json.dumps(proof_to_json(result.proof), indent=1) + "\n"
            write_atomically(proofs / f"{problem.name}.json", text.encode())
        return result_row(result)

    with ThreadPoolExecutor(setting.workers) as pool:
        for row in pool.map(solve, problems):
            if out is not None and row["name"] not in done:
                with out.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            yield row


def shares(rows: Sequence[dict[str, Any]]) -> dict[float, float]:
    """Share of the problems that were proved within each of TIMES, by CPU time."""
    proved = [row["cpu_seconds"] for row in rows if row["status"] == "Theorem"]
    return {t: sum(s <= t for s in proved) / max(1, len(rows)) for t in TIMES}
