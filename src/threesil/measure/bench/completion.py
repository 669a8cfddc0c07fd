"""Completion: critical pairs and rewrites for each CPU second.

Each theory is completed for the time given, for a goal that no theory with two elements proves;
where that comes to an end earlier it begins anew.
"""

from __future__ import annotations

import time
from typing import Any

from threesil.engine import Budget, Completion
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem
from threesil.measure.bench.common import Field


def completion(field: Field) -> dict[str, Any]:
    """`completion.THEORY.pairs` and `completion.THEORY.rewrites`."""
    figures: dict[str, Any] = {}
    goal = Problem("x = y", var("x"), var("y"))
    for theory in field.theories:
        key = f"completion.{theory.name}"
        field.progress(key)
        pairs = rewrites = 0
        begin = time.process_time()
        while (left := begin + field.seconds - time.process_time()) > 0:
            run = Completion(theory).begin(goal)
            run.run(Budget(None, left))
            counts = run.statistics
            pairs, rewrites = pairs + counts.pairs, rewrites + counts.rewrites
        spent = time.process_time() - begin
        figures[f"{key}.pairs"] = round(pairs / spent)
        figures[f"{key}.rewrites"] = round(rewrites / spent)
    return figures
