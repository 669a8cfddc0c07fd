"""What a training run has written down: facts and metrics. Reading them needs no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from threesil.errors import InputError


def read_facts(directory: Path) -> dict[str, Any]:
    """run.json of a run."""
    try:
        facts: dict[str, Any] = json.loads((directory / "run.json").read_text())
    except FileNotFoundError:
        raise InputError(f"{directory} is not a training run: it has no run.json") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{directory}: run.json can't be read: {error}") from None
    missing = {"theory", "method", "seed", "problems"} - set(facts)
    if missing:
        raise InputError(f"{directory}: run.json lacks {', '.join(sorted(missing))}")
    return facts


def read_metrics(directory: Path) -> list[dict[str, Any]]:
    """metrics.jsonl of a run; a last line that was cut off is passed over."""
    metrics = []
    path = directory / "metrics.jsonl"
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            metrics.append(json.loads(line))
        except ValueError:
            break
    return metrics


def find_runs(paths: Sequence[Path]) -> Iterator[Path]:
    """The runs among the paths and right below them."""
    for path in paths:
        if (path / "run.json").exists():
            yield path
        elif path.is_dir():
            yield from sorted(p.parent for p in path.glob("*/run.json"))
