"""train, runs and plot as a person uses them: output, messages, exit codes."""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nets.walks import SMALL, lively_parameters
from run_samples import describe
from samples import AIM, ROBINSON, easy_problems
from threesil.cli.learning import _show_shares, _Watching, train
from threesil.learn.watching import Begun, Trained
from threesil.nets.policy import Policy
from threesil.notations.infix import format_prefix, format_term
from threesil.runs.findings import Shares
from threesil.runs.run import Run
from workers import Command, Done

TINY = ["ME=3", "m=60", "f=40", "NB=5", "evaluations=20", "width=16", "threads=1", "level_size=5"]
SETTINGS = ["--config=paper", *(f"--set={setting}" for setting in TINY)]
COMMANDS = ("train", "runs", "plot")


def run(cwd: Path, *arguments: str | Path) -> Done:
    """What the command says, in a process that was forked."""
    return Command(cwd, *arguments).wait()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the same terms in three formats, weights of each of two theories, a run."""
    directory = tmp_path_factory.mktemp("place")
    terms = [problem.start for problem in easy_problems(ROBINSON)]
    infix = "".join(format_term(t, ROBINSON.signature) + "\n" for t in terms)
    prefix = "".join(format_prefix(t) + "\n" for t in terms)
    (directory / "infix.txt").write_text("# sums and products\n\n" + infix)
    (directory / "prefix.txt").write_text(prefix)
    (directory / "infix.gz").write_bytes(gzip.compress(infix.encode()))
    for theory in (ROBINSON, AIM):
        model = Policy(theory, SMALL, lively_parameters(theory, SMALL))
        model.save(directory / f"{theory.name}.safetensors")
    (directory / "empty").mkdir()
    done = run(directory, "train", "robinson", "--problems", "infix.txt", "--out", "run", *SETTINGS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("run: 3 epochs, level ")
    summary, use = done.stdout.splitlines()
    assert summary.endswith(" of 9 problems solved")
    assert use == "use it: threesil prove TERM --theory robinson --weights run"
    return directory


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command: str, tmp_path: Path) -> None:
    done = run(tmp_path, command, "--help")
    assert done.returncode == 0
    assert "Usage: " in done.stdout
    assert "--help" in done.stdout
    words = {
        "train": ("--method", "--config", "--seed", "--out", "--resume", "--set", "Ctrl-C"),
        "runs": ("--json",),
        "plot": ("--out", ".png"),
    }
    for word in words[command]:
        assert word in done.stdout


# train


def test_a_line_an_epoch_is_printed_where_there_is_no_terminal(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "run", tmp_path / "run")
    done = run(tmp_path, "train", "--resume", "run", "--set", "ME=5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("run: 5 epochs, level ")
    lines = done.stderr.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["epoch 4/5", "epoch 5/5"]
    for part in ("level ", "solved ", "success ", "steps/s"):
        assert part in lines[0]


def test_a_run_is_trained(place: Path) -> None:
    assert len(Run(place / "run").metrics()) == 3
    for name in ("run.json", "config.toml", "history.jsonl", "model.safetensors"):
        assert (place / "run" / name).is_file()
    assert "level_size = 5\n" in (place / "run" / "config.toml").read_text()


@pytest.mark.parametrize("file", ["prefix.txt", "infix.gz"])
def test_the_format_of_the_problems_does_not_matter(place: Path, tmp_path: Path, file: str) -> None:
    done = run(tmp_path, "train", "robinson", "--problems", place / file, "--out", "run", *SETTINGS)
    assert done.returncode == 0, done.stderr
    mine, other = (
        Policy.load(d / "run" / "model.safetensors", ROBINSON).parameters for d in (place, tmp_path)
    )
    assert mine.tobytes() == other.tobytes()


def test_a_directory_of_its_own_is_the_default(place: Path, tmp_path: Path) -> None:
    arguments = ("--problems", place / "infix.txt", "--seed", "7", *SETTINGS)
    assert run(tmp_path, "train", "robinson", *arguments).returncode == 0
    assert (tmp_path / "runs" / "robinson-3sil-7" / "model.safetensors").is_file()
    done = run(tmp_path, "runs")
    assert "runs/robinson-3sil-7" in done.stdout


def test_a_theory_of_ones_own_is_trained_and_evaluated(tmp_path: Path) -> None:
    (tmp_path / "units.thy").write_text(
        "Theory units: Units.\nConstants e.\nAxiom left: e * x = x.\nAxiom right: x * e = x.\n"
        "Theorem p1: e * (x * e) = x.\nTheorem p2: (e * e) * x = x.\n"
    )
    done = run(tmp_path, "train", "units.thy", "--problems", "units.thy", "--out", "run", *SETTINGS)
    assert done.returncode == 0, done.stderr
    evaluate = ("evaluate", "units.thy", "--theory", "units.thy", "--weights", "run", "--json")
    figures = json.loads(run(tmp_path, *evaluate).stdout)
    assert (figures["solver"], figures["problems"], figures["proved"]) == ("best", 2, 2)
    again = run(tmp_path, "train", "--resume", "run")
    assert again.stdout.startswith("run: 3 epochs")


def test_a_configuration_file_is_taken(place: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("\n".join([*TINY, "size = 32"]).replace("=", " = "))
    arguments = ["--problems", place / "infix.txt", "--out", "run", "--config", "mine.toml"]
    done = run(tmp_path, "train", "robinson", *arguments, "--set", "ME=1", "--set", "prune=true")
    assert done.returncode == 0, done.stderr
    assert len(Run(tmp_path / "run").metrics()) == 1
    config = (tmp_path / "run" / "config.toml").read_text()
    assert "size = 32\n" in config
    assert "prune = true\n" in config


def test_a_damaged_checkpoint_is_reported(place: Path, tmp_path: Path) -> None:
    arguments = ["--problems", place / "infix.txt", "--out", "run", *SETTINGS]
    assert run(tmp_path, "train", "robinson", *arguments).returncode == 0
    newest = tmp_path / "run" / "checkpoints" / "epoch-000003.safetensors"
    newest.write_bytes(newest.read_bytes()[:1000])
    done = run(tmp_path, "train", "--resume", "run")
    assert done.returncode == 0
    assert "epoch-000003.safetensors: a damaged checkpoint" in done.stderr
    assert "the one before it is used" in done.stderr
    assert done.stdout.startswith("run: 3 epochs")


@pytest.mark.parametrize(
    ("seconds", "title", "limit"),
    [
        (None, "held out: 8 problems that training has not seen, one greedy episode", "any"),
        (0.01, "held out: 8 theorems that training has not seen, best", "0.01 s"),
    ],
)
def test_before_and_after_are_shown(
    seconds: float | None, title: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shares = (Shares(seconds, 8, 2, 6, 0, 4, 0.125),)
    _show_shares(Trained(Path("run"), True, 1, 1, 1, 8, 8, shares))
    shown, header, row = capsys.readouterr().out.splitlines()
    assert shown == title and header.split()[:3] == ["CPU", "time", "before"]
    assert row.split() == [*limit.split(), "0.250", "0.750", "0", "4", "0.12"]


def test_one_theorem_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    _show_shares(Trained(Path("run"), True, 1, 1, 1, 8, 8, (Shares(0.01, 1, 0, 1, 0, 1, 1.0),)))
    assert capsys.readouterr().out.startswith("held out: 1 theorem that training has not seen")


def test_epochs_have_no_end_where_time_decides() -> None:
    """What came before them had one, which the bar must forget."""
    watching = _Watching()
    watching._listen("making theorems", 7, 30)
    (task,) = watching._bar.tasks
    assert (task.description, task.completed, task.total) == ("making theorems", 7, 30)
    watching._begin(Begun(Path("run"), epoch=2, epochs=None, levels=1))
    (task,) = watching._bar.tasks
    assert (task.description, task.completed, task.total) == ("training", 2, None)


@pytest.mark.parametrize(
    ("solved", "helps", "message"),
    [
        (0, False, "no problem was solved, so there was nothing to learn from"),
        (3, False, "proves no more of the theorems it was tried on"),
        (3, True, ""),
    ],
)
def test_it_is_said_whether_anything_was_learned(
    solved: int,
    helps: bool,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = Trained(Path("run"), True, 1, 1, 1, solved, 3, helps=helps, method="expert")
    monkeypatch.setattr("threesil.learn.train.train", lambda *_, **__: done)
    train("aim")
    _, *between, use = capsys.readouterr().out.splitlines()
    assert use.startswith("use it: ") and len(between) == bool(message)
    assert message in "".join(between)


# runs and plot


def test_it_is_said_that_there_are_no_runs(tmp_path: Path) -> None:
    done = run(tmp_path, "runs")
    assert done.returncode == 0 and not done.stdout
    assert "no training run in runs" in done.stderr


def test_runs_are_listed(place: Path) -> None:
    done = run(place, "runs", ".")
    assert done.returncode == 0
    header, row = done.stdout.splitlines()
    assert header.split() == [
        *("run", "theory", "method", "seed", "epochs", "level", "solved", "success"),
        *("length", "loss"),
    ]
    assert row.split()[:5] == ["run", "robinson", "3sil", "0", "3"]
    (figures,) = (
        json.loads(s) for s in run(place, "runs", "run", "--json").stdout.split("\n")[:-1]
    )
    last = Run(place / "run").metrics()[-1]
    assert figures == {
        "run": "run",
        "theory": "robinson",
        "method": "3sil",
        "seed": 0,
        "epochs": 3,
        **{key: last[key] for key in ("level", "solved", "success", "length", "loss")},
        **{"proved": None, "expansions": None},
    }


def test_runs_are_drawn(place: Path, tmp_path: Path) -> None:
    done = run(place, "plot", "run", "--out", tmp_path / "picture.png")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


HOSTILE = "[red]x[/red]\x1b[31m"


def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    describe(tmp_path / "run", theory=HOSTILE, method=HOSTILE)
    done = run(tmp_path, "runs", "run")
    assert done.returncode == 0, done.stderr
    assert "[red]x[/red]?[31m" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["run.json", "metrics.jsonl"])
def test_one_damaged_run_does_not_hide_the_others(place: Path, tmp_path: Path, name: str) -> None:
    for directory in ("good", "bad"):
        shutil.copytree(place / "run", tmp_path / directory)
    (tmp_path / "bad" / name).write_text("{\n")
    done = run(tmp_path, "runs", ".")
    assert done.returncode == 2
    assert "good" in done.stdout
    assert f"bad/{name}" in done.stderr
    assert "Traceback" not in done.stderr
    done = run(tmp_path, "plot", "bad", "--out", "picture.png")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    done = run(tmp_path, "plot", ".", "--out", "picture.png")
    assert (done.returncode, done.stdout) == (2, "picture.png\n")
    assert f"bad/{name}" in done.stderr and (tmp_path / "picture.png").stat().st_size > 1000
    done = run(tmp_path, "train", "--resume", "bad")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# Without what is optional


def without(cwd: Path, module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command where a module is not installed."""
    code = f"import sys; sys.modules[{module!r}] = None; from threesil.cli import main; "
    code += "sys.exit(main())"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_missing_tool_is_exit_code_3(place: Path) -> None:
    done = without(place, "torch", *TRAIN)
    assert done.returncode == 3
    assert "torch is not installed; try: pip install 'threesil[train]'" in done.stderr
    done = without(place, "matplotlib", "plot", "run", "--out", "new.png")
    assert done.returncode == 3
    assert "matplotlib is not installed; try: pip install 'threesil[plots]'" in done.stderr


@pytest.mark.parametrize("command", ["runs", "plot"])
def test_runs_are_looked_at_without_pytorch(place: Path, command: str, tmp_path: Path) -> None:
    options = ["--out", tmp_path / "picture.png"] if command == "plot" else []
    done = without(place, "torch", command, "run", *options)
    assert done.returncode == 0, done.stderr


# Bad input


def name_of(arguments: object) -> str:
    """The arguments as a test's name; what is expected of them as nothing."""
    if not isinstance(arguments, list) or arguments[0] not in COMMANDS:
        return ""
    return " ".join(a for a in arguments if a not in SETTINGS)


TRAIN = ["train", "robinson", "--problems", "infix.txt", "--out", "new", *SETTINGS]


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["train"], ["which theory?", "threesil train groups --minutes 10"]),
        (["train", "nothing"], ["unknown theory 'nothing'", "robinson, polynomial, aim"]),
        ([*TRAIN, "--method", "magic"], ["unknown method 'magic'", "expected one of 3sil"]),
        ([*TRAIN, "--set", "kk=1"], ["unknown key kk", "method 3sil has the keys size, hidden,"]),
        ([*TRAIN, "--set", "k"], ["--set k: expected key=value"]),
        ([*TRAIN, "--set", "k=two"], ["--set k=two: expected key=value"]),
        ([*TRAIN, "--set", "k=0"], ["k = 0: expected 1 to 1000"]),
        ([*TRAIN, "--set", "k=1.5"], ["k = 1.5: expected an integer"]),
        ([*TRAIN, "--config", "worst"], ["worst", "expected paper, ours or a file"]),
        ([*TRAIN, "--config", "infix.txt"], ["infix.txt: not TOML"]),
        ([*TRAIN, "--seed", "-1"], ["--seed"]),
        ([*TRAIN, "--seed", "one"], ["--seed"]),
        ([*TRAIN, "--out", "run"], ["run holds a run already", "--resume run"]),
        ([*TRAIN, "--problems", "none.txt"], ["no file and no problem set 'none.txt'"]),
        (["train", "--resume", "empty"], ["empty is not a training run", "run.json"]),
        (["train", "--resume", "nowhere"], ["nowhere is not a training run"]),
        (["train", "aim", "--resume", "run"], ["--resume takes all else from the run"]),
        (["plot", "empty"], ["no training run in empty"]),
        (["plot", "run", "--out", "run.nothing"], ["can't write run.nothing"]),
        (["plot", "run", "--out", "nowhere/run.png"], ["can't write nowhere/run.png"]),
        (["plot"], ["Missing argument"]),
    ],
    ids=name_of,
)
def test_bad_input_is_exit_code_2(place: Path, arguments: list[str], messages: list[str]) -> None:
    done = run(place, *arguments)
    assert done.returncode == 2
    for message in messages:
        assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not (place / "new").exists()


def test_bad_input_in_an_interpreter_of_its_own(place: Path) -> None:
    done = run(place, *TRAIN, "--set", "kk=1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown key kk" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_syntax_error_in_a_problem_shows_its_place(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("0 + 0\n(1 + 2\n")
    arguments = ["train", "robinson", "--problems", "bad.txt", "--out", "new"]
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert "bad.txt:2:1: this bracket is never closed" in done.stderr
    lines = done.stderr.splitlines()
    assert lines[-1].index("^") == lines[-2].index("(")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TRAIN, "--set", "theory=1"], "unknown key theory"),
        ([*TRAIN, "--seed", str(2**64)], "--seed"),
        ([*TRAIN, "--out", "infix.txt"], "infix.txt"),
        ([*TRAIN, "--out", "infix.txt/below"], "infix.txt"),
        (["train", "--resume", "run", "--set", "k=9"], "k = 9: the run began with 1"),
        (["train", "--resume", "run", "--set", "ME=1"], "ME may only grow"),
        (["train", "--resume", "run", "--seed", "9"], "--resume takes all else from the run"),
        (["train", "--resume", "run", "--method", "bc"], "--resume takes all else from the run"),
        (["runs", "nowhere"], "no training run in nowhere"),
        (["runs", "empty"], "no training run in empty"),
    ],
    ids=name_of,
)
def test_more_bad_input_is_exit_code_2(place: Path, arguments: list[str], message: str) -> None:
    done = run(place, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_reported(place: Path, tmp_path: Path) -> None:
    arguments = ["--problems", place / "infix.txt", "--out", "run", *SETTINGS]
    done = Command(tmp_path, "train", "robinson", *arguments, file_size=20_000).wait()
    assert done.returncode != 0
    assert "checkpoint" in done.stderr
    assert "Traceback" not in done.stderr


# From axioms alone


SILLY = """
fof(one, axiom, ![X]: f(g(X)) = h(X)).
fof(two, axiom, ![X]: g(f(X)) = h(X)).
fof(three, axiom, ![X]: h(h(X)) = X).
"""


def test_commands_that_are_shown_can_be_typed(tmp_path: Path) -> None:
    (tmp_path / "my terms.txt").write_text("1 + 0\n2 * 1\n")
    given = ("robinson", "--problems", "my terms.txt", "--out", "my run", *SETTINGS)
    done = run(tmp_path, "train", *given)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()[-1].removeprefix("use it: threesil ")
    words = ["1 + 0" if word == "TERM" else word for word in shlex.split(shown)]
    assert words[-1] == "my run" and run(tmp_path, *words).returncode == 0


def test_only_time_and_epochs_may_be_given_to_a_run(place: Path) -> None:
    done = run(place, "train", "--resume", "run", "--seed", "20")
    assert done.returncode == 2 and "--minutes N or --set ME=N" in done.stderr


@pytest.mark.slow
def test_a_theory_is_learned_from_its_axioms_alone(tmp_path: Path) -> None:
    (tmp_path / "silly.p").write_text(SILLY)
    settings = ("--set", "generated=60", "--set", "NB=5", "--set", "ME=2", "--set", "expansions=50")
    done = run(tmp_path, "train", "silly.p", "--minutes", "0.2", *settings, "--out", "silly")
    assert done.returncode == 0, done.stderr
    assert (
        "theorems for training" in done.stderr and "instances of training theorems" in done.stderr
    )
    assert "held out:" in done.stdout and "0.01 s" in done.stdout
    assert "use it: threesil prove" in done.stdout and "--weights silly" in done.stdout
    (tmp_path / "silly").rename(tmp_path / "moved")
    assert str(tmp_path) not in "".join(
        path.read_text() for path in (tmp_path / "moved").glob("*.json*")
    )
    claim = "f(h(x)) = h(f(x))"
    options = ("--theory", "silly.p", "--weights", "moved", "--solver")
    for mode in ("best", "saturate", "guided"):
        done = run(tmp_path, "prove", claim, *options, mode)
        assert done.returncode == 0, (mode, done.stdout, done.stderr)
    again = run(tmp_path, "train", "--resume", "moved")
    assert again.returncode == 0 and "held out:" in again.stdout
    assert "--theory moved/theory/silly.p --weights moved" in again.stdout


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("fof(a, axiom, ![X,Y]: f(X,Y) = X).\nfof(b, axiom, ![X,Y]: f(X,Y) = Y).", "is equal"),
        ("fof(a, axiom, ![X]: f(X) = f(X)).", "too little to learn from"),
        ("fof(a, conjecture, ![X]: f(X) = f(f(X))).", "goals alone are no theory"),
    ],
)
def test_theories_that_teach_nothing(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "odd.p").write_text(lines)
    done = run(tmp_path, "train", "odd.p", "--minutes", "1", "--out", "odd")
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "odd").exists()


@pytest.mark.parametrize("equation", ["![X]: f(X) = f(X)", "![X,Y]: X = Y"])
def test_theories_in_which_there_is_nothing_to_play(equation: str, tmp_path: Path) -> None:
    (tmp_path / "odd.p").write_text(f"fof(a, axiom, {equation}).\n")
    done = run(tmp_path, "train", "odd.p", "--method", "3sil", "--out", "odd")
    assert done.returncode == 2
    assert "give it problems" in " ".join(done.stderr.split())
    assert not (tmp_path / "odd").exists()
