"""What a run trains: a theory, its problems, a method, a seed; and how the run keeps them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from threesil import __version__
from threesil.errors import InputError
from threesil.files import is_file, read_bytes
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.learn.config import Config, config_of, make_config, read_toml
from threesil.learn.curriculum import by_difficulty
from threesil.nets.policy import Policy
from threesil.problems.sets import different, load_set, sample_set
from threesil.runs.facts import Facts
from threesil.runs.findings import with_lemmas
from threesil.runs.problem_lines import DAMAGED, digest_of, problem_line, read_problem
from threesil.runs.run import Run
from threesil.theories import all_theories, get_theory

SAMPLED, GENERATED = "sampled", "generated"
_SAMPLES = 2000
_GROWING = ("ME", "minutes", "generated")  # keys that may change when a run is resumed


@dataclass(frozen=True)
class Task:
    """Everything that, with the configuration, decides the outcome of a run.

    `source` is the name of a bundled theory, or `theory/FILE`, whose `content` the run keeps;
    `:LEMMA` may follow. `problem_set` is the name of a set or a file, for people.
    """

    theory: Theory
    problems: tuple[Problem, ...]
    method: str
    seed: int
    source: str
    problem_set: str
    content: bytes = b""
    start: Policy | None = None
    """whose weights the network begins with"""
    lemmas: tuple[Proof, ...] | None = None
    """that searches may use like equations; None where none are looked for"""
    listed: bool = False
    """whether the problems are the given ones, and those to train on are still to be made"""
    generated: bool = False
    """whether theorems are made besides the given problems"""

    @cached_property
    def searched(self) -> Theory:
        """The theory that is trained in: with the lemmas."""
        return with_lemmas(self.theory, self.lemmas or ())

    @cached_property
    def problem_lines(self) -> str:
        return "".join(problem_line(problem) for problem in self.problems)

    @cached_property
    def problem_digest(self) -> str:
        return digest_of(self.problem_lines)

    @property
    def notes(self) -> dict[str, Any]:
        """What weights say about their making."""
        return {
            "theory": self.theory.name,
            "method": self.method,
            "seed": self.seed,
            "problems": self.problem_set,
            **({"start": self.start.digest} if self.start else {}),
        }

    def identity(self, config: Config) -> str:
        """What all checkpoints of a run have in common. The number of epochs may grow."""
        knobs = {key: value for key, value in asdict(config).items() if key not in _GROWING}
        facts: list[object] = [self.theory.digest, self.problem_digest, self.method, self.seed]
        facts += [knobs, self.start.digest if self.start else None, self.searched.digest]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def facts(self, config: Config, stages: Mapping[str, bool], minutes: float) -> Facts:
        """What run.json says of it."""
        return Facts(
            theory=self.theory.name,
            method=self.method,
            seed=self.seed,
            problems=self.problem_set,
            source=self.source,
            digest=self.theory.digest,
            problem_digest=self.problem_digest,
            version=__version__,
            stages=stages,
            config=asdict(config),
            start=self.start.digest if self.start else None,
            lemmas=None if self.lemmas is None else self.searched.digest,
            generated=self.generated,
            minutes=minutes,
        )


def make_task(
    theory: str,
    method: str,
    seed: int,
    problems: str,
    start: Policy | None = None,
    *,
    listed: bool = False,
) -> Task:
    """The task of a user's words: a theory or its file; sets and files, joined by +, or `sampled`.

    If problems are only `listed`, `generated` may be among them, and all others stay as they are.
    """
    chosen = get_theory(theory)
    source, content = theory, b""
    base, colon, lemma = theory.rpartition(":")
    if is_file(theory):
        base, colon, lemma = theory, "", ""
    if is_file(base) and theory not in [known.name for known in all_theories()]:
        name = Path(base).name.replace(":", "_").lstrip(".") or "theory"
        source = f"theory/{name}{colon}{lemma}"
        content = read_bytes(base)
    names = names_of(problems)
    given = [p for name in names if name != GENERATED for p in _named(chosen, name)]
    called = "+".join(Path(name).name for name in names)
    if not listed:
        if len(names) > 1:  # a single set is taken as it is
            given = different(chosen, given)
        given = by_difficulty(chosen, given)
    task = Task(chosen, tuple(given), method, seed, source, called, content, start)
    return replace(task, listed=listed, generated=GENERATED in names)


def names_of(problems: str) -> list[str]:
    """The sets and files that a user's words name."""
    return [problems] if is_file(problems) else problems.split("+")


def _named(theory: Theory, name: str) -> list[Problem]:
    if name == SAMPLED:
        return sample_set(theory, _SAMPLES, seed=0)
    return load_set(theory, name)


def write_task(
    run: Run, task: Task, config: Config, stages: Mapping[str, bool], minutes: float = 0.0
) -> None:
    """Makes a directory a run; run.json, which says so, comes last."""
    if task.content:
        run.write_theory(task.source, task.content)
    run.write_problem_lines(task.problem_lines, listed=task.listed)
    if task.start is not None:
        task.start.save(run.start_path)
    if task.lemmas is not None:
        run.write_lemmas(task.lemmas)
    run.write_config_text(config.to_toml())
    run.write_facts(task.facts(config, stages, minutes))


def read_task(run: Run, *, listed: bool = False) -> Task:
    """The task of a run; what is damaged or was changed is named."""
    theory, facts = run.theory(), run.facts
    lines = run.problem_lines(listed=listed)
    if digest_of(lines) != facts.problem_digest:
        message = f"{run.directory}: the problems changed since the run began; put the file back"
        raise InputError(f"{message} from a copy, or start another run")
    try:
        problems = tuple(read_problem(line, theory) for line in lines.splitlines())
    except DAMAGED as error:
        raise InputError(f"{run.directory}: not the problems of a run: {error}") from None
    if not (problems or (listed and facts.generated)):
        raise InputError(f"{run.directory}: a run has problems; start another run")
    lemmas = run.lemmas(theory) if facts.lemmas is not None else None
    searched = with_lemmas(theory, lemmas or ())
    if facts.lemmas not in (None, searched.digest):
        message = f"{run.directory}: the lemmas changed since the run began"
        raise InputError(f"{message}; put the file back from a copy, or start another run")
    start = None if facts.start is None else run.start(searched)
    if start is not None and start.digest != facts.start:
        message = f"{run.directory}: the weights that the run starts from changed; put them back"
        raise InputError(f"{message}, or start another run")
    return Task(
        theory,
        problems,
        facts.method,
        facts.seed,
        facts.source,
        facts.problems,
        start=start,
        lemmas=lemmas,
        listed=listed,
        generated=facts.generated,
    )


def read_config(run: Run) -> Config:
    """The configuration of a run, as it stands in its config.toml."""
    kind, source = config_of(run.facts.method), str(run.config_path)
    return make_config(kind, read_toml(run.config_text(), source), source)


def write_config(run: Run, config: Config) -> None:
    """Keeps a configuration, for people and as what the run began with, if it has changed."""
    facts = run.facts
    if facts.config != asdict(config) or read_config(run) != config:
        run.write_config_text(config.to_toml())
        run.write_facts(replace(facts, config=asdict(config)))


def resumed_config(run: Run, changes: Mapping[str, Any]) -> Config:
    """The configuration of a run, changed by a user's hand or `changes`.

    ME may grow, `minutes` and, before the first epoch, `generated` may be others; no more. Where
    minutes were to end the run, ME has to leave room for the epochs that are done.
    """
    facts = run.facts
    kind, source = config_of(facts.method), str(run.config_path)
    began = make_config(kind, facts.config, str(run.facts_path))
    config = make_config(kind, {**asdict(read_config(run)), **changes}, source)
    before = asdict(began)
    for key, value in asdict(config).items():
        if value != before[key] and key not in _GROWING:
            message = f"{key} = {value}: the run began with {before[key]}"
            then = "only ME and minutes may change; set it back, or start another run"
            raise InputError(f"{message}, and {then}", source=str(run.directory))
    done = len(run.metrics()) if began.minutes else began.ME
    if done > config.ME:
        have = f"has {done} epochs" if began.minutes else f"began with {done}"
        message = f"ME = {config.ME}: the run {have}, and ME may only grow"
        raise InputError(message, source=str(run.directory))
    return config
