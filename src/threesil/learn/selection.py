"""Training the selection of critical pairs, for all theories at once.

In a round completion tries every problem, the first time by size alone, later on with the network
of the round before; then the network is trained anew on the shortest proofs so far. The process
may die at any moment: at most a problem or the fitting of a network is lost.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from threesil import __version__
from threesil.engine import Budget, PairShape, Selection, Stop, Stopped
from threesil.errors import InputError
from threesil.files import limits, read_text, write_atomically
from threesil.files.json_text import json_object
from threesil.learn.config import SelectionConfig, make_config
from threesil.learn.pair_examples import Example, collect
from threesil.learn.pair_training import Fitting, fit
from threesil.learn.watching import Begun, Watching
from threesil.measure.setting import check_names
from threesil.nets.judge import Judge
from threesil.problems.sets import ProblemSet, open_set
from threesil.runs.facts import Facts
from threesil.runs.metrics import Metrics
from threesil.runs.problem_lines import DAMAGED, digest_of, read_set, set_lines
from threesil.runs.run import Run

METHOD = SelectionConfig.method
ANY = "any"  # the theory of such a run
_STAGE = "rounds"


class SelectionTraining:
    """A training in the directory of a run; `train` resumes it from where it is."""

    def __init__(
        self, run: Run, source: str, lines: str, seed: int, config: SelectionConfig
    ) -> None:
        """`source` is what people call the problems; `lines` are these themselves."""
        self.run, self.source, self.seed, self.config = run, source, seed, config
        self._lines = lines
        self.given: ProblemSet = read_set(lines)
        self.epoch = 0  # rounds that are done
        self._tried: dict[int, dict[int, int | None]] = {}
        """by round, by problem: the pairs that its proof took; None without one"""

    @classmethod
    def of(cls, run: Run, problems: str, seed: int, config: SelectionConfig) -> SelectionTraining:
        """A new one on the problems of a file, a directory, a list or a set."""
        given = open_set(problems)
        check_names(given.problems, problems)
        return cls(run, Path(problems).name, set_lines(given), seed, config)

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
        self.run.write_problem_lines(self._lines)
        self.run.write_facts(
            Facts(
                theory=ANY,
                method=METHOD,
                seed=self.seed,
                problems=self.source,
                source=ANY,
                digest="",
                problem_digest=digest_of(self._lines),
                version=__version__,
                stages={_STAGE: False},
                config=asdict(self.config),
            )
        )

    @classmethod
    def resume(cls, run: Run, changes: Mapping[str, Any] | None = None) -> SelectionTraining:
        """That of a run; `changes` may enlarge ME."""
        facts, source = run.facts, str(run.directory)
        if changes and set(changes) != {"ME"}:
            raise InputError("a run that is resumed can be given a larger ME, nothing else")
        lines = run.problem_lines()
        if digest_of(lines) != facts.problem_digest:
            message = "the problems changed since the run began; put the file back from a copy"
            raise InputError(f"{message}, or start another run", source=source)
        config = make_config(SelectionConfig, {**facts.config, **(changes or {})}, source)
        try:
            training = cls(run, facts.problems, lines, facts.seed, config)
        except DAMAGED as error:
            raise InputError(f"a damaged run: {error}", source=source) from None
        training._read_tried()
        if changes:
            training.begin()
        return training

    def train(self, watching: Watching) -> bool:
        """Trains to the end; False if it was stopped before."""
        watching.begin(Begun(self.run.directory, self.epoch, self.config.ME, self.config.ME))
        if self.epoch < self.config.ME:
            events = self.run.events(self.epoch)
            try:
                while self.epoch < self.config.ME:
                    self._round(watching, events.add)
            except Stopped:
                return False
            finally:
                events.close()
        self.run.mark({_STAGE: True})
        return True

    # A round

    def _round(self, watching: Watching, log: Callable[[Metrics], None]) -> None:
        begin = time.perf_counter()
        self._collect(watching)
        metrics = self._fit(watching.stop)
        metrics["seconds"] = round(time.perf_counter() - begin, 4)
        self.epoch += 1
        self.run.add_metrics(metrics)
        log(metrics)
        watching.progress(metrics)

    def _collect(self, watching: Watching) -> None:
        """Tries what has not been tried in this round."""
        tried = self._tried.setdefault(self.epoch, {})
        selection, stop = self._selection(), watching.stop
        with self.run.tried_path.open("a") as file:
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
                watching.listen(f"round {self.epoch + 1}", len(tried), self.problems)

    def _selection(self) -> Selection:
        if self.epoch == 0:
            return Selection()
        model = Judge.load(self.run.weights_path)
        return Selection(model.network(), turns=self.config.turns, seed=self.seed)

    def _budget(self, stop: Stop) -> Budget:
        expansions = self.config.expansions or None
        seconds = math.inf if expansions else self.config.seconds
        return Budget(expansions, seconds, stop=stop)

    def _keep(self, i: int, example: Example) -> None:
        """Keeps the better of two proofs of a problem."""
        path = self.run.example_path(i)
        if not path.exists() or example.cost < Example.load(path).cost:
            example.save(path)

    def _examples(self) -> Iterator[Example]:
        for i in range(self.problems):
            if self.run.example_path(i).exists():
                yield Example.load(self.run.example_path(i))

    def _fit(self, stop: Stop) -> Metrics:
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
        net.judge(notes).save(self.run.weights_path)
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
        path = self.run.tried_path
        kept = []
        text = read_text(path, limits.CERTIFICATES) if path.exists() else ""
        for line in text.splitlines():
            try:
                row = json_object(line)
                pairs = None if row["pairs"] is None else int(row["pairs"])
                self._tried.setdefault(row["round"], {})[row["problem"]] = pairs
                kept.append(line + "\n")
            except (KeyError, TypeError, ValueError):
                break
        write_atomically(path, "".join(kept).encode())
        self.epoch = len(self.run.metrics())
