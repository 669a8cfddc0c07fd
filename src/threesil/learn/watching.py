"""Who hears of a training and may stop it, and what came of it in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from threesil.engine import Stop, Stopped
from threesil.runs.findings import Shares
from threesil.runs.metrics import Metrics

Listen = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class Begun:
    """Epochs that are about to begin."""

    directory: Path
    epoch: int
    """how many are done"""
    epochs: int | None
    """how many there will be in all; None where time decides"""
    levels: int
    """of the curriculum"""


@dataclass(frozen=True)
class Watching:
    """Who watches a training.

    `begin` is called before the first epoch, `progress` with the metrics of each, `listen` with
    what is done besides, `say` with what people should know.
    """

    begin: Callable[[Begun], None] = lambda begun: None
    progress: Callable[[Metrics], None] = lambda metrics: None
    listen: Listen = lambda what, done, total: None
    say: Callable[[str], None] = lambda words: None
    stop: Stop = field(default_factory=Stop)

    def check(self) -> None:
        """Raises `Stopped` if somebody wants the training to end here."""
        if self.stop.is_set():
            raise Stopped


class Calls(TypedDict, total=False):
    """`Watching` as keywords."""

    begin: Callable[[Begun], None]
    progress: Callable[[Metrics], None]
    listen: Listen
    say: Callable[[str], None]
    stop: Stop


@dataclass(frozen=True)
class Trained:
    """What came of a training: whether it reached its end, and how far the run is.

    `shares` are what is proved of the problems that were held out, before and after; `helps`:
    whether `best` uses what was learned. `theory` is its name or its file in the directory.
    """

    directory: Path
    finished: bool
    epochs: int = 0
    level: int = 0
    levels: int = 0
    solved: int = 0
    problems: int = 0
    shares: tuple[Shares, ...] = ()
    helps: bool = True
    method: str = ""
    theory: str = ""
