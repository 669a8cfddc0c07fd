"""A training run is a directory.

    run.json, theory/, problems.jsonl      what is trained (see `threesil.learn.task`)
    config.toml        all knobs
    checkpoints/       the state after the last epochs
    metrics.jsonl      one line an epoch
    events.*           the same for TensorBoard
    history.jsonl      all certified solutions, one line each
    model.safetensors  the network after the last epoch

The process may die at any moment: at most the current epoch is lost, and a run that is resumed
equals one that never stopped, bit for bit. Whoever trains a run holds the lock of its directory.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threesil.engine import Stop, Stopped
from threesil.errors import InputError
from threesil.files import LOCK, write_atomically
from threesil.learn.agent import Agent
from threesil.learn.config import Config
from threesil.learn.curriculum import Curriculum
from threesil.learn.events import Events
from threesil.learn.method import Method
from threesil.learn.methods import method_of
from threesil.learn.task import Task, keep_config, read_task, resumed_config, write_task
from threesil.runs.checkpoint import checkpoints, epoch_of, read_checkpoint, write_checkpoint
from threesil.runs.records import metrics_line, read_metrics


class Run:
    """A run in its directory; `train` goes on from where it is.

    It drives its method: between two epochs it evaluates, opens levels, logs and saves.
    """

    def __init__(self, directory: Path, task: Task, config: Config) -> None:
        self.directory = directory
        self.task = task
        self.config = config
        self.warnings: list[str] = []
        kind = method_of(task.method, config)
        rate = kind.learning_rate(config)
        self.agent = Agent(
            task.searched, task.problems, config, task.seed, value=kind.value, learning_rate=rate
        )
        if task.start is not None:
            self.agent.start_from(task.start)
        self.method: Method = kind(self.agent)
        self.curriculum = Curriculum(len(task.problems), config.level_size, config.threshold)
        self.epoch = 0  # epochs that are done
        self.spent = 0.0  # seconds in them
        self.cpu = 0.0  # seconds of CPU time that they took

    def begin(self) -> None:
        """Makes the directory a run."""
        check_new(self.directory)
        write_task(self.directory, self.task, self.config)

    @classmethod
    def resume(cls, directory: Path, changes: dict[str, Any] | None = None) -> Run:
        """The run of a directory, after its last good checkpoint; `changes` may enlarge ME."""
        task = read_task(directory)
        config = resumed_config(directory, changes or {})
        kept = checkpoints(directory / "checkpoints")
        skipped: list[str] = []
        while True:
            run = cls(directory, task, config)
            if not kept:
                break
            try:
                run._restore(kept.pop())
                break
            except InputError as error:
                then = "the one before it is used" if kept else "the run starts over"
                skipped.append(f"{error}; {then}")
        run.warnings[:0] = skipped
        return run

    def _restore(self, path: Path) -> None:
        arrays, facts = read_checkpoint(path)
        source = str(path)
        if facts.get("run") != self.task.identity(self.config):
            raise InputError("a checkpoint of another run", source=source)
        epoch, level = epoch_of(path), facts.get("level")
        if facts.get("epoch") != epoch or not 0 < epoch <= self.config.ME:
            raise InputError("a damaged checkpoint: its epoch is wrong", source=source)
        if type(level) is not int or not 0 < level <= self.curriculum.levels:
            raise InputError("a damaged checkpoint: its level is wrong", source=source)
        try:
            self.agent.restore(arrays)
            self.warnings += self.method.restore(arrays)
        except InputError as error:
            raise InputError(error.message, source=source) from None
        self.epoch = self.agent.epoch = epoch
        self.curriculum.level = level
        self.curriculum.finished = facts.get("finished") is True

    def train(
        self,
        progress: Callable[[dict[str, Any]], None] = lambda metrics: None,
        stop: Stop | None = None,
    ) -> bool:
        """Trains to the end; False if `stop` ended it before, the current epoch given up."""
        self.agent.stop = stop or Stop()
        keep_config(self.directory, self.task, self.config)
        self._drop_later_metrics()
        if not self.done:
            if self.agent.stop.is_set():
                return False
            events = Events(self.directory, self.epoch)
            try:
                self._drive(events, progress)
            except Stopped:
                return False
            finally:
                events.close()
        self._finish()
        return True

    @property
    def done(self) -> bool:
        return self.config.ended(self.epoch, self.curriculum.finished, self.spent, self.cpu)

    def _drive(self, events: Events, progress: Callable[[dict[str, Any]], None]) -> None:
        self._prepare_epoch()
        begin, cpu = time.perf_counter(), time.process_time()
        for learned in self.method.train():
            metrics = self._end_epoch(learned, begin, cpu)
            events.add(metrics)
            progress(metrics)
            if self.done:
                break
            self._prepare_epoch()
            begin, cpu = time.perf_counter(), time.process_time()

    def _prepare_epoch(self) -> None:
        self.agent.pool = self.curriculum.pool
        if self.config.minutes:
            self.agent.share = min(1.0, self.spent / (60 * self.config.minutes))

    def _end_epoch(self, learned: dict[str, float], begin: float, cpu: float) -> dict[str, Any]:
        """Evaluates, logs and saves."""
        level = self.curriculum.level
        success = self.agent.evaluate()
        self.agent.check()
        self.curriculum.report(self.method.mastery(success))
        seconds = round(time.perf_counter() - begin, 4)
        self.spent += seconds
        metrics = {
            "epoch": self.epoch,
            "level": level,
            "finished": self.curriculum.finished,
            "success": success,
            "solved": self.method.solved,
            "problems": len(self.task.problems),
            "steps": self.agent.steps,
            "length": self.method.length,
            "seconds": seconds,
            "cpu": round(time.process_time() - cpu, 4),
            **learned,
        }
        self.epoch += 1
        self.cpu += metrics["cpu"]
        with (self.directory / "metrics.jsonl").open("a") as file:
            file.write(metrics_line(metrics))
        self._checkpoint()
        return metrics

    def _checkpoint(self) -> None:
        facts = {
            "epoch": self.epoch,
            "level": self.curriculum.level,
            "finished": self.curriculum.finished,
            "run": self.task.identity(self.config),
        }
        arrays = {**self.agent.arrays(), **self.method.arrays()}
        write_checkpoint(self.directory / "checkpoints", self.epoch, arrays, facts)

    def _drop_later_metrics(self) -> None:
        """Forgets lines of epochs that no checkpoint holds."""
        path = self.directory / "metrics.jsonl"
        if path.exists():
            kept = [m for m in read_metrics(self.directory) if m["epoch"] < self.epoch]
            self.spent = sum(float(m.get("seconds") or 0.0) for m in kept)
            write_atomically(path, "".join(map(metrics_line, kept)).encode())
            self.cpu = sum(m.get("cpu") or 0.0 for m in kept)

    def _finish(self) -> None:
        notes = {**self.task.notes, "epochs": self.epoch, "config": vars(self.config)}
        self.agent.net.model(notes).save(self.directory / "model.safetensors")
        lines = (
            json.dumps({"problem": self.task.problems[p].name, "actions": actions}) + "\n"
            for p, actions in self.method.solutions()
        )
        write_atomically(self.directory / "history.jsonl", "".join(lines).encode())


def check_new(directory: Path) -> None:
    """Refuses a directory that holds a run already, or anything else: it would be overwritten.

    What a training has written that holds the lock, or did when it was killed, is not in the way.
    """
    if (directory / "run.json").exists():
        message = f"{directory} holds a run already; go on with it by --resume {directory}"
        raise InputError(f"{message}, or name another directory with --out")
    if directory.is_dir() and any(directory.iterdir()) and not (directory / LOCK).exists():
        message = f"{directory} is not empty, and a run wants a directory of its own"
        raise InputError(f"{message}: name another one with --out")
