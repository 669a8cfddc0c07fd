"""Commands about learning: train, runs, plot."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from threesil.cli.app import ON, bar, check_out, counted, err, out
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.kernel.theory import Goal
from threesil.theories import get_theory
from threesil.work.machine import ENDINGS

if TYPE_CHECKING:
    from threesil.learn.watching import Begun, Trained
    from threesil.runs.run import Run

_SHOWN = ("level", "solved", "success", "proved", "length", "expansions", "loss")


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
            "theories that prove equations; selection: which critical pairs completion takes, for "
            "all theories at once. Default: expert where equations are proved, with config ours, "
            "else 3sil."
        ),
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="ours (default), paper, or the path of a TOML file.")
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(
            help="Problem sets and files, joined by +; `generated`: theorems of growing "
            "difficulty, made from the equations alone; `sampled`: short random walks. Default: "
            "the theory's set `train` where it has one, the goals of a file with 50 of them or "
            "more, else `generated` (`sampled` for methods that play)."
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            help="Begin with these weights of the theory: a run, a file, or `best`, the bundled "
            "ones."
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=1e6,
            help="How long the whole training takes, about; with --resume, how "
            "much longer. Default: by config.",
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
        typer.Option(
            help="Resume the run in this directory, for longer with --minutes or --set ME."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Overrule a key: --set ME=50 --set k=2.")
    ] = None,
    on: Annotated[str | None, ON] = None,
) -> None:
    """Train on a theory, from its equations alone; the run is a directory that can be moved.

    Theorems are made, lemmas derived, a policy is trained, and the choice of critical pairs tuned;
    `prove --weights` uses all of it. Ctrl-C stops at once; theorems that were made and finished
    epochs are never lost.

      threesil train groups.p --minutes 10

      threesil train robinson --method 3sil --config paper --seed 1 --out runs/r1

      threesil train --resume runs/r1

      threesil train --resume runs/r1 --minutes 10      ten minutes more

      threesil train --resume runs/r1 --set ME=500      more epochs

      threesil train --method selection --problems @problems.list --out runs/s1
    """
    try:
        from threesil.learn import train as workflow
    except ImportError as error:
        raise _need("train", error) from None
    changes = _changes(set_ or [])
    watching = _Watching()
    with watching.shown():
        if resume is not None:
            if any(
                given is not None
                for given in (theory, method, config, problems, start, seed, out_dir)
            ):
                raise InputError(
                    "--resume takes all else from the run; give it alone, or with --minutes N or "
                    "--set ME=N to make it longer"
                )
            done = workflow.resume(
                resume, minutes=minutes, changes=changes, on=on, **watching.calls
            )
        elif theory is None and method is None:
            raise InputError("which theory? for example: threesil train groups --minutes 10")
        else:
            done = workflow.train(
                theory,
                method=method,
                config=config or "ours",
                problems=problems,
                seed=seed or 0,
                start=start,
                minutes=minutes,
                out=out_dir,
                changes=changes,
                on=on,
                **watching.calls,
            )
    if not done.finished:
        then = f"resume it with: threesil train --resume {shlex.quote(str(done.directory))}"
        when = f"after epoch {done.epochs}" if done.problems else "while problems were made"
        print(f"stopped {when}; {then}")
        raise typer.Exit(128 + watching.signal)
    print(
        f"{done.directory}: {done.epochs} epochs, level {done.level} of {done.levels}, "
        f"{done.solved} of {done.problems} problems solved"
    )
    if not done.solved and done.method != "selection":
        print("no problem was solved, so there was nothing to learn from")
    elif not done.helps:
        print(
            "in a short time, what was learned proves no more of the theorems it was tried on than "
            "is proved without it: best does not use it, --solver guided and saturate do"
        )
    if done.shares:
        _show_shares(done)
    print(f"use it: {_use(done, theory or done.theory)}")


def _use(done: Trained, theory: str) -> str:
    """The command that proves with what was trained."""
    weights = f"--weights {shlex.quote(str(done.directory))}"
    if done.method == "selection":
        return f"threesil prove FILE --solver select {weights}"
    what = "EQUATION" if get_theory(theory).goal is Goal.EQUATION else "TERM"
    return f"threesil prove {what} --theory {shlex.quote(theory)} {weights}"


def _show_shares(done: Trained) -> None:
    """Before and after on the problems that were held out."""
    episode = done.shares[0].seconds is None
    what, how = ("problem", "one greedy episode") if episode else ("theorem", "best")
    some = counted(done.shares[0].problems, what)
    title = f"held out: {some} that training has not seen, {how}"
    table = Table("CPU time", "before", "after", "only before", "only after", "p", box=None)
    for row in done.shares:
        first, second = (f"{n / row.problems:.3f}" for n in (row.before, row.after))
        only = str(row.only_before), str(row.only_after)
        limit = "any" if row.seconds is None else f"{row.seconds:g} s"
        table.add_row(limit, first, second, *only, f"{row.p:.2g}")
    print(title)
    out.print(table)


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
        self._part = ""  # of the training
        self._epochs: int | None = None  # in all, where their number is known
        self._levels = 1  # of the curriculum
        self.calls: dict[str, Any] = {
            "begin": self._begin,
            "progress": self._progress,
            "listen": self._listen,
            "say": self._say,
            "stop": self._stop,
        }

    @contextmanager
    def shown(self) -> Iterator[None]:
        before = {number: signal.getsignal(number) for number in ENDINGS}
        for number in ENDINGS:
            signal.signal(number, self._end)
        try:
            with self._bar:
                yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _begin(self, begun: Begun) -> None:
        self._epochs, self._levels = begun.epochs, begun.levels
        self._turn_to("training", begun.epochs)
        self._bar.update(self._task, completed=begun.epoch)

    def _turn_to(self, part: str, total: int | None) -> None:
        """A part of the training has a bar of its own: an end, once known, is never forgotten."""
        if part != self._part:
            self._bar.remove_task(self._task)
            self._task, self._part = self._bar.add_task(part, total=total), part

    def _listen(self, what: str, done: int, total: int) -> None:
        """What comes before and after the epochs."""
        self._turn_to(what, total)
        self._bar.update(self._task, completed=done, total=total)

    def _say(self, words: str) -> None:
        err.print(f"threesil: {words}", markup=False, highlight=False)

    def _end(self, number: int, _frame: object) -> None:
        self.signal = number
        self._stop.set()

    def _progress(self, metrics: dict[str, Any]) -> None:
        done, epochs = metrics["epoch"] + 1, self._epochs
        self._turn_to("training", epochs)
        text = (
            f"level {metrics['level']}/{self._levels}  "
            f"solved {metrics['solved']}  success {metrics['success']:.3f}"
        )
        if "proved" in metrics:
            text += f"  proved {metrics['proved']:.3f}  {metrics['expansions']:,.0f} expansions"
        else:
            rate = metrics["steps"] / max(metrics["seconds"], 1e-9)
            text += f"  {rate:,.0f} steps/s"
        if metrics.get("loss") is not None:
            text += f"  loss {metrics['loss']:.3f}"
        self._bar.update(self._task, completed=done, total=epochs, description=text)
        if not err.is_terminal:
            count = f"{done}/{epochs}" if epochs else f"{done}"
            err.print(f"epoch {count}  {text}", markup=False)


def runs(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Runs, or directories of runs; default: runs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List training runs: what they train, how far they are, how well they do.

    threesil runs

    threesil runs runs/r1 runs/r2 --json
    """
    from threesil.runs.run import find_runs

    found = list(find_runs(paths or [Path("runs")]))
    if paths and not found:
        raise InputError(f"no training run in {', '.join(map(str, paths))}")
    good, damaged = _readable(found)
    rows = list[dict[str, Any]]()
    for run in good:
        facts, metrics = run.facts, run.metrics()
        last: dict[str, Any] = metrics[-1] if metrics else {"epoch": -1}
        row = {
            "run": str(run.directory),
            **{"theory": facts.theory, "method": facts.method, "seed": facts.seed},
            "epochs": last["epoch"] + 1,
            **{key: last.get(key) for key in _SHOWN},
        }
        rows.append(row)
        if as_json:
            print(json.dumps(row))
    if not as_json and rows:
        _show_runs(rows)
    if not found:
        err.print("threesil: no training run in runs; begin one, or name their directory")
    if damaged:
        raise InputError("\n".join(damaged))


def _readable(runs: list[Run]) -> tuple[list[Run], list[str]]:
    """The runs that can be read, and what is wrong with the others."""
    good, damaged = list["Run"](), list[str]()
    for run in runs:
        try:
            _ = run.facts, run.metrics()
            good.append(run)
        except InputError as error:
            damaged.append(str(error))
    return good, damaged


def _show_runs(rows: list[dict[str, Any]]) -> None:
    """Columns as wide as they need, however narrow the terminal; none that is empty."""
    columns = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    lines = [columns, *([_cell(row[key]) for key in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())


def _cell(value: object) -> str:
    """A value as it is: no markup, nothing that a terminal obeys."""
    if value is None:
        return "-"
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return "".join(c if c.isprintable() else "?" for c in text)


def plot(
    paths: Annotated[list[Path], typer.Argument(help="Runs, or directories of runs.")],
    out_file: Annotated[
        Path, typer.Option("--out", help="The picture: .png, .svg or .pdf.")
    ] = Path("runs.png"),
) -> None:
    """Draw what moves against epochs: success, proved, solved, lengths, expansions, loss, level.

    Each run has a colour of its own; the legend says what sets it apart from the others.

    threesil plot runs --out runs.png
    """
    from threesil.runs.run import find_runs

    try:
        from threesil.learn.plots import plot_runs
    except ImportError as error:
        raise _need("plots", error) from None
    check_out(out_file)
    found = list(find_runs(paths))
    if not found:
        raise InputError(f"no training run in {', '.join(map(str, paths))}")
    good, damaged = _readable(found)
    if good:
        plot_runs(good, out_file)
        print(out_file)
    if damaged:
        raise InputError("\n".join(damaged))


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    for command in (train, runs, plot):
        app.command()(command)
