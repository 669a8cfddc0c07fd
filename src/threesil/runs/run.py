"""A training run: a directory, and the only place that knows the names of its files.

    run.json                what is trained, and which stages are done
    config.toml             the configuration, for people, who may change some keys
    theory/                 the theory file, if the theory is a user's own
    problems.jsonl          the problems, from the easiest to the hardest
    start.safetensors       the weights that it begins with, if any
    checkpoints/            the state after the last two epochs
    metrics.jsonl, events.* a line an epoch; the same for TensorBoard
    history.jsonl           all certified solutions, a line each
    model.safetensors       the network after the last epoch

A run that makes its own problems has besides, of which `findings` describes the last four,

    listed.jsonl, measured.jsonl    until they are made: the given ones; how difficult problems are
    dev.tsv, test.tsv               the parts that are held out
    selection.safetensors           the judge of critical pairs
    lemmas.jsonl, costs.json, learned.json, held_out.json

and one that trains a judge for all theories

    tried.jsonl             what has been tried in each round, a line for each problem
    pairs/                  for each problem that was proved: what its shortest proof needed

Files appear whole or not at all, and all that a run was made from is in it: it may be killed at any
moment, and it may be moved. Reading needs no lock; who writes holds it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import LOCK, is_file, limits, locked, read_bytes, read_text, write_atomically
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Problem, Theory
from threesil.nets.judge import Judge
from threesil.nets.policy import Policy
from threesil.notations.proof_json import proof_to_json
from threesil.problems.files import format_problem, load_problems
from threesil.runs import checkpoint, findings
from threesil.runs.facts import Facts, read_facts, write_facts
from threesil.runs.findings import Costs, Judgement, Shares
from threesil.runs.measured import Measured
from threesil.runs.metrics import Events, Metrics, metrics_line, read_metrics
from threesil.theories import all_theories, get_theory

RUN = "run.json"  # makes a directory a run
DEV, TEST = "dev", "test"  # the parts that are held out
_FOLDER = "theory"


class Run:
    """A run by its directory; nothing is read before it is asked for."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.facts_path = directory / RUN
        self.config_path = directory / "config.toml"
        self.weights_path = directory / "model.safetensors"
        self.start_path = directory / "start.safetensors"  # the weights that it began with
        self.tried_path = directory / "tried.jsonl"
        self._problems = directory / "problems.jsonl"
        self._listed = directory / "listed.jsonl"
        self._measured = directory / "measured.jsonl"
        self._metrics = directory / "metrics.jsonl"
        self._checkpoints = directory / "checkpoints"
        self._lemmas = directory / "lemmas.jsonl"
        self._costs = directory / "costs.json"
        self._pairs = directory / "selection.safetensors"
        self._judgement = directory / "learned.json"
        self._shares = directory / "held_out.json"

    def locked(self) -> AbstractContextManager[None]:
        """Keeps others from writing meanwhile; refuses if others do."""
        return locked(self.directory)

    # What it is

    @property
    def exists(self) -> bool:
        return is_file(self.facts_path)

    @property
    def facts(self) -> Facts:
        return read_facts(self.facts_path)

    def write_facts(self, facts: Facts) -> None:
        write_facts(self.facts_path, facts)

    def mark(self, done: Mapping[str, bool]) -> None:
        """Writes down which stages are done now, or are to be done again."""
        facts = self.facts
        if any(facts.stages.get(name) is not value for name, value in done.items()):
            self.write_facts(replace(facts, stages={**facts.stages, **done}))

    @property
    def finished(self) -> bool:
        """Whether it has come to its end, and its weights are here."""
        return self.exists and self.facts.finished and self.has_weights

    def check_new(self) -> None:
        """Refuses a directory that holds a run, or anything else: it would be overwritten.

        What a training has written that holds the lock, or did when it was killed, is not in the
        way.
        """
        directory = self.directory
        if self.facts_path.exists():
            message = f"{directory} holds a run already; resume it with --resume {directory}"
            raise InputError(f"{message}, or name another directory with --out")
        if directory.is_dir() and any(directory.iterdir()) and not (directory / LOCK).exists():
            message = f"{directory} is not empty, and a run wants a directory of its own"
            raise InputError(f"{message}: name another one with --out")

    def make(self) -> None:
        """Makes the directory."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self.directory} can't be a run's directory: {error.strerror}"
            raise InputError(message) from None

    def forget(self) -> None:
        """Removes what was written of a new run whose problems can't be made."""
        self.end_preparing()
        written = self.facts_path, self.config_path, self.start_path, self._problems
        held_out = self._held_out(DEV), self._held_out(TEST)
        for path in (*written, *held_out, self._lemmas, self._costs):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.directory / _FOLDER, ignore_errors=True)

    # The theory and the problems

    @property
    def source(self) -> str | None:
        """What `get_theory` takes for its theory; None where run.json names something else.

        No file outside is read because a run says so.
        """
        source = self.facts.source
        name = source.removeprefix(f"{_FOLDER}/")
        if name != source and "/" not in name and not name.startswith("."):
            return str(self.directory / source)
        known = [theory.name for theory in all_theories()]
        return source if source.partition(":")[0] in known else None

    def theory(self) -> Theory:
        """The theory that it trains."""
        facts, source = self.facts, self.source
        if source is None:
            message = "source is no theory of this run; start another run"
            raise InputError(message, source=str(self.facts_path))
        theory = get_theory(source)
        if facts.digest != theory.digest:
            message = f"the theory changed since the run began, in threesil {facts.version[:20]!r}"
            raise InputError(f"{self.directory}: {message}; put it back, or start another run")
        return theory

    @property
    def theory_file(self) -> Path | None:
        """The theory file that it keeps, if the theory is a user's own."""
        base = (self.source or "").rpartition(":")[0] or self.source
        return Path(base) if base and is_file(base) else None

    def write_theory(self, source: str, content: bytes) -> None:
        """Keeps the theory file of a run; `source` is as in its facts."""
        name = source.removeprefix(f"{_FOLDER}/").partition(":")[0]
        write_atomically(self.directory / _FOLDER / name, content)

    def problem_lines(self, *, listed: bool = False) -> str:
        """The problems that are trained on, or the given ones while others are being made."""
        path = self._listed if listed else self._problems
        try:
            return read_bytes(path, limits.CERTIFICATES).decode()
        except ValueError as error:
            raise InputError(f"not UTF-8 text: {error}", source=str(path)) from None

    def write_problem_lines(self, lines: str, *, listed: bool = False) -> None:
        write_atomically(self._listed if listed else self._problems, lines.encode())

    @property
    def has_problems(self) -> bool:
        return is_file(self._problems)

    def _held_out(self, part: str) -> Path:
        return self.directory / f"{part}.tsv"

    def held_out(self, part: str, theory: Theory) -> list[Problem]:
        """The problems of DEV or TEST."""
        path = self._held_out(part)
        return load_problems(path, theory) if is_file(path) and path.stat().st_size else []

    def write_held_out(self, part: str, problems: Iterable[Problem], theory: Theory) -> None:
        lines = "".join(format_problem(problem, theory) + "\n" for problem in problems)
        write_atomically(self._held_out(part), lines.encode())

    def counts(self) -> dict[str, int]:
        """How many problems it has made for training and held out, and lemmas found, so far."""
        paths = {"train": self._problems, "lemmas": self._lemmas}
        paths |= {part: self._held_out(part) for part in (DEV, TEST)}
        there = {what: path for what, path in paths.items() if is_file(path)}
        read = {what: read_bytes(path, limits.CERTIFICATES) for what, path in there.items()}
        return {what: content.count(b"\n") for what, content in read.items()}

    def measured(self) -> Measured:
        """How difficult problems are, as far as that has been measured."""
        return Measured(self._measured)

    def end_preparing(self) -> None:
        """Removes what nobody needs once the problems are made."""
        for path in (self._listed, self._measured):
            path.unlink(missing_ok=True)

    # The configuration

    def config_text(self) -> str:
        return read_text(self.config_path)

    def write_config_text(self, text: str) -> None:
        write_atomically(self.config_path, text.encode())

    # Epochs

    def metrics(self) -> list[Metrics]:
        return read_metrics(self._metrics)

    def add_metrics(self, metrics: Metrics) -> None:
        with self._metrics.open("a") as file:
            file.write(metrics_line(metrics))

    def drop_metrics(self, epoch: int) -> None:
        """Forgets the lines of this epoch and of later ones."""
        kept = [row for row in self.metrics() if row["epoch"] < epoch]
        if self._metrics.exists():
            write_atomically(self._metrics, "".join(map(metrics_line, kept)).encode())

    def events(self, epoch: int) -> Events:
        return Events(self.directory, epoch)

    def checkpoints(self) -> list[Path]:
        """All checkpoints, that of the first epoch first."""
        return checkpoint.checkpoints(self._checkpoints)

    def write_checkpoint(
        self, epoch: int, arrays: checkpoint.Arrays, facts: dict[str, Any]
    ) -> None:
        checkpoint.write_checkpoint(self._checkpoints, epoch, arrays, facts)

    def write_history(self, solutions: Iterable[tuple[str, list[int]]]) -> None:
        """All certified solutions: names of problems with actions."""
        lines = (
            json.dumps({"problem": name, "actions": actions}) + "\n" for name, actions in solutions
        )
        write_atomically(self.directory / "history.jsonl", "".join(lines).encode())

    # Weights

    @property
    def has_weights(self) -> bool:
        return is_file(self.weights_path)

    def policy(self, theory: Theory) -> Policy:
        return Policy.load(self.weights_path, theory)

    def start(self, theory: Theory) -> Policy:
        return Policy.load(self.start_path, theory)

    def pairs(self) -> Judge | None:
        """The judge of critical pairs for its theory."""
        return Judge.load(self._pairs) if self._pairs.exists() else None

    def write_pairs(self, pairs: Judge) -> None:
        pairs.save(self._pairs)

    # What it has found out

    @property
    def has_lemmas(self) -> bool:
        return self._lemmas.exists()

    def lemmas(self, theory: Theory) -> tuple[Proof, ...] | None:
        """The lemmas, certified anew; None if it never looked for any."""
        return findings.read_lemmas(self._lemmas, theory) if self._lemmas.exists() else None

    def write_lemmas(self, lemmas: Sequence[Proof]) -> None:
        lines = "".join(json.dumps(proof_to_json(lemma)) + "\n" for lemma in lemmas)
        write_atomically(self._lemmas, lines.encode())

    def costs(self) -> Costs:
        return findings.read_costs(self._costs) if self._costs.exists() else {}

    def write_costs(self, costs: Costs) -> None:
        rows = [[name, way.value, round(cost, 3)] for (name, way), cost in costs.items()]
        write_atomically(self._costs, (json.dumps(rows) + "\n").encode())

    def judgement(self) -> Judgement:
        if not self._judgement.exists():
            return Judgement()
        return findings.read_judgement(self._judgement)

    def write_judgement(self, judgement: Judgement) -> None:
        write_atomically(self._judgement, (json.dumps(asdict(judgement)) + "\n").encode())

    def shares(self) -> list[Shares]:
        """The table before and after; empty if there is none."""
        return findings.read_shares(self._shares) if self._shares.exists() else []

    def write_shares(self, rows: Sequence[Shares]) -> None:
        text = json.dumps([asdict(row) for row in rows], indent=1) + "\n"
        write_atomically(self._shares, text.encode())

    def drop_shares(self) -> None:
        self._shares.unlink(missing_ok=True)

    def example_path(self, problem: int) -> Path:
        """What the shortest proof of a problem needed, for the judge for all theories."""
        return self.directory / "pairs" / f"{problem}.safetensors"


def find_runs(paths: Sequence[Path]) -> Iterator[Run]:
    """The runs among the paths and right below them, each once."""
    known = set[Path]()
    for path in paths:
        for facts in (path / RUN, *sorted(path.glob(f"*/{RUN}"))):
            if facts.exists() and facts.parent not in known:
                known.add(facts.parent)
                yield Run(facts.parent)
