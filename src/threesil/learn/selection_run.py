"""A training run of the selection of critical pairs, for all theories at once; a directory:

    run.json           the configuration, the seed
    problems.jsonl     the problems, with the theory of each
    tried.jsonl        what has been tried in each round, a line for each problem
    pairs/             for each problem that was proved: what its shortest proof needed
    metrics.jsonl      a line for each round
    events.*           the same for TensorBoard
    model.safetensors  the network after the last round

In a round completion tries every problem, the first time by size alone, later on with the network
of the round before; then the network is trained anew on the shortest proofs so far. The process
may die at any moment: at most a problem or the fitting of a network is lost.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from threesil.engine import Budget, PairShape, Selection, Stop, Stopped
from threesil.errors import InputError
from threesil.files import limits, read_bytes, read_text, write_atomically
from threesil.files.json_text import json_object
from threesil.learn.events import Events
from threesil.learn.pair_examples import Example, collect
from threesil.learn.pair_training import Fitting, fit
from threesil.learn.problem_lines import DAMAGED, read_set, set_lines
from threesil.measure.setting import check_names
from threesil.nets.pair_model import PairModel
from threesil.problems.sets import ProblemSet, open_set
from threesil.runs.records import FORMAT, check_format, metrics_line, read_facts

METHOD = "selection"
PROBLEMS = "problems.jsonl"
ANY = "any"  # the theory of such a run


@dataclass(frozen=True)
class SelectionConfig:
    """All knobs of such a run."""

    ME: int = 3  # rounds
    seconds: float = 1.0  # CPU time for each problem in a round
    expansions: int = 0  # critical pairs for each problem; 0: as many as there is time for
    turns: int = 1  # pairs that the network picks for each one by size
    size: int = 0  # of the vectors of terms; 0: features alone
    hidden: int = 32  # neurons of the predictor's layers
    epochs: int = 10  # passes over the examples
    learning_rate: float = 0.002

    def __post_init__(self) -> None:
        for key, low, high in _RANGES:
            if not low <= getattr(self, key) <= high:
                raise InputError(f"{key} = {getattr(self, key)}: expected {low} to {high}")
        for key in ("size", "hidden"):
            if getattr(self, key) % 16:
                raise InputError(f"{key} = {getattr(self, key)}: expected a multiple of 16")


_RANGES = (
    ("ME", 1, 1000),
    ("seconds", 0, 1e6),
    ("expansions", 0, 10**9),
    ("turns", 1, 1000),
    ("size", 0, 256),
    ("hidden", 16, 256),
    ("epochs", 1, 10**6),
    ("learning_rate", 0, 1),
)


def selection_config(changes: dict[str, Any]) -> SelectionConfig:
    """The standard configuration with these changes; wrong keys and types are named."""
    types: dict[str, Any] = {f.name: type(f.default) for f in fields(SelectionConfig)}
    for key, value in changes.items():
        if key not in types:
            raise InputError(f"unknown key {key}; method {METHOD} has {', '.join(types)}")
        if type(value) is not types[key] and (types[key], type(value)) != (float, int):
            raise InputError(f"{key} = {value}: expected a number such as {types[key](2)}")
    return SelectionConfig(**{key: types[key](value) for key, value in changes.items()})


class SelectionRun:
    """A run in its directory; `train` goes on from where it is."""

    def __init__(
        self, directory: Path, source: str, lines: str, seed: int, config: SelectionConfig
    ) -> None:
        """`source` is what people call the problems; `lines` are these themselves."""
        self.directory, self.source, self.seed, self.config = directory, source, seed, config
        self._lines = lines
        self.given: ProblemSet = read_set(lines)
        self.warnings: list[str] = []
        self.listen: Callable[[int, int], None] = lambda done, problems: None
        """hears how many problems of a round have been tried"""
        self.epoch = 0  # rounds that are done
        self._tried: dict[int, dict[int, int | None]] = {}
        """by round, by problem: the pairs that its proof took; None without one"""

    @classmethod
    def of(cls, directory: Path, problems: str, seed: int, config: SelectionConfig) -> SelectionRun:
        """A new run on the problems of a file, a directory, a list or a set."""
        given = open_set(problems)
        check_names(given.problems, problems)
        return cls(directory, Path(problems).name, set_lines(given), seed, config)

    @property
    def problems(self) -> int:
        return len(self.given.problems)

    @property
    def solved(self) -> int:
        """Problems that have been proved in some round."""
        rounds = self._tried.values()
        return len({i for tried in rounds for i, pairs in tried.items() if pairs is not None})

    def begin(self) -> None:
        """Makes the directory a run."""
        facts = {
            "format": FORMAT,
            "theory": ANY,
            "method": METHOD,
            "seed": self.seed,
            "source": self.source,
            "digest": _digest(self._lines),
            "config": asdict(self.config),
        }
        write_atomically(self.directory / PROBLEMS, self._lines.encode())
        write_atomically(self.directory / "run.json", (json.dumps(facts) + "\n").encode())

    @classmethod
    def resume(cls, directory: Path, changes: dict[str, Any] | None = None) -> SelectionRun:
        """The run of a directory; `changes` may enlarge ME."""
        facts = read_facts(directory)
        check_format(directory, facts)
        if changes and set(changes) != {"ME"}:
            raise InputError("a run that is resumed can be given a larger ME, nothing else")
        lines = _read_lines(directory, facts.get("digest"))
        try:
            config = selection_config({**facts["config"], **(changes or {})})
            run = cls(directory, str(facts["source"]), lines, facts["seed"], config)
        except DAMAGED as error:
            message = error.message if isinstance(error, InputError) else f"a damaged run: {error}"
            raise InputError(message, source=str(directory)) from None
        run._read_tried()
        if changes:
            run.begin()
        return run

    def train(
        self,
        progress: Callable[[dict[str, Any]], None] = lambda metrics: None,
        stop: Stop | None = None,
    ) -> bool:
        """Trains to the end; False if `stop` ended it before."""
        stop = stop or Stop()
        if self.epoch >= self.config.ME:
            return True
        events = Events(self.directory, self.epoch)
        try:
            while self.epoch < self.config.ME:
                begin = time.perf_counter()
                self._collect(stop)
                metrics = self._fit(stop)
                metrics["seconds"] = round(time.perf_counter() - begin, 4)
                self.epoch += 1
                with (self.directory / "metrics.jsonl").open("a") as file:
                    file.write(metrics_line(metrics))
                events.add(metrics)
                progress(metrics)
        except Stopped:
            return False
        finally:
            events.close()
        return True

    # A round

    def _collect(self, stop: Stop) -> None:
        """Tries what has not been tried in this round."""
        tried = self._tried.setdefault(self.epoch, {})
        selection = self._selection()
        with (self.directory / "tried.jsonl").open("a") as file:
            for i, problem in enumerate(self.given.problems):
                if i in tried:
                    continue
                example = collect(
                    self.given.theory_of(problem), problem, selection, self._budget(stop), self.seed
                )
                if stop.is_set():
                    raise Stopped
                if example is not None:
                    self._keep(i, example)
                tried[i] = None if example is None else example.considered
                row = {"round": self.epoch, "problem": i, "pairs": tried[i]}
                file.write(json.dumps(row) + "\n")
                file.flush()
                self.listen(len(tried), self.problems)

    def _selection(self) -> Selection:
        if self.epoch == 0:
            return Selection()
        model = PairModel.load(self.directory / "model.safetensors")
        return Selection(model.network(), turns=self.config.turns, seed=self.seed)

    def _budget(self, stop: Stop) -> Budget:
        expansions = self.config.expansions or None
        seconds = math.inf if expansions else self.config.seconds
        return Budget(expansions, seconds, stop=stop)

    def _path(self, i: int) -> Path:
        return self.directory / "pairs" / f"{i}.safetensors"

    def _keep(self, i: int, example: Example) -> None:
        """Keeps the better of two proofs of a problem."""
        path = self._path(i)
        if not path.exists() or example.cost < Example.load(path).cost:
            example.save(path)

    def _examples(self) -> Iterator[Example]:
        for i in range(self.problems):
            if self._path(i).exists():
                yield Example.load(self._path(i))

    def _fit(self, stop: Stop) -> dict[str, Any]:
        """Trains the network anew; the metrics of the round."""
        examples = list(self._examples())
        shape = PairShape(self.config.size, self.config.hidden)
        fitting = Fitting(shape, self.config.epochs, self.config.learning_rate, self.seed)
        try:
            net, loss = fit(examples, fitting, stop)
        except ValueError:
            message = f"completion proved too little of {self.source} to learn from"
            raise InputError(f"{message}; give it more seconds, or other problems") from None
        notes = {
            "method": METHOD,
            "problems": self.problems,
            "examples": len(examples),
            "rounds": self.epoch + 1,
            "seed": self.seed,
            "config": asdict(self.config),
        }
        net.model(notes).save(self.directory / "model.safetensors")
        taken = [pairs for pairs in self._tried[self.epoch].values() if pairs is not None]
        proved = len(taken) / max(1, self.problems)
        return {
            "epoch": self.epoch,
            "level": self.epoch + 1,
            "success": proved,
            "proved": proved,
            "solved": self.solved,
            "problems": self.problems,
            "length": sum(example.cost[0] for example in examples),
            "steps": sum(taken),
            "expansions": sum(taken) / max(1, len(taken)),
            "loss": loss,
        }

    def _read_tried(self) -> None:
        """What the rounds have done; those with metrics are done. A line cut off is forgotten."""
        path = self.directory / "tried.jsonl"
        kept = []
        for line in _lines(path):
            try:
                row = json_object(line)
                self._tried.setdefault(row["round"], {})[row["problem"]] = _pairs(row)
                kept.append(line + "\n")
            except (KeyError, TypeError, ValueError):
                break
        write_atomically(path, "".join(kept).encode())
        metrics = self.directory / "metrics.jsonl"
        self.epoch = len(_lines(metrics))


def _lines(path: Path) -> list[str]:
    return read_text(path, limits.CERTIFICATES).splitlines() if path.exists() else []


def _pairs(row: dict[str, Any]) -> int | None:
    """The pairs that a proof took; an older threesil wrote down no more than whether it was one."""
    if "pairs" in row:
        return None if row["pairs"] is None else int(row["pairs"])
    return 0 if row["proved"] else None


def _digest(lines: str) -> str:
    return hashlib.sha256(lines.encode()).hexdigest()


def _read_lines(directory: Path, digest: object) -> str:
    """The problems of a run, if they are still those that it began with."""
    path = directory / PROBLEMS
    if not path.exists():
        message = "has none of its problems: an older threesil began it; start another run"
        raise InputError(f"{directory} {message}; its model can be used as it is")
    try:
        lines = read_bytes(path, limits.CERTIFICATES).decode()
    except ValueError as error:
        raise InputError(f"can't be read: {error}", source=str(path)) from None
    if _digest(lines) != digest:
        message = "the problems changed since the run began; put the file back from a copy"
        raise InputError(f"{message}, or start another run", source=str(path))
    return lines
