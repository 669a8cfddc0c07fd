"""What all measurements share: the theories, their problems, the time for each figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from threesil.engine import Batch
from threesil.kernel.theory import Problem, Theory
from threesil.measure.conform import recorded_streams
from threesil.problems.sets import DATA, data_directory, sample_set

Streams = tuple[Sequence[Problem], Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Field:
    """The theories to measure, CPU seconds for each figure, who hears what comes next.

    `profile` collects, for a figure, the shares of time by kind of work in the core.
    """

    theories: Sequence[Theory]
    seconds: float
    progress: Callable[[str], None]
    profile: dict[str, dict[str, float]] = field(default_factory=dict)
    _recorded: dict[str, Streams | None] = field(default_factory=dict)

    def recorded(self, theory: Theory) -> Streams | None:
        """The recorded problems of the theory and the actions taken; None if there is no file."""
        if theory.name not in self._recorded:
            data = data_directory()
            path = data / "traces" / f"{theory.name}.jsonl.gz" if data else None
            self._recorded[theory.name] = None
            if path is not None and path.is_file():
                self._recorded[theory.name] = recorded_streams(path, [theory])[1:]
        return self._recorded[theory.name]

    def problems(self, theory: Theory) -> Sequence[Problem]:
        """The recorded problems, or else random ones."""
        recorded = self.recorded(theory)
        return recorded[0] if recorded else sample_set(theory, 500, seed=0)

    def explain_missing(self, key: str) -> None:
        self.progress(f"{key}: no recorded streams; set {DATA} to the directory that has traces/")

    def keep_profile(self, key: str, batch: Batch) -> None:
        shares = batch.profile()
        self.profile[key] = {name: round(share, 3) for name, share in shares.items()}


def rate(play: Callable[[], int], seconds: float, clock: Callable[[], float]) -> float:
    """Steps a second over rounds of `play`, each of which says how many it took, for `seconds`."""
    steps, spent = 0, 0.0
    while spent < seconds:
        begin = clock()
        taken = play()
        spent += clock() - begin
        steps += taken
    return steps / spent
