"""What is run for a table or a figure: trainings, evaluations, contests of other solvers.

A job is a value: two tables that name the same one share what comes of it. Each has a directory or
a file of its own below the output, named after it, from which it is resumed after an interruption;
a `command` that does the same by hand; and an `estimate` of its seconds on two cores.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass, field
from typing import Any, Final

from threesil.provers.registry import MEMORY

Changes = tuple[tuple[str, Any], ...]
HELD_OUT: Final = "held-out"
"""random theorems of a theory that has no recorded set, none of them like one of `sampled`"""
LISTED: Final = "listed"
"""the problems of `sampled` in a file, which a training may split"""
UNIT_EQUALITIES: Final = "ueq-"
"""with the name of a split: a list of TPTP's unit equalities"""
EPOCHS: Final = 10_000
"""of a training that time ends"""
_LONGEST: Final = 120  # characters of a name; a longer one is cut, with a digest


@dataclass(frozen=True)
class Training:
    """A run of `threesil train`. `pace`: seconds an epoch; `warm_up`: before the first."""

    theory: str
    seed: int
    method: str = "3sil"
    config: str = "paper"
    changes: Changes = ()
    epochs: int = 250
    problems: str | None = None
    pace: float = field(default=1.0, compare=False, repr=False)
    warm_up: float = field(default=0.0, compare=False, repr=False)

    @property
    def slug(self) -> str:
        words = [self.theory, self.method, self.config, f"ME{self.epochs}"]
        words += [f"{key}{str(value).lower()}" for key, value in self.changes]
        words += [self.problems] if self.problems else []
        whole = "-".join(words)
        if len(whole) > _LONGEST:
            whole = "-".join([*words[:3], _short(whole)])
        return f"{whole}-seed{self.seed}"

    @property
    def settings(self) -> dict[str, Any]:
        return {**dict(self.changes), "ME": self.epochs}

    @property
    def command(self) -> str:
        words = ["threesil", "train", self.theory, "--method", self.method]
        words += ["--config", self.config, "--seed", str(self.seed)]
        if self.problems == LISTED:
            words += ["--problems", f"sets/{self.theory}-{LISTED}.tsv"]
        elif self.problems:
            words += ["--problems", self.problems]
        for key, value in self.settings.items():
            words += ["--set", f"{key}={str(value).lower()}"]
        return shlex.join([*words, "--out", f"runs/{self.slug}"])

    @property
    def estimate(self) -> float:
        return self.warm_up + self.epochs * self.pace


@dataclass(frozen=True)
class Evaluation:
    """A run of `threesil evaluate`, with the weights of a training or the bundled ones.

    `limit`: so many problems, spread evenly over the set. `pace`: seconds a problem.
    """

    theory: str
    problems: str
    mode: str
    model: Training | None = None
    seconds: float = 60.0
    attempts: int | None = None
    sampled_only: bool = False
    expansions: int | None = None
    steps: int | None = None
    seed: int = 0
    limit: int | None = None
    pace: float = field(default=0.01, compare=False, repr=False)
    size: int = field(default=1000, compare=False, repr=False)

    @property
    def slug(self) -> str:
        return f"{self.theory}-{_file_name(self.problems)}-{self.mode}-{_short(repr(self))}"

    @property
    def command(self) -> str:
        words = ["threesil", "evaluate", self.problems]
        if self.problems == HELD_OUT:
            words[-1] = f"sets/{self.theory}-{HELD_OUT}.tsv"
        elif self.problems.startswith(UNIT_EQUALITIES):
            words[-1] = f"@lists/{self.problems}.list"
        words += ["--theory", self.theory] if self.theory else []
        words += ["--solver", self.mode, "--seconds", f"{self.seconds:g}"]
        for key in ("attempts", "expansions", "steps"):
            value = getattr(self, key)
            words += [f"--{key}", str(value)] if value is not None else []
        words += ["--sampled-only"] if self.sampled_only else []
        words += ["--weights", f"runs/{self.model.slug}"] if self.model else []
        return shlex.join(words) + _on(self.limit)

    @property
    def options(self) -> dict[str, Any]:
        greedy = False if self.sampled_only else None
        return {"attempts": self.attempts, "steps": self.steps, "greedy": greedy}

    @property
    def estimate(self) -> float:
        return self.pace * (self.limit or self.size)


@dataclass(frozen=True)
class Contest:
    """One solver of `threesil compare` on a problem set, with so many megabytes for an attempt."""

    system: str
    theory: str
    problems: str
    seconds: float
    model: Training | None = None
    limit: int | None = None
    memory: int = MEMORY
    pace: float = field(default=0.5, compare=False, repr=False)
    size: int = field(default=312, compare=False, repr=False)

    @property
    def slug(self) -> str:
        return f"{_file_name(self.system)}-{_file_name(self.problems)}-{_short(repr(self))}"

    @property
    def command(self) -> str:
        words = ["threesil", "compare", self.problems, "--theory", self.theory]
        words += ["--solvers", self.system, "--seconds", f"{self.seconds:g}"]
        words += ["--memory", str(self.memory)] if self.memory != MEMORY else []
        words += ["--weights", f"runs/{self.model.slug}"] if self.model else []
        return shlex.join([*words, "--out", f"contests/{self.slug}"]) + _on(self.limit)

    @property
    def estimate(self) -> float:
        return self.pace * (self.limit or self.size)


Job = Training | Evaluation | Contest


def seeds(quick: bool) -> tuple[int, ...]:
    return (1,) if quick else (1, 2, 3)


def greedy(theory: str, runs: tuple[Training, ...], quick: bool) -> tuple[Evaluation, ...]:
    """One greedy episode on each test problem, for the model of each run."""
    whole, size = (None, 10_180) if theory == "robinson" else (6000, 6000)  # as many as the paper
    limit = 1000 if quick else whole
    return tuple(
        Evaluation(theory, "test", "greedy", run, limit=limit, pace=0.005, size=size)
        for run in runs
    )


def trainings(job: Job) -> list[Training]:
    """The trainings that a job needs first."""
    model = None if isinstance(job, Training) else job.model
    return [] if model is None else [model]


def _on(limit: int | None) -> str:
    """What no option says, as a comment of the shell's: a command can be given as it stands."""
    return f" # on {limit} problems, spread over the set" if limit else ""


def _file_name(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-+" else "_" for c in text)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
