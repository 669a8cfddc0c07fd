"""The epochs of a training: between two of them it evaluates, opens levels, logs and saves.

The process may die at any moment: at most the current epoch is lost, and a training that is resumed
equals one that never stopped, bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from threesil.engine import Stop, Stopped
from threesil.errors import InputError
from threesil.learn.a2c import A2C
from threesil.learn.acer import ACER
from threesil.learn.agent import Agent
from threesil.learn.bc import BehaviouralCloning
from threesil.learn.config import Config, ThreeSILConfig
from threesil.learn.curriculum import Curriculum
from threesil.learn.expert import Expert
from threesil.learn.levin import SearchingThreeSIL
from threesil.learn.method import Method
from threesil.learn.ppo import PPO
from threesil.learn.sil_paac import SilPaac
from threesil.learn.task import Task, read_task, resumed_config, write_config
from threesil.learn.three_sil import ThreeSIL
from threesil.runs.checkpoint import epoch_of, read_checkpoint
from threesil.runs.metrics import Events, Metrics, total
from threesil.runs.run import Run

STAGE = "policy"  # of a run
METHODS: Final[Mapping[str, type[Method[Any]]]] = {
    "3sil": ThreeSIL,
    "bc": BehaviouralCloning,
    "a2c": A2C,
    "ppo": PPO,
    "acer": ACER,
    "sil-paac": SilPaac,
    "expert": Expert,
}


def method_of(config: Config) -> type[Method[Any]]:
    """The method that a configuration is of."""
    if isinstance(config, ThreeSILConfig) and config.search:
        return SearchingThreeSIL
    return METHODS[config.method]


class Training:
    """An agent, its method and its curriculum, in the directory of a run."""

    def __init__(self, run: Run, task: Task, config: Config) -> None:
        self.run = run
        self.task = task
        self.config = config
        self.warnings: list[str] = []
        kind = method_of(config)
        self.agent = Agent(task.searched, task.problems, config, task.seed, value=kind.value)
        if task.start is not None:
            self.agent.start_from(task.start)
        self.method: Method[Any] = kind(self.agent, config)
        self.curriculum = Curriculum(len(task.problems), config.level_size, config.threshold)
        self.epoch = 0  # epochs that are done
        self.spent = 0.0  # seconds in them
        self.cpu = 0.0  # seconds of CPU time that they took

    @classmethod
    def resume(cls, run: Run, changes: Mapping[str, Any] | None = None) -> Training:
        """That of a run, after its last good checkpoint; `changes` may enlarge ME."""
        task = read_task(run)
        config = resumed_config(run, changes or {})
        kept = run.checkpoints()
        skipped: list[str] = []
        while True:
            training = cls(run, task, config)
            if not kept:
                break
            try:
                training._restore(kept.pop())
                break
            except InputError as error:
                then = "the one before it is used" if kept else "the run starts over"
                skipped.append(f"{error}; {then}")
        training.warnings[:0] = skipped
        done = [row for row in run.metrics() if row["epoch"] < training.epoch]
        training.spent, training.cpu = total(done, "seconds"), total(done, "cpu")
        return training

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
        progress: Callable[[Metrics], None] = lambda metrics: None,
        stop: Stop | None = None,
    ) -> bool:
        """Trains to the end; False if `stop` ended it before, the current epoch given up."""
        self.agent.stop = stop or Stop()
        write_config(self.run, self.config)
        self.run.drop_metrics(self.epoch)
        if not self.done:
            if self.agent.stop.is_set():
                return False
            events = self.run.events(self.epoch)
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

    def _drive(self, events: Events, progress: Callable[[Metrics], None]) -> None:
        epochs = self.method.train()
        while not self.done:
            self._prepare_epoch()
            begin, cpu = time.perf_counter(), time.process_time()
            metrics = self._end_epoch(next(epochs), begin, cpu)
            events.add(metrics)
            progress(metrics)

    def _prepare_epoch(self) -> None:
        self.agent.pool = self.curriculum.pool
        if self.config.minutes:
            self.agent.share = min(1.0, self.spent / (60 * self.config.minutes))

    def _end_epoch(self, learned: dict[str, float], begin: float, cpu: float) -> Metrics:
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
        self.run.add_metrics(metrics)
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
        self.run.write_checkpoint(self.epoch, arrays, facts)

    def _finish(self) -> None:
        notes = {**self.task.notes, "epochs": self.epoch, "config": vars(self.config)}
        self.agent.net.policy(notes).save(self.run.weights_path)
        problems = self.task.problems
        self.run.write_history(
            (problems[p].name, actions) for p, actions in self.method.solutions()
        )

    def why_over(self) -> str:
        """What has ended it before its last epoch, and what to do."""
        config = self.config
        if config.ended(0, False, self.spent, 0.0):
            more = "--minutes N gives it more, --set minutes=0 lets ME alone decide"
            return f"its {config.minutes:g} minutes are over; {more}"
        if config.ended(0, False, 0.0, self.cpu):
            over = f"its {config.cpu_seconds:g} seconds of CPU time are over"
            return f"{over}, which can't be changed; start another run"
        return "its last level is finished, with which it was to end; start another run"
