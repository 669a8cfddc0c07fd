"""Runs the jobs of experiments, each once, in a directory from which they can be resumed.

    DIR/runs/SLUG/           a training
    DIR/results/SLUG.jsonl   an evaluation
    DIR/contests/SLUG/       a system of a comparison
    DIR/sessions.jsonl       where, when and with which code the jobs ran
    DIR/report.md, …         what came of it

A job whose tool is missing is passed over, with a note; so are those that need its weights. If a
prover is missing, results that were recorded elsewhere take its place, if there are any.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.files import is_file, read_lines, write_atomically
from threesil.files.json_text import json_lines
from threesil.kernel.outcome import SZS
from threesil.measure.compare.contest import compare
from threesil.measure.compare.directory import this_machine
from threesil.measure.evaluate import evaluate
from threesil.measure.results import Row, has_results, read_results
from threesil.problems.sets import ProblemSet, data_directory, load_set, novel, open_set, set_files
from threesil.provers.request import Request
from threesil.reproduce.experiment import Experiment
from threesil.reproduce.held_out import held_out, listed
from threesil.reproduce.jobs import (
    HELD_OUT,
    LISTED,
    UNIT_EQUALITIES,
    Contest,
    Evaluation,
    Job,
    Training,
    trainings,
)
from threesil.reproduce.recorded import Recorded, recorded
from threesil.runs.findings import Shares
from threesil.runs.run import Run
from threesil.theories import benchmark_of, get_theory
from threesil.work.places import check_place

Progress = Callable[[Job, float], None]
"""a job, and which part of it is done: 0 to 1"""


_SESSIONS: Final = "sessions.jsonl"
_FACTS: Final = frozenset({"date", "cpu", "cpus", "workers", "commit"})  # of a session


class Interrupted(Exception):
    """`stop` was set: what is done is kept."""


def plan(experiments: Iterable[Experiment]) -> list[Job]:
    """All jobs, each once, trainings before what uses them."""
    jobs: dict[Job, None] = {}
    for experiment in experiments:
        for job in experiment.jobs():
            jobs |= dict.fromkeys([*trainings(job), job])
    return list(jobs)


@dataclass
class Session:
    """The directory while jobs are run in it. `skipped`: why a job could not be run; `waiting`:
    those of them that were only not run yet; `imported`: what was recorded elsewhere in its place;
    `begun`: how many problems of how many are tried, or epochs done.

    `on`: a Ray cluster, as `evaluate` takes it.
    """

    directory: Path
    workers: int = 2
    on: str | None = None
    progress: Progress = lambda job, part: None
    stop: Stop = field(default_factory=Stop)
    skipped: dict[Job, str] = field(default_factory=dict)
    waiting: set[Job] = field(default_factory=set)
    imported: dict[Job, Recorded] = field(default_factory=dict)
    begun: dict[Job, tuple[int, int]] = field(default_factory=dict)
    _novel: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def left(self, jobs: Iterable[Job]) -> list[Job]:
        """Those that are not done yet. A training without weights, but with metrics up to
        its end, is left only if its weights are needed."""
        waiting = [job for job in jobs if not self._is_done(job)]
        needed = {training for job in waiting for training in trainings(job)}
        return [job for job in waiting if job in needed or not self._is_recorded(job)]

    def run(self, jobs: Sequence[Job]) -> None:
        """Runs what is left."""
        waiting = self.left(jobs)
        if waiting:
            check_place(self.on)  # else every job would be passed over without Ray
            self._note_session()
        for job in waiting:
            lacking = next((t for t in trainings(job) if t in self.skipped), None)
            if lacking is not None:
                self.skipped[job] = self.skipped[lacking]
                continue
            self.progress(job, 0.0)
            try:
                self._run(job)
            except MissingTool as error:
                self._do_without(job, str(error))
            if self.stop.is_set():
                raise Interrupted
            self.progress(job, 1.0)

    def _run(self, job: Job) -> None:
        if isinstance(job, Training):
            self._train(job)
        elif isinstance(job, Evaluation):
            self._evaluate(job)
        else:
            self._compete(job)

    def take_stock(self, jobs: Iterable[Job]) -> None:
        """Runs nothing: what is not there is passed over, what is begun counts as far as it is."""
        for job in self.left(jobs):
            if self._is_recorded(job):
                continue
            if isinstance(job, Training):
                self._wait_for(job)
                if metrics := self._run_of(job).metrics():
                    self.begun[job] = len(metrics), job.epochs
            elif not has_results(self._file(job)):
                self._wait_for(job)
            else:
                setting, rows = read_results(self._file(job))
                self.begun[job] = len(rows), setting.count

    def _wait_for(self, job: Job) -> None:
        """Passes over a job that nothing but time is missing for."""
        self.waiting.add(job)
        self._do_without(job, "not run yet")

    def _do_without(self, job: Job, why: str) -> None:
        """Takes recorded results in the place of a job; else it is passed over."""
        found = None
        if isinstance(job, Contest):
            names = [problem.name for problem in self._problems(job).problems]
            try:
                found = recorded(job.system, job.seconds, names)
            except InputError as error:
                why = f"{why} ({error})"
                self.waiting.discard(job)
        if found is None:
            self.skipped[job] = why
        else:
            self.imported[job] = found
            self.waiting.discard(job)

    # What experiments read

    def rows(self, job: Evaluation | Contest) -> Mapping[str, Row] | None:
        if job in self.imported:
            return self.imported[job].rows
        if job in self.skipped:
            return None
        rows = read_results(self._file(job))[1]
        return {**self._untried(job), **rows} if job in self.begun else rows

    def _untried(self, job: Evaluation | Contest) -> dict[str, Row]:
        """Each problem as unsolved."""
        given = self._problems(job)
        benchmark = benchmark_of(given.theory)
        return {
            problem.name: Row(
                *(problem.name, SZS.UNKNOWN, False, 0.0, 0.0),
                stratum=benchmark.stratum(problem) if benchmark.steps else None,
            )
            for problem in given.problems
        }

    def metrics(self, job: Training) -> Sequence[Mapping[str, Any]] | None:
        return None if job in self.skipped else self._run_of(job).metrics()

    def shares(self, job: Training) -> Sequence[Shares] | None:
        return None if job in self.skipped else self._run_of(job).shares() or None

    def novel(self, theory: str, problems: str) -> set[str]:
        key = theory, problems
        if key not in self._novel:
            chosen = get_theory(theory)
            tested, trained = load_set(chosen, problems), load_set(chosen, "train")
            self._novel[key] = {problem.name for problem in novel(tested, trained)}
        return self._novel[key]

    # Where things are

    def _run_of(self, training: Training) -> Run:
        return Run(self.directory / "runs" / training.slug)

    def _file(self, job: Evaluation | Contest) -> Path:
        if isinstance(job, Evaluation):
            return self.directory / "results" / f"{job.slug}.jsonl"
        return self.directory / "contests" / job.slug / "results" / f"{job.system}.jsonl"

    def _model(self, training: Training | None) -> str | None:
        return None if training is None else str(self._run_of(training).directory)

    def _is_done(self, job: Job) -> bool:
        if isinstance(job, Training):
            return self._run_of(job).finished
        if not has_results(self._file(job)):
            return False
        setting, rows = read_results(self._file(job))
        return len(rows) == setting.count

    def _is_recorded(self, job: Job) -> bool:
        """Whether this is the record of a training: all that tables and figures need, but nothing
        that could be resumed."""
        if not isinstance(job, Training):
            return False
        run = self._run_of(job)
        return run.exists and not run.has_problems and run.facts.finished

    @cached_property
    def commit(self) -> str:
        """The commit of the code, if it is run from a clone."""
        command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        except (OSError, subprocess.SubprocessError):
            return "not known: no clone of the repository"
        return done.stdout.strip()

    def _note_session(self) -> None:
        facts = {**this_machine(self.workers), "commit": self.commit}
        known = self.sessions()
        if facts not in known:
            lines = "".join(f"{json.dumps(one)}\n" for one in (*known, facts))
            write_atomically(self.directory / _SESSIONS, lines.encode())

    def sessions(self) -> list[dict[str, Any]]:
        """Where, when and with which code jobs ran."""
        path = self.directory / _SESSIONS
        found = []
        for number, facts in json_lines(path) if is_file(path) else ():
            if not facts.keys() >= _FACTS:
                message = f"expected {', '.join(sorted(_FACTS))}; remove this line"
                raise InputError(message, source=str(path), line=number)
            found.append(facts)
        return found

    # How jobs run

    def _train(self, job: Training) -> None:
        try:
            from threesil.learn import train as workflow
        except ImportError as error:
            missing = f"{error.name} is not installed; try: pip install 'threesil[train]'"
            raise MissingTool(missing) from None
        run = self._run_of(job)
        if self._is_recorded(job):
            raise InputError(
                f"{run.directory} has ended, but its weights are not there: copy "
                f"{run.weights_path.name} from where it was trained, or move this directory away "
                "to train it again"
            )

        limit, clock = float(job.settings.get("cpu_seconds", 0.0)), "cpu"
        if "minutes" in job.settings:
            limit, clock = 60 * float(job.settings["minutes"]), "seconds"
        spent = 0.0

        def progress(metrics: dict[str, Any]) -> None:
            nonlocal spent
            spent += metrics[clock]
            part = (metrics["epoch"] + 1) / job.epochs
            self.progress(job, min(1.0, spent / limit) if limit and job.epochs > 1 else part)

        on = self.on if job.method in workflow.AWAY else None
        if run.exists:
            workflow.resume(run.directory, on=on, table=False, progress=progress, stop=self.stop)
        else:
            workflow.train(
                job.theory,
                method=job.method,
                config=job.config,
                problems=self._trained_on(job),
                seed=job.seed,
                out=run.directory,
                changes=job.settings,
                on=on,
                table=False,
                progress=progress,
                stop=self.stop,
            )

    def _trained_on(self, job: Training) -> str | None:
        if job.problems == LISTED:
            return str(listed(get_theory(job.theory), self.directory / "sets"))
        return job.problems

    def _evaluate(self, job: Evaluation) -> None:
        given, done = self._problems(job), 0

        def progress(row: Row) -> None:
            nonlocal done
            done += 1
            self.progress(job, done / len(given.problems))

        model, options = self._model(job.model), job.options
        limits = job.seconds, job.expansions
        request = Request(job.mode, *limits, model, job.seed, options=options)
        evaluate(
            given,
            request,
            workers=self.workers,
            on=self.on,
            name=job.problems,
            out=self._file(job),
            progress=progress,
            stop=self.stop,
        )

    def _compete(self, job: Contest) -> None:
        weights = self._model(job.model)
        compare(
            self._problems(job),
            (job.system,),
            Request(None, job.seconds, weights=weights, memory=job.memory),
            self.directory / "contests" / job.slug,
            workers=self.workers,
            on=self.on,
            name=job.problems,
            progress=lambda _solver, _row, done, total: self.progress(job, done / total),
            stop=self.stop,
        )

    def _problems(self, job: Evaluation | Contest) -> ProblemSet:
        if job.problems == HELD_OUT:
            given = held_out(get_theory(job.theory), self.directory / "sets")
        elif job.problems.startswith(UNIT_EQUALITIES):
            given = self._listed(job.problems.removeprefix(UNIT_EQUALITIES))
        else:
            given = open_set(job.problems, get_theory(job.theory))
        if job.limit is not None and job.limit < len(given.problems):
            count = len(given.problems)
            spread = (given.problems[i * count // job.limit] for i in range(job.limit))
            given = replace(given, problems=tuple(spread))
        return given

    def _listed(self, split: str) -> ProblemSet:
        """A list of the unit equalities."""
        data = data_directory()
        if data is None or not is_file(data / "ueq" / f"{split}.txt"):
            raise MissingTool(
                "the unit equalities of TPTP are not here; threesil data fetch ueq --from TPTP"
            )
        rows = (line.split("\t") for _, line in read_lines(data / "ueq" / f"{split}.txt"))
        root = data.resolve() / "ueq" / "Problems"
        paths = "".join(f"{root / row[1] / row[0]}.p\n" for row in rows)
        path = self.directory / "lists" / f"ueq-{split}.list"
        write_atomically(path, paths.encode())
        return open_set(f"@{path}")


def check_data(jobs: Iterable[Job]) -> None:
    """Refuses to begin if a problem set is not here: an hour later is too late to hear of it."""
    for job in jobs:
        if isinstance(job, Training):
            if "train" in (job.problems or "train").split("+"):
                set_files(get_theory(job.theory), "train")
        elif job.problems != HELD_OUT and not job.problems.startswith(UNIT_EQUALITIES):
            set_files(get_theory(job.theory), job.problems)
