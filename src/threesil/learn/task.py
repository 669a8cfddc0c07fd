"""What a run trains: a theory, its problems, a method, a seed; and how the run keeps them.

    run.json        method, seed and configuration; which theory, and digests of what follows
    theory/         the theory file, if the theory is a user's own
    problems.jsonl  the problems, from the easiest to the hardest
    start.safetensors   the model that it starts from, if any
    lemmas.jsonl    what was derived before, with proofs

While its problems are still being made, a run has in place of the problems

    listed.jsonl    those that were given
    measured.jsonl  how difficult problems are, as far as that was measured

So a run can be moved: what it was made from is not needed any more.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from threesil import __version__
from threesil.errors import InputError
from threesil.files import is_file, limits, read_bytes, write_atomically
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.learn.config import Config, make_config, read_config
from threesil.learn.curriculum import by_difficulty
from threesil.learn.problem_lines import DAMAGED, problem_line, read_problem
from threesil.nets.model import Model
from threesil.problems.sets import different, load_set, sample_set
from threesil.runs.records import FORMAT, check_format, read_facts, read_metrics
from threesil.runs.weights import FOLDER, source_of_run
from threesil.search.learned import LEMMAS, read_lemmas, with_lemmas, write_lemmas
from threesil.theories import all_theories, get_theory

SAMPLED, GENERATED = "sampled", "generated"
START = "start.safetensors"
PROBLEMS, LISTED, MEASURED = "problems.jsonl", "listed.jsonl", "measured.jsonl"
_SAMPLES = 2000
_GROWING = ("ME", "minutes", "generated")  # keys that may change when a run goes on


@dataclass(frozen=True)
class Task:
    """Everything that, with the configuration, decides the outcome of a run.

    `source` is the name of a theory that comes along, or `theory/FILE`, whose `content` the run
    keeps; `:LEMMA` may follow. `problem_set` is the name of a set or a file, for people.
    """

    theory: Theory
    problems: tuple[Problem, ...]
    method: str
    seed: int
    source: str
    problem_set: str
    content: bytes = b""
    start: Model | None = None
    """whose weights the network begins with"""
    lemmas: tuple[Proof, ...] | None = None
    """that searches may use like equations; None where nothing was derived"""
    making: bool | None = None
    """None, or while the problems are the given ones: whether others are to be made"""

    @cached_property
    def searched(self) -> Theory:
        """The theory that is trained in: with the lemmas."""
        return with_lemmas(self.theory, self.lemmas or ())

    @cached_property
    def problem_lines(self) -> bytes:
        """problems.jsonl, or listed.jsonl."""
        return "".join(problem_line(problem) for problem in self.problems).encode()

    @cached_property
    def problem_digest(self) -> str:
        return hashlib.sha256(self.problem_lines).hexdigest()

    @property
    def notes(self) -> dict[str, Any]:
        """What a model says about its making."""
        return {
            "theory": self.theory.name,
            "method": self.method,
            "seed": self.seed,
            "problems": self.problem_set,
            **({"start": self.start.digest} if self.start else {}),
        }

    def identity(self, config: Config) -> str:
        """What all checkpoints of a run have in common. The number of epochs may grow."""
        usual = asdict(Config())  # keys that later versions add don't make it another run
        knobs = {
            key: value
            for key, value in asdict(config).items()
            if key not in _GROWING and value != usual[key]
        }
        facts: list[object] = [self.theory.digest, self.problem_digest, self.method, self.seed]
        facts += [knobs, *([self.start.digest] if self.start else [])]
        facts += [self.searched.digest] if self.lemmas else []
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def make_task(
    theory: str,
    method: str,
    seed: int,
    problems: str,
    start: Model | None = None,
    *,
    prepared: bool = True,
) -> Task:
    """The task of a user's words: a theory or its file; sets and files, joined by +, or `sampled`.

    If it is still to be prepared, `generated` may be among them, and all others stay as they are.
    """
    chosen = get_theory(theory)
    source, content = theory, b""
    base, colon, lemma = theory.rpartition(":")
    if is_file(theory):
        base, colon, lemma = theory, "", ""
    if is_file(base) and theory not in [known.name for known in all_theories()]:
        name = Path(base).name.replace(":", "_").lstrip(".") or FOLDER
        source = f"{FOLDER}/{name}{colon}{lemma}"
        content = read_bytes(base)
    names = names_of(problems)
    listed = [p for name in names if name != GENERATED for p in _named(chosen, name)]
    called = "+".join(Path(name).name for name in names)
    making = None if prepared else GENERATED in names
    if prepared:
        if len(names) > 1:  # a single set is taken as it is
            listed = different(chosen, listed)
        listed = by_difficulty(chosen, listed)
    task = Task(chosen, tuple(listed), method, seed, source, called, content, start)
    return replace(task, making=making)


def names_of(problems: str) -> list[str]:
    """The sets and files that a user's words name."""
    return [problems] if is_file(problems) else problems.split("+")


def _named(theory: Theory, name: str) -> list[Problem]:
    if name == SAMPLED:
        return sample_set(theory, _SAMPLES, seed=0)
    return load_set(theory, name)


def write_task(directory: Path, task: Task, config: Config) -> None:
    """Makes a directory a run; run.json, which says so, comes last."""
    if task.content:
        name = task.source.removeprefix(f"{FOLDER}/").partition(":")[0]
        write_atomically(directory / FOLDER / name, task.content)
    name = PROBLEMS if task.making is None else LISTED
    write_atomically(directory / name, task.problem_lines)
    if task.start is not None:
        task.start.save(directory / START)
    if task.lemmas is not None:
        write_lemmas(directory, task.lemmas)
    write_config(directory, task, config)
    if task.making is None:
        for name in (LISTED, MEASURED):
            (directory / name).unlink(missing_ok=True)


def forget_task(directory: Path) -> None:
    """Takes back what `write_task` wrote of a run whose problems can't be made; nothing else was
    there."""
    for name in ("run.json", "config.toml", LISTED, MEASURED, START):
        (directory / name).unlink(missing_ok=True)
    shutil.rmtree(directory / FOLDER, ignore_errors=True)


def write_config(directory: Path, task: Task, config: Config) -> None:
    """Writes the configuration, for people and as what the run began with."""
    facts = {
        "format": FORMAT,
        "version": __version__,
        **task.notes,
        "source": task.source,
        "digest": task.theory.digest,
        "problem_digest": task.problem_digest,
        **({} if task.lemmas is None else {"lemmas": task.searched.digest}),
        **({} if task.making is None else {"making": task.making}),
        "config": asdict(config),
    }
    write_atomically(directory / "config.toml", config.to_toml().encode())
    write_atomically(directory / "run.json", (json.dumps(facts, indent=2) + "\n").encode())


def keep_config(directory: Path, task: Task, config: Config) -> None:
    """Writes the configuration if ME or minutes have changed."""
    begun = read_facts(directory).get("config")
    if begun != asdict(config) or read_config(directory / "config.toml") != config:
        write_config(directory, task, config)


def theory_of_run(directory: Path) -> Theory:
    """The theory that a run trains, out of the run itself."""
    facts = read_facts(directory)
    check_format(directory, facts)
    source, where = source_of_run(directory, facts), str(directory / "run.json")
    if source is None:
        raise InputError("source is no theory of this run; start another run", source=where)
    theory = get_theory(source)
    if facts.get("digest") != theory.digest:
        version = str(facts.get("version"))[:20]
        message = f"the theory changed since the run began, in threesil {version!r}"
        raise InputError(f"{directory}: {message}; put it back, or start another run")
    return theory


def read_task(directory: Path) -> Task:
    """The task of a run; what is damaged or was changed is named."""
    theory = theory_of_run(directory)
    facts = read_facts(directory)
    making = facts.get("making")
    if making not in (None, True, False):
        raise InputError("making should be true or false", source=str(directory / "run.json"))
    path = directory / (PROBLEMS if making is None else LISTED)
    lines = read_bytes(path, limits.CERTIFICATES)
    if hashlib.sha256(lines).hexdigest() != facts.get("problem_digest"):
        message = "the problems changed since the run began; put the file back from a copy"
        raise InputError(f"{message}, or start another run", source=str(path))
    try:
        problems = tuple(read_problem(line, theory) for line in lines.decode().splitlines())
    except DAMAGED as error:
        raise InputError(f"not the problems of a run: {error}", source=str(path)) from None
    if not (problems or making) or not 0 <= facts["seed"] < 2**63:
        raise InputError(f"{directory}: a run has problems and a seed; start another run")
    known, problem_set = str(facts["source"]), str(facts.get("problems"))
    lemmas = read_lemmas(directory, theory)
    there = with_lemmas(theory, lemmas or ())
    if "lemmas" in facts and (lemmas is None or there.digest != facts["lemmas"]):
        message = "the lemmas changed since the run began; put the file back from a copy"
        raise InputError(f"{message}, or start another run", source=str(directory / LEMMAS))
    start = Model.load(directory / START, there) if "start" in facts else None
    if start is not None and start.digest != facts["start"]:
        message = "the model that the run starts from changed; put it back, or start another run"
        raise InputError(message, source=str(directory / START))
    method, seed = facts["method"], facts["seed"]
    found = Task(theory, problems, method, seed, known, problem_set, start=start, lemmas=lemmas)
    return replace(found, making=making)


def resumed_config(directory: Path, changes: dict[str, Any]) -> Config:
    """The configuration of a run, changed by a user's hand or `changes`.

    ME may grow, `minutes` and, before the first epoch, `generated` may be others; no more. Where
    minutes were to end the run, ME has to leave room for the epochs that are done.
    """
    where = str(directory / "run.json")
    begun = read_facts(directory).get("config")
    if not isinstance(begun, dict):
        raise InputError("config should be an object; start another run", source=where)
    before = asdict(make_config(begun, where))
    now = asdict(read_config(directory / "config.toml"))
    config = make_config({**now, **changes}, str(directory / "config.toml"))
    for key, value in asdict(config).items():
        if value != before[key] and key not in _GROWING:
            message = f"{key} = {value}: the run began with {before[key]}"
            then = "only ME and minutes may change; set it back, or start another run"
            raise InputError(f"{message}, and {then}", source=str(directory))
    done = len(read_metrics(directory)) if before["minutes"] else before["ME"]
    if done > config.ME:
        have = f"has {done} epochs" if before["minutes"] else f"began with {done}"
        message = f"ME = {config.ME}: the run {have}, and ME may only grow"
        raise InputError(message, source=str(directory))
    return config
