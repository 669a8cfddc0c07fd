"""A training run is a directory.

    run.json           what is trained: theory, method, seed, problems
    config.toml        all knobs
    checkpoints/       the state after the last epochs
    metrics.jsonl      one line an epoch
    events.*           the same for TensorBoard
    history.jsonl      all certified solutions, one line each
    model.safetensors  the network after the last epoch

The process may die at any moment: at most the current epoch is lost, and a run that is resumed
equals one that never stopped, bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import write_atomically
from threesil.learn.agent import Agent, Method, Stopped
from threesil.learn.checkpoint import checkpoints, read_checkpoint, write_checkpoint
from threesil.learn.config import Config, load_config
from threesil.learn.curriculum import Curriculum, by_difficulty
from threesil.learn.methods import METHODS
from threesil.learn.records import read_facts, read_metrics
from threesil.problems import load_set, sample_set
from threesil.theories import get_theory
from threesil.theory import Problem, Theory

SAMPLED = "sampled"
_SAMPLES = 2000


@dataclass(frozen=True)
class Plan:
    """What is trained: everything that, with the configuration, decides the outcome of a run."""

    theory: str  # name or theory file
    method: str
    seed: int
    problems: str  # a set, a file, or `sampled`

    def load(self) -> tuple[Theory, list[Problem]]:
        """The theory, and its problems from the easiest to the hardest."""
        theory = get_theory(self.theory)
        if self.method not in METHODS:
            message = f"unknown method {self.method!r}; expected one of {', '.join(METHODS)}"
            raise InputError(message)
        if self.problems == SAMPLED:
            problems = sample_set(theory, _SAMPLES, seed=0)
        else:
            problems = load_set(theory, self.problems)
        return theory, by_difficulty(theory, problems)


class Run:
    """A run in its directory; `train` goes on from where it is."""

    def __init__(self, directory: Path, plan: Plan, config: Config) -> None:
        self.directory = directory
        self.plan = plan
        self.config = config
        self.warnings: list[str] = []
        self.theory, self.problems = plan.load()
        kind = METHODS[plan.method]
        rate = kind.learning_rate(config)
        self.agent = Agent(
            self.theory, self.problems, config, plan.seed, value=kind.value, learning_rate=rate
        )
        self.method: Method = kind(self.agent)
        self.curriculum = Curriculum(len(self.problems), config.level_size, config.threshold)
        self.epoch = 0  # epochs that are done

    @classmethod
    def create(cls, directory: Path, plan: Plan, config: Config) -> Run:
        """A new run; a directory that holds one already is refused."""
        if (directory / "run.json").exists():
            message = f"{directory} holds a run already; go on with it by --resume {directory}"
            raise InputError(message)
        run = cls(directory, plan, config)
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{directory} can't be a run's directory: {error.strerror}"
            raise InputError(message) from None
        facts = {**vars(plan), "digest": run.theory.digest, "problem_digest": run.problem_digest}
        write_atomically(directory / "config.toml", config.to_toml().encode())
        write_atomically(directory / "run.json", (json.dumps(facts, indent=2) + "\n").encode())
        return run

    @classmethod
    def resume(cls, directory: Path) -> Run:
        """The run of a directory, after its last good checkpoint."""
        facts = read_facts(directory)
        plan = Plan(**{key: facts[key] for key in ("theory", "method", "seed", "problems")})
        config = load_config(directory / "config.toml", get_theory(plan.theory))
        run = cls(directory, plan, config)
        for key, now in (
            ("digest", run.theory.digest),
            ("problem_digest", run.problem_digest),
        ):
            if facts.get(key) != now:
                what = "theory" if key == "digest" else "problems"
                raise InputError(f"{directory}: the {what} changed since the run began")
        kept = checkpoints(directory / "checkpoints")
        while kept:
            try:
                run._restore(kept.pop())
                break
            except InputError as error:
                then = "the one before it is used" if kept else "the run starts over"
                run.warnings.append(f"{error}; {then}")
        return run

    def _identity(self) -> str:
        """What a checkpoint must have in common with the run."""
        facts = self.theory.digest, self.problem_digest, self.plan, self.config
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    @cached_property
    def problem_digest(self) -> str:
        text = repr([(p.name, p.start, p.target) for p in self.problems])
        return hashlib.sha256(text.encode()).hexdigest()

    def _restore(self, path: Path) -> None:
        arrays, facts = read_checkpoint(path)
        if facts.get("run") != self._identity():
            raise InputError("a checkpoint of another run", source=str(path))
        self.agent.restore(arrays)
        self.method.restore(arrays)
        self.epoch = facts["epoch"]
        self.curriculum.level = facts["level"]
        self.curriculum.finished = facts["finished"]

    def train(
        self,
        progress: Callable[[dict[str, Any]], None] = lambda metrics: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Trains to the end; False if `stop` ended it before, the current epoch given up."""

        def check() -> None:
            if stop():
                raise Stopped

        self.agent.check = check
        self._drop_later_metrics()
        events = _Events(self.directory, self.epoch)
        try:
            while not self.done:
                metrics = self._epoch()
                events.add(metrics)
                progress(metrics)
        except Stopped:
            return False
        finally:
            events.close()
        self._finish()
        return True

    @property
    def done(self) -> bool:
        passed = self.curriculum.finished and self.config.stop_at_end
        return self.epoch >= self.config.ME or passed

    def _epoch(self) -> dict[str, Any]:
        begin = time.perf_counter()
        level, pool = self.curriculum.level, self.curriculum.pool
        self.agent.begin_epoch(self.epoch)
        learned = self.method.epoch(pool)
        success = self.agent.evaluate(pool, greedy=self.method.greedy_evaluation)
        self.agent.check()
        self.curriculum.report(success)
        seconds = time.perf_counter() - begin
        metrics = {
            "epoch": self.epoch,
            "level": level,
            "finished": self.curriculum.finished,
            "success": success,
            "solved": self.method.solved,
            "problems": len(self.problems),
            "steps": self.agent.steps,
            "seconds": round(seconds, 4),
            **learned,
        }
        self.epoch += 1
        with (self.directory / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(metrics) + "\n")
        self._checkpoint()
        return metrics

    def _checkpoint(self) -> None:
        facts = {
            "epoch": self.epoch,
            "level": self.curriculum.level,
            "finished": self.curriculum.finished,
            "run": self._identity(),
        }
        arrays = {**self.agent.arrays(), **self.method.arrays()}
        write_checkpoint(self.directory / "checkpoints", self.epoch, arrays, facts)

    def _drop_later_metrics(self) -> None:
        """Forgets lines of epochs that no checkpoint holds."""
        path = self.directory / "metrics.jsonl"
        if path.exists():
            kept = [m for m in read_metrics(self.directory) if m["epoch"] < self.epoch]
            text = "".join(json.dumps(m) + "\n" for m in kept)
            write_atomically(path, text.encode())

    def _finish(self) -> None:
        notes = {**vars(self.plan), "epochs": self.epoch, "config": vars(self.config)}
        self.agent.net.model(notes).save(self.directory / "model.safetensors")
        lines = (
            json.dumps({"problem": self.problems[p].name, "actions": actions}) + "\n"
            for p, actions in self.method.solutions()
        )
        write_atomically(self.directory / "history.jsonl", "".join(lines).encode())


class _Events:
    """The metrics for TensorBoard, if it is installed."""

    def __init__(self, directory: Path, epoch: int) -> None:
        self._writer: Any = None
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            return
        self._writer = SummaryWriter(str(directory), purge_step=epoch or None)

    def add(self, metrics: dict[str, Any]) -> None:
        if self._writer is not None:
            for key, value in metrics.items():
                if key != "epoch":
                    self._writer.add_scalar(key, float(value), metrics["epoch"])
            self._writer.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
