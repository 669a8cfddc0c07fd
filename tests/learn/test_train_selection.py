"""Training the selection of critical pairs: rounds, resuming, stopping, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from threesil.engine import Budget, Stop
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.learn.pair_examples import Example
from threesil.learn.selection import SelectionTraining
from threesil.learn.train import resume, train
from threesil.nets.judge import Judge
from threesil.problems.sets import open_set
from threesil.runs.problem_lines import read_set, set_lines
from threesil.runs.run import Run
from threesil.search.solvers import make_solver

FEW = {"ME": 2, "expansions": 300, "epochs": 2}
ONE = {**FEW, "ME": 1}
THEORIES = {
    "groups": """\
Theory groups: Groups.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
""",
    "silly": """\
Theory silly: Nothing in particular.
Constants c.
Axiom one: f(f(x)) = g(x, c).
Axiom two: g(x, f(y)) = f(g(y, x)).
Axiom three: g(c, x) = x.
""",
}
GOALS = {
    "groups": ["x * e = x", "i(i(x)) = x", "i(x * y) = i(y) * i(x)"],
    "silly": ["f(f(f(c))) = f(g(c, c))", "f(g(c, c)) = f(c)", "c = f(c)"],
}


@pytest.fixture
def problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A list of files, each with a theory of its own and goals."""
    monkeypatch.chdir(tmp_path)
    for name, text in THEORIES.items():
        goals = "".join(f"Theorem {name}{k}: {goal}.\n" for k, goal in enumerate(GOALS[name]))
        Path(f"{name}.thy").write_text(text + goals)
    Path("all.list").write_text("groups.thy\nsilly.thy\n")
    return "@all.list"


def run(problems: str, out: str, **more: Any) -> Any:
    options = {"method": "selection", "problems": problems, "seed": 3, "changes": FEW}
    return train(None, out=Path(out), **{**options, **more})


def test_a_selection_is_trained_in_rounds(problems: str) -> None:
    rows: list[dict[str, Any]] = []
    done = run(problems, "one", progress=rows.append)
    assert done.finished and (done.epochs, done.problems) == (2, 6)
    assert done.method == "selection"
    assert 3 <= done.solved < 6  # c = f(c) does not follow
    assert [row["epoch"] for row in rows] == [0, 1] and Run(Path("one")).metrics() == rows
    model = Judge.load(Path("one/model.safetensors"))
    assert model.notes["rounds"] == 2 and model.notes["examples"] >= 3
    again = run(problems, "two")
    assert Judge.load(again.directory / "model.safetensors").digest == model.digest
    given = open_set(problems)
    problem = next(p for p in given.problems if p.name.endswith("groups2"))
    strategy = make_solver("select", given.theory_of(problem), weights="one")
    assert strategy.solve(problem, Budget(2000, None)).status is SZS.THEOREM


def stopping(stop: Stop) -> Callable[[str, int, int], None]:
    """Sets the stop after three problems of the second round."""

    def listen(what: str, done: int, total: int) -> None:
        if what == "round 2" and done == 3:
            stop.set()

    return listen


def test_a_round_says_what_moves(problems: str) -> None:
    """The same in metrics.jsonl and for TensorBoard, also when the run is resumed."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run(problems, "one")
    stop = Stop()
    assert not run(problems, "two", listen=stopping(stop), stop=stop).finished
    resume(Path("two"))
    for directory in ("one", "two"):
        rows = Run(Path(directory)).metrics()
        events = EventAccumulator(directory)
        events.Reload()
        for key in ("success", "proved", "solved", "length", "expansions", "loss"):
            assert [s.step for s in events.Scalars(key)] == [0, 1]
            assert [s.value for s in events.Scalars(key)] == pytest.approx([r[key] for r in rows])
        assert all(row["length"] > 0 and row["expansions"] > 0 for row in rows)
    one, two = (Run(Path(directory)).metrics() for directory in ("one", "two"))
    assert [{**row, "seconds": 0} for row in one] == [{**row, "seconds": 0} for row in two]


def test_the_shorter_proof_is_kept(problems: str) -> None:
    run(problems, "one")
    for path in Path("one/pairs").iterdir():
        kept = Example.load(path)
        task = SelectionTraining.resume(Run(Path("one")))
        number = int(path.name.split(".")[0])
        task._keep(number, Example(**{**vars(kept), "considered": kept.considered + 1}))
        assert Example.load(path).considered == kept.considered
        task._keep(number, Example(**{**vars(kept), "considered": 0}))
        assert Example.load(path).considered == 0


def test_a_run_that_was_stopped_resumes(problems: str) -> None:
    whole = run(problems, "whole")
    stop = Stop()
    assert not run(problems, "cut", listen=stopping(stop), stop=stop).finished
    done = resume(Path("cut"))
    assert done.finished and done.solved == whole.solved
    digests = {Judge.load(Path(d) / "model.safetensors").digest for d in ("whole", "cut")}
    assert len(digests) == 1
    assert resume(Path("cut"), changes={"ME": 3}).epochs == 3


def test_what_can_not_be_trained_is_refused(problems: str) -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("leave groups.thy out", {"theory": "groups.thy"}),
        ("needs problems", {"problems": None}),
        ("unknown key NB", {"changes": {"NB": 2}}),
        ("hidden = 20: expected a multiple of 16", {"changes": {"hidden": 20}}),
        ("epochs = 0.5", {"changes": {"epochs": 0.5}}),
    ]
    for message, options in refused:
        given = {"theory": None, "method": "selection", "problems": problems, **options}
        with pytest.raises(InputError, match=message):
            train(**given, out=Path("none"))
    Path("hard.thy").write_text(THEORIES["silly"] + "Theorem no: c = f(c).\n")
    with pytest.raises(InputError, match="too little of hard"):
        run("hard.thy", "hard")
    with pytest.raises(InputError, match="which theory"):
        train(None, method="3sil")
    run(problems, "one")
    with pytest.raises(InputError, match="holds a run already"):
        run(problems, "one")
    with pytest.raises(InputError, match="a larger ME"):
        resume(Path("one"), changes={"epochs": 3})
    kept = Path("one/problems.jsonl")
    kept.write_text(kept.read_text().replace('"?x"', '"?y"', 1))
    with pytest.raises(InputError, match="problems changed since the run began"):
        resume(Path("one"))


def test_a_run_keeps_its_problems(problems: str, tmp_path: Path) -> None:
    """Moved to a place where its files are not, it is resumed as if it had stayed."""
    given = open_set(problems)
    kept = read_set(set_lines(given))
    assert kept.problems == tuple(replace(p, line=0, columns=()) for p in given.problems)
    for problem in given.problems:
        assert kept.theory_of(problem).digest == given.theory_of(problem).digest
    run(problems, "whole")
    run(f"@{tmp_path / 'all.list'}", "one", changes=ONE)
    for name in ("groups.thy", "silly.thy", "all.list"):
        Path(name).unlink()
    Path("one").rename("moved")
    text = "".join(path.read_text() for path in Path("moved").glob("*.json*"))
    assert str(tmp_path) not in text
    assert resume(Path("moved"), changes={"ME": 2}).epochs == 2
    digests = {Judge.load(Path(d) / "model.safetensors").digest for d in ("whole", "moved")}
    assert len(digests) == 1


def test_weights_of_a_theory_select_no_pairs(problems: str) -> None:
    theory = open_set(problems).theory
    with pytest.raises(InputError, match="no weights in nowhere"):
        make_solver("select", theory, weights="nowhere")
    run(problems, "one", changes={**FEW, "ME": 1})
    with pytest.raises(InputError, match="critical pairs"):
        make_solver("guided", theory, weights=Judge.load(Path("one/model.safetensors")))
    for use in ("one", "one/model.safetensors"):
        make_solver("best", theory, weights=use)
        with pytest.raises(InputError, match="use them with --solver select or best"):
            make_solver("guided", theory, weights=use)
