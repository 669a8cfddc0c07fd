"""Commands about learning: train, runs, plot."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from threesil.cli.app import bar, err, out
from threesil.errors import InputError, MissingTool
from threesil.theories import benchmark_of, get_theory
from threesil.theory import Goal


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
        Path | None, typer.Option(help="Go on with the run in this directory.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Overrule a key: --set ME=50 --set k=2.")
    ] = None,
) -> None:
    """Train a network on a theory; the run is a directory that can be resumed.

    Ctrl-C stops after the current batch. What the last finished epoch left is never lost.

      threesil train robinson --method 3sil --config paper --seed 1 --out runs/r1

      threesil train --resume runs/r1
    """
    try:
        from threesil.learn.config import load_config
        from threesil.learn.run import SAMPLED, Plan, Run
    except ImportError as error:
        raise _need("train", error) from None
    if resume is not None:
        others = (theory, method, config, problems, seed, out_dir, set_)
        if any(other is not None for other in others):
            raise InputError("--resume takes all else from the run; give it alone")
        run = Run.resume(resume)
    else:
        if theory is None:
            raise InputError("which theory? for example: threesil train robinson --out runs/r1")
        chosen = get_theory(theory)
        if problems is None:
            problems = "train" if "train" in benchmark_of(chosen).sets else SAMPLED
        config = config or "best"
        settings = load_config(config, chosen, _changes(set_ or []))
        searching = chosen.goal is Goal.EQUATION and config == "best"
        plan = Plan(theory, method or ("expert" if searching else "3sil"), seed or 0, problems)
        directory = out_dir or Path("runs") / f"{chosen.name}-{plan.method}-{plan.seed}"
        run = Run.create(directory, plan, settings)
    for warning in run.warnings:
        err.print(f"threesil: {warning}", style="yellow", markup=False)
    _train(run)


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


def _train(run: Any) -> None:
    stopping = False

    def stop(_signal: int, _frame: object) -> None:
        nonlocal stopping
        stopping = True
        err.print("stopping after this batch; once more to stop at once")
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, stop)
    with bar() as progress_bar:
        task = progress_bar.add_task("training", total=run.config.ME, completed=run.epoch)

        def progress(metrics: dict[str, Any]) -> None:
            rate = metrics["steps"] / max(metrics["seconds"], 1e-9)
            progress_bar.update(
                task,
                completed=metrics["epoch"] + 1,
                description=f"level {metrics['level']}/{run.curriculum.levels}  "
                f"solved {metrics['solved']}  success {metrics['success']:.3f}  "
                f"{rate:,.0f} steps/s",
            )

        try:
            finished = run.train(progress, lambda: stopping)
        finally:
            signal.signal(signal.SIGINT, before)
    if not finished:
        print(
            f"stopped after epoch {run.epoch}; go on with: threesil train --resume {run.directory}"
        )
        raise typer.Exit(1)
    print(
        f"{run.directory}: {run.epoch} epochs, level {run.curriculum.level} of "
        f"{run.curriculum.levels}, {run.method.solved} of {len(run.problems)} problems solved"
    )


def runs(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Runs, or directories of runs; default: runs.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List training runs: what they train, how far they are, how well they do."""
    from threesil.learn.records import find_runs, read_facts, read_metrics

    table = Table(
        "run", "theory", "method", "seed", "epochs", "level", "solved", "success", box=None
    )
    found = list(find_runs(paths or [Path("runs")]))
    if paths and not found:
        raise InputError(f"no training run in {', '.join(map(str, paths))}")
    for path in found:
        facts, metrics = read_facts(path), read_metrics(path)
        last: dict[str, Any] = metrics[-1] if metrics else {}
        row = {
            "run": str(path),
            **{key: facts[key] for key in ("theory", "method", "seed")},
            "epochs": len(metrics),
            **{key: last.get(key) for key in ("level", "solved", "success")},
        }
        if as_json:
            print(json.dumps(row))
        table.add_row(*("-" if value is None else str(value) for value in row.values()))
    if not as_json:
        out.print(table)


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
    for command in (train, runs, plot):
        app.command()(command)
