"""Commands about learning: train, evaluate, runs, plot."""

from __future__ import annotations

import json
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from threesil.cli.app import bar, err, out
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.problems import ProblemSet, open_set
from threesil.search.evaluation import Setting, evaluate_equations, shares
from threesil.search.prover import MODES
from threesil.theories import benchmark_of, get_theory
from threesil.theory import Goal, Theory

_TREE_EXPANSIONS = 20_000
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _need(extra: str, error: ImportError) -> MissingTool:
    return MissingTool(f"{error.name} is not installed; try: pip install 'threesil[{extra}]'")


def train(
    theory: Annotated[
        str | None, typer.Argument(help="A theory's name, or the path of a theory file.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="3sil, bc, a2c, ppo, acer or sil-paac; expert: proofs that search finds, for "
            "theories that prove equations. Default: expert for these with config best, else 3sil."
        ),
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="best (default), paper, or the path of a TOML file.")
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(
            help="A problem set or file; default: the theory's set `train` where it has one, "
            "else `sampled`, random problems."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Decides everything random; default 0.")
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="The directory of the run; made if needed.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Go on with the run in this directory, for more epochs with --set ME."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Overrule a key: --set ME=50 --set k=2.")
    ] = None,
) -> None:
    """Train a network on a theory; the run is a directory that can be moved and resumed.

    Ctrl-C stops at once. What the last finished epoch left is never lost.

      threesil train robinson --method 3sil --config paper --seed 1 --out runs/r1

      threesil train --resume runs/r1

      threesil train --resume runs/r1 --set ME=500      more epochs
    """
    try:
        from threesil.workflows import train as workflow
    except ImportError as error:
        raise _need("train", error) from None
    changes = _changes(set_ or [])
    watching = _Watching()
    with watching.shown():
        if resume is not None:
            if any(
                given is not None for given in (theory, method, config, problems, seed, out_dir)
            ):
                raise InputError("--resume takes all else from the run; give it alone, or with ME")
            done = workflow.resume(resume, changes=changes, **watching.calls)
        elif theory is None:
            raise InputError("which theory? for example: threesil train robinson --out runs/r1")
        else:
            done = workflow.train(
                theory,
                method=method,
                config=config or "best",
                problems=problems,
                seed=seed or 0,
                out=out_dir,
                changes=changes,
                **watching.calls,
            )
    if not done.finished:
        then = f"go on with: threesil train --resume {done.directory}"
        print(f"stopped after epoch {done.epochs}; {then}")
        raise typer.Exit(128 + watching.signal)
    print(
        f"{done.directory}: {done.epochs} epochs, level {done.level} of {done.levels}, "
        f"{done.solved} of {done.problems} problems solved"
    )


def _changes(pairs: list[str]) -> dict[str, Any]:
    """`key=value` texts as values, read as TOML does."""
    import tomllib

    changes: dict[str, Any] = {}
    for pair in pairs:
        try:
            changes |= tomllib.loads(pair)
        except tomllib.TOMLDecodeError:
            raise InputError(f"--set {pair}: expected key=value, a number, true or false") from None
    return changes


class _Watching:
    """A training as people see it: a bar on a terminal, else a line an epoch; signals stop it."""

    def __init__(self) -> None:
        self.signal = 0  # that stopped it
        self._stop = Stop()
        self._bar = bar()
        self._task = self._bar.add_task("training", total=None, visible=False)
        self._run: Any = None
        self.calls: dict[str, Any] = {
            "begin": self._begin,
            "progress": self._progress,
            "stop": self._stop,
        }

    @contextmanager
    def shown(self) -> Iterator[None]:
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        try:
            with self._bar:
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _begin(self, run: Any) -> None:
        self._run = run
        for number in _SIGNALS:
            signal.signal(number, self._end)
        for warning in run.warnings:
            err.print(f"threesil: {warning}", style="yellow", markup=False)
        total, completed = run.config.ME, run.epoch
        self._bar.update(self._task, total=total, completed=completed, visible=True)

    def _end(self, number: int, _frame: object) -> None:
        self.signal = number
        self._stop.set()

    def _progress(self, metrics: dict[str, Any]) -> None:
        done, epochs = metrics["epoch"] + 1, self._run.config.ME
        rate = metrics["steps"] / max(metrics["seconds"], 1e-9)
        text = (
            f"level {metrics['level']}/{self._run.curriculum.levels}  "
            f"solved {metrics['solved']}  success {metrics['success']:.3f}  {rate:,.0f} steps/s"
        )
        self._bar.update(self._task, completed=done, description=text)
        if not err.is_terminal:
            err.print(f"epoch {done}/{epochs}  {text}", markup=False)


def evaluate(
    problems: Annotated[
        str,
        typer.Argument(
            metavar="SET|FILE",
            help="A problem set or file. `threesil problems list` names the sets, such as "
            "aim-lemmas; without the theory's name in front, or for a file, add --theory.",
        ),
    ],
    theory: Annotated[
        str | None,
        typer.Option(help="A theory's name, or the path of a theory file; default: the set's."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="A run's directory or a model file; default: the bundled one."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="greedy; sample: sampled episodes; search: greedy, sampled, then tree search. "
            f"For equations, as for threesil prove: {', '.join(MODES)}; default: best."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time for each equation.")] = 60.0,
    attempts: Annotated[
        int, typer.Option(min=1, help="Sampled episodes, until one solves a problem.")
    ] = 32,
    expansions: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Expansions of a search; default: 20000, for equations what the time allows.",
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Step limit; default: that of the stratum.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Decides everything random.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Threads.")] = 1,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write a JSON line for each problem.")
    ] = None,
    proofs: Annotated[
        Path | None, typer.Option(help="Write the proofs of equations to this directory.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Count the problems that a model or a search solves. Every solution is certified.

    threesil evaluate test --theory robinson --out results.jsonl

    threesil evaluate my-terms.txt --theory robinson --mode sample --attempts 100

    threesil evaluate aim-lemmas --seconds 2

    threesil evaluate my-equations.tsv --theory aim --seconds 2 --workers 2 --out results.jsonl
    """
    from threesil.nets.find import find_model
    from threesil.search.attempts import Plan, attempt

    given = open_set(problems, get_theory(theory) if theory else None)
    chosen = given.theory
    equations = chosen.goal is Goal.EQUATION
    mode = mode or ("best" if equations else "greedy")
    modes = MODES if equations else ("greedy", "sample", "search")
    if mode not in modes:
        raise InputError(f"unknown mode {mode!r}; expected {', '.join(modes)}")
    if equations:
        setting = Setting(mode, seconds, expansions, workers, model, seed)
        _evaluate_equations(given, setting, out_file, proofs, as_json)
        return
    plan = Plan(
        greedy=mode != "sample",
        samples=0 if mode == "greedy" else attempts,
        expansions=(expansions or _TREE_EXPANSIONS) if mode == "search" else 0,
        steps=steps,
        seed=seed,
        threads=workers,
    )
    listed = given.problems
    network = find_model(model, chosen).network()
    begin = time.perf_counter()
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    try:
        file = out_file.open("w") if out_file else None
    except OSError as error:
        raise InputError(f"can't write {out_file}: {error.strerror}") from None
    try:
        with bar() as progress_bar:
            task = progress_bar.add_task(f"{mode}, {chosen.name}", total=len(listed))
            for result in attempt(chosen, listed, network, plan):
                row = {**asdict(result), "status": "solved" if result.solved else "unsolved"}
                del row["solved"]
                rows[result.stratum].append(row)
                if file is not None:
                    file.write(json.dumps(row) + "\n")
                progress_bar.advance(task)
    finally:
        if file is not None:
            file.close()
    _summary(rows, chosen, time.perf_counter() - begin, as_json)


def _evaluate_equations(
    given: ProblemSet,
    setting: Setting,
    out_file: Path | None,
    proofs: Path | None,
    as_json: bool,
) -> None:
    rows = []
    try:
        with bar(printing=given.are_lemmas) as progress_bar:
            name, total = f"{setting.mode}, {given.theory.name}", len(given.problems)
            task = progress_bar.add_task(name, total=total)
            theory = given.theory_of if given.are_lemmas else given.theory
            for row in evaluate_equations(theory, given.problems, setting, out_file, proofs):
                rows.append(row)
                if given.are_lemmas and not as_json:
                    _show_row(row)
                progress_bar.advance(task)
    except OSError as error:
        raise InputError(f"can't write {error.filename}: {error.strerror}") from None
    proved = sorted(row["rewrites"] for row in rows if row["status"] == "Theorem")
    within = shares(rows)
    if as_json:
        figures = {"problems": len(rows), "proved": len(proved), "within": within}
        print(json.dumps({"theory": given.theory.name, "mode": setting.mode, **figures}))
        return
    table = Table("CPU time", *(f"{t:g} s" for t in within), box=None)
    table.add_row("proved", *(f"{share:.3f}" for share in within.values()))
    out.print(table)
    median = proved[len(proved) // 2] if proved else "-"
    out.print(f"{len(proved)} of {len(rows)} proved, median length {median} rewrites")


def _show_row(row: dict[str, Any]) -> None:
    """The result of one problem as a line."""
    length = "-" if row["rewrites"] is None else f"{row['rewrites']} rewrites"
    cells = f"{row['name']:24} {row['status']:12} {row['cpu_seconds']:8.3f} s  {length}"
    print(cells, flush=True)


def _summary(
    rows: dict[str, list[dict[str, Any]]], theory: Theory, seconds: float, as_json: bool
) -> None:
    order = list(benchmark_of(theory).steps)
    names = sorted(rows, key=lambda name: (order.index(name) if name in order else -1, name))
    table = Table("stratum", "problems", "solved", "share", "median steps", box=None)
    figures: list[dict[str, Any]] = []
    everything = [row for name in names for row in rows[name]]
    for name, part in (*((name, rows[name]) for name in names), ("all", everything)):
        if name == "all" and len(names) == 1 and names[0] == "all" and figures:
            break
        steps = sorted(row["steps"] for row in part if row["status"] == "solved")
        median = steps[len(steps) // 2] if steps else None
        share = len(steps) / len(part)
        figures.append(
            {
                "stratum": name,
                "problems": len(part),
                "solved": len(steps),
                "share": round(share, 4),
                "median_steps": median,
            }
        )
        table.add_row(name, str(len(part)), str(len(steps)), f"{share:.3f}", str(median or "-"))
    if as_json:
        print(json.dumps({"theory": theory.name, "seconds": round(seconds, 2), "strata": figures}))
    else:
        out.print(table)
        out.print(f"{seconds:.1f} s")


def runs(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Runs, or directories of runs; default: runs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List training runs: what they train, how far they are, how well they do."""
    from threesil.learn.records import find_runs, read_facts, read_metrics

    columns = ("run", "theory", "method", "seed", "epochs", "level", "solved", "success")
    table = Table(*columns, box=None)
    found = list(find_runs(paths or [Path("runs")]))
    if paths and not found:
        raise InputError(f"no training run in {', '.join(map(str, paths))}")
    damaged = []
    for path in found:
        try:
            facts, metrics = read_facts(path), read_metrics(path)
        except InputError as error:
            damaged.append(str(error))
            continue
        last: dict[str, Any] = metrics[-1] if metrics else {"epoch": -1}
        row = {
            "run": str(path),
            **{key: facts[key] for key in ("theory", "method", "seed")},
            "epochs": last["epoch"] + 1,
            **{key: last.get(key) for key in ("level", "solved", "success")},
        }
        if as_json:
            print(json.dumps(row))
        table.add_row(*("-" if value is None else _plain(str(value)) for value in row.values()))
    if not as_json and table.row_count:
        out.print(table)
    if damaged:
        raise InputError("\n".join(damaged))


def _plain(text: str) -> Text:
    """A text as it is: no markup, nothing that a terminal obeys."""
    return Text("".join(c if c.isprintable() else "?" for c in text))


def plot(
    paths: Annotated[list[Path], typer.Argument(help="Runs, or directories of runs.")],
    out_file: Annotated[
        Path, typer.Option("--out", help="The picture: .png, .svg or .pdf.")
    ] = Path("runs.png"),
) -> None:
    """Draw curriculum levels and solved problems against epochs.

    Runs of the same theory, method and k make one line: their mean, with the range shaded.
    """
    from threesil.learn.records import find_runs

    try:
        from threesil.learn.plots import plot_runs
    except ImportError as error:
        raise _need("plots", error) from None
    found = list(find_runs(paths))
    if not found:
        raise InputError(f"no training run in {', '.join(map(str, paths))}")
    plot_runs(found, out_file)
    print(out_file)


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (train, evaluate, runs, plot):
        app.command()(command)
