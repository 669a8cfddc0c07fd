"""Tables and figures, reproduced: what is run, what is kept, what the report says."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import commands
from threesil.errors import InputError
from threesil.measure.results import read_results
from threesil.reproduce import NAMES, experiments, report
from threesil.reproduce.experiment import (
    Change,
    Curves,
    Experiment,
    Figure,
    Finished,
    HeldBack,
    Line,
    Numbers,
    Share,
    Solved,
    Venn,
)
from threesil.reproduce.jobs import Contest, Evaluation, Job, Training
from threesil.reproduce.report import print_page, write_report
from threesil.reproduce.run import Interrupted, Session, check_data, plan
from threesil.runs.findings import Shares
from threesil.runs.run import Run

# What there is


@pytest.mark.parametrize("quick", [True, False])
def test_all_experiments_are_well_formed(quick: bool) -> None:
    found = experiments(quick=quick)
    assert tuple(one.name for one in found) == NAMES
    for one in found:
        assert one.lines
        for line in one.lines:
            assert len(line.ours) == len(one.columns), (one.name, line.label)
            assert len(line.paper) in (0, len(one.columns))
    jobs = plan(found)
    slugs = [(type(job), job.slug) for job in jobs]
    assert len(set(slugs)) == len(slugs)
    for job in jobs:
        model = None if isinstance(job, Training) else job.model
        assert model is None or jobs.index(model) < jobs.index(job)


def test_an_estimate_changes_nothing_else() -> None:
    for job in (RUN, DEV, NOWHERE):
        other = replace(job, pace=17.0)
        assert (other, other.slug) == (job, job.slug)
    slower = replace(DEV, model=replace(RUN, pace=17.0))
    assert slower.slug == DEV.slug


def test_quick_is_quick() -> None:
    assert sum(job.estimate for job in plan(experiments(quick=True))) < 20 * 60


def test_commands_name_what_there_is() -> None:
    """Below the directory: a comparison needs one of its own, unit equalities are a list there."""
    assert NOWHERE.command == (
        "threesil compare dev --theory aim --solvers waldmeister --seconds 1 "
        f"--out contests/{NOWHERE.slug}"
    )
    (unit,) = experiments(("unit-equalities",), quick=False)
    commands = [job.command for job in unit.jobs()]
    assert commands[0] == "threesil evaluate @lists/ueq-dev.list --solver best --seconds 1"
    (_, comment) = PART.command.split(" # ")
    assert comment == "on 4 problems, spread over the set"


def test_unknown_names() -> None:
    assert [one.name for one in experiments(("bias",), quick=True)] == ["bias"]
    with pytest.raises(InputError, match="robinson-levels"):
        experiments(("table-9",), quick=True)


def test_values_as_people_read_them() -> None:
    assert str(Share(((8, 10),))) == "0.800 (0.490 to 0.943; 8 of 10)"
    assert str(Share(((8, 10), (9, 10), (10, 10)))) == "0.900 ± 0.100 (3 seeds)"
    assert str(Numbers((12, None), 30)) == "12, not in 30"
    table = Shares(0.01, 40, 20, 36, 1, 17, 0.0001)
    assert str(Change(table)) == "0.500 to 0.900 (1 : 17 of 40, p < 0.001)"


def test_the_table_of_a_training_is_read(tmp_path: Path) -> None:
    rows = [Shares(0.01, 4, 1, 3, 0, 2, 0.5), Shares(1.0, 4, 4, 4, 0, 0, 1.0)]
    session = Session(tmp_path)
    assert HeldBack(RUN, 1.0).read(session) is None
    Run(tmp_path / "runs" / RUN.slug).write_shares(rows)
    assert [HeldBack(RUN, t).read(session) for t in (0.01, 1.0)] == [Change(row) for row in rows]
    assert HeldBack(RUN, 0.1).read(session) is None


# A small one

RUN = Training("robinson", 1, epochs=2, changes=(("f", 40), ("m", 40), ("NB", 5)))
DEV = Evaluation("robinson", "dev", "greedy", RUN, seconds=5, steps=30)
PART = Evaluation("robinson", "dev", "sample", RUN, attempts=2, sampled_only=True, limit=4)
NOWHERE = Contest("waldmeister", "aim", "dev", 1.0)
TOY = Experiment(
    "toy",
    "A toy of a table",
    ("low", "end"),
    (
        Line("3SIL", ("0.5 ± 0.1", ""), (Solved((DEV,), "low"), Finished((RUN,)))),
        Line("sampled", ("", ""), (Solved((PART,)), Figure((RUN,), "level"))),
        Line("a prover", ("0.1", ""), (Solved((NOWHERE,)), None)),
    ),
    (Curves("solved", "solved", {"3SIL": (RUN,)}), Venn({"a": DEV, "b": PART})),
    ("A note.",),
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A few problems in the places of the recorded ones; no Waldmeister."""
    rows = [f"+{'S' * i}0{'S' * k}0\t{i + k}\t{3 * k + 1}" for i in range(4) for k in range(4)]
    (tmp_path / "data" / "robinson").mkdir(parents=True)
    for name in ("train", "valid", "test"):
        (tmp_path / f"data/robinson/{name}.tsv.gz").write_text("\n".join(rows) + "\n")
    (tmp_path / "data" / "aim").mkdir()
    (tmp_path / "data/aim/problems.tsv").write_text("one\tx * e = x\n")
    monkeypatch.setenv("THREESIL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("THREESIL_WALDMEISTER", str(tmp_path / "nowhere"))
    return tmp_path / "data"


def test_what_is_run_is_kept_and_reported(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(report, "_PRINTERS", {})  # see below
    seen: list[tuple[Job, float]] = []
    session = Session(tmp_path / "out", progress=lambda job, part: seen.append((job, part)))
    jobs = plan([TOY])
    assert jobs == [RUN, DEV, PART, NOWHERE]
    assert session.left(jobs) == jobs
    session.run(jobs)
    assert list(session.skipped) == [NOWHERE]
    assert [job for job, part in seen if part == 1.0 and job != NOWHERE].count(RUN) >= 1
    rows = session.rows(PART)
    assert rows is not None and len(rows) == 4
    assert len({int(name.rpartition(":")[2]) for name in rows}) == 4
    paths = write_report(session, [TOY], quick=True)
    text = (tmp_path / "out" / "report.md").read_text()
    assert "A toy of a table" in text
    assert "| 3SIL | paper | 0.5 ± 0.1 | – |" in text
    assert "not in 2" in text
    assert "Left out: Waldmeister" in text
    assert "threesil train robinson --method 3sil --config paper --seed 1" in text
    assert "commit" in text
    assert "small version" in text
    assert {path.name for path in paths} >= {"report.md", "report.html"}
    assert (tmp_path / "out/figures/toy-1.svg").exists()
    assert (tmp_path / "out/figures/toy-2.png").exists()
    # A second time nothing is left to do but what could not be done.
    again = Session(tmp_path / "out")
    assert again.left(jobs) == [NOWHERE]
    again.run(jobs)
    write_report(again, [TOY], quick=True)
    assert (tmp_path / "out" / "report.md").read_text() == text


def test_recorded_results_stand_in_for_a_missing_prover(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called imported, with the file and its limit, in the table and in the diagram."""
    monkeypatch.setattr(report, "_PRINTERS", {})
    (data / "aim/problems.tsv").write_text("one\tx * e = x\ntwo\te * x = x\nthree\tx = x * e\n")
    own = Evaluation("aim", "dev", "plain", seconds=1.0)
    table = Experiment(
        "toy", "Toy", ("solved",), (Line("W", ("0.6",), (Solved((NOWHERE,)),)),),
        (Venn({"W": NOWHERE, "own": own}),),
    )  # fmt: skip
    results = data / "provers" / "results"
    results.mkdir(parents=True)
    # Of a larger limit, what came later does not count; of a smaller one, all.
    for limit, share in (("0.5", "1.000"), ("60", "0.500")):
        rows = "one\tproved\t0.1\t0.1\ntwo\tproved\t5.0\t4.0\nother\tproved\t1\t1\n"
        (results / f"waldmeister_{limit}s.tsv").write_text(rows)
        session = Session(tmp_path / f"out{limit}")
        session.run(plan([table]))
        assert session.skipped == {}
        write_report(session, [table], quick=True)
        text = (session.directory / "report.md").read_text()
        seconds = "0.5" if limit == "0.5" else "1"
        assert f"|  | imported, {seconds} s | {share} (" in text
        assert f"provers/results/waldmeister_{limit}s.tsv" in text
        assert "2 problems" in text
        assert f"W (imported, {seconds} s)" in (session.directory / "report.html").read_text()
    (results / "waldmeister_60s.tsv").write_text("one\tperhaps\t1\t1\n")
    session = Session(tmp_path / "bad")
    session.run(plan([table]))
    assert "unknown status 'perhaps'" in session.skipped[NOWHERE]


def test_a_report_of_what_is_there(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Problems that were not tried yet count as unsolved, and it is said."""
    whole = replace(DEV, model=None)
    table = Experiment(
        "toy", "Toy", ("low",), (Line("a", ("",), (Solved((whole,), "low"),)),
                                 Line("b", ("",), (Solved((PART,)),))),
    )  # fmt: skip
    session = Session(tmp_path / "out")
    session.run([whole])
    file = tmp_path / "out" / "results" / f"{whole.slug}.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:4]))
    half = Session(tmp_path / "out")
    half.take_stock(plan([table]))
    assert half.begun == {whole: (3, len(lines) - 1)}
    found = table.lines[0].ours[0]
    assert found is not None and str(found.read(half)).endswith(f"3 of {len(lines) - 1})")
    assert half.rows(PART) is None and "not run yet" in half.skipped[PART]
    monkeypatch.setattr(report, "_PRINTERS", {})
    write_report(half, [table], quick=True)
    text = (tmp_path / "out" / "report.md").read_text()
    assert "Left out: 1 of 2 runs are not made yet" in text
    assert text.count(PART.command) == 1
    assert f"`{PART.command}` (not run yet)\n" in text
    assert file.read_text() == "".join(lines[:4])


def test_results_that_were_emptied_are_made_again(data: Path, tmp_path: Path) -> None:
    whole = replace(DEV, model=None)
    file = tmp_path / "out" / "results" / f"{whole.slug}.jsonl"
    file.parent.mkdir(parents=True)
    for rest in ("", '{"setting": {'):
        file.write_text(rest)
        session = Session(tmp_path / "out")
        session.take_stock([whole])
        assert "not run yet" in session.skipped[whole]
        Session(tmp_path / "out").run([whole])
        assert Session(tmp_path / "out").left([whole]) == []


@pytest.mark.parametrize("damage", [b'{"da', b"[]", b"{}", b"\xff\xfe"])
def test_a_damaged_list_of_sessions_is_named(damage: bytes, data: Path, tmp_path: Path) -> None:
    """Before anything is run, and where a report is written."""
    whole = replace(DEV, model=None)
    session = Session(tmp_path)
    session.run([whole])
    assert [one["workers"] for one in session.sessions()] == [2]
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(file.read_bytes() + damage + b"\n")
    for run in (session.sessions, lambda: Session(tmp_path).run([PART])):
        with pytest.raises(InputError, match=r"sessions\.jsonl(:2)?: "):
            run()
    assert not (tmp_path / "results" / f"{PART.slug}.jsonl").exists()


RECORD = ("run.json", "config.toml", "metrics.jsonl")  # of a run; its model may stay behind


def test_a_record_without_models_is_reported(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metrics and results are enough for a report, and for resuming what needs no weights."""
    pytest.importorskip("torch")
    monkeypatch.setattr(report, "_PRINTERS", {})
    session = Session(tmp_path / "out")
    jobs = plan([TOY])
    session.run(jobs)
    write_report(session, [TOY], quick=True)
    text = (tmp_path / "out" / "report.md").read_text()
    run = tmp_path / "out" / "runs" / RUN.slug
    kept = shutil.copytree(run, tmp_path / "kept")
    for path in run.iterdir():
        if path.name not in RECORD:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    trimmed = Session(tmp_path / "out")
    assert trimmed.left(jobs) == [NOWHERE]
    trimmed.take_stock(jobs)
    assert list(trimmed.skipped) == [NOWHERE]
    write_report(trimmed, [TOY], quick=True)
    again = (tmp_path / "out" / "report.md").read_text().replace(" (not run yet)", "")
    assert [line for line in again.splitlines() if "Left out" not in line] == [
        line for line in text.splitlines() if "Left out" not in line
    ]
    # An evaluation that is left needs the model, and nothing else of the run.
    (tmp_path / "out" / "results" / f"{DEV.slug}.jsonl").unlink()
    assert Session(tmp_path / "out").left(jobs) == [RUN, DEV, NOWHERE]
    with pytest.raises(InputError, match=r"copy model\.safetensors"):
        Session(tmp_path / "out").run(jobs)
    shutil.copy(kept / "model.safetensors", run)
    Session(tmp_path / "out").run(jobs)
    assert Session(tmp_path / "out").left(jobs) == [NOWHERE]
    # A run that has not come to its end does not count.
    (run / "model.safetensors").unlink()
    metrics = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    (run / "metrics.jsonl").write_text(metrics[0])
    Run(run).mark({"policy": False})
    begun = Session(tmp_path / "out")
    begun.take_stock(jobs)
    assert "not run yet" in begun.skipped[RUN]
    assert begun.metrics(RUN) is None
    write_report(begun, [TOY], quick=True)
    text = (tmp_path / "out" / "report.md").read_text()
    assert f"`{RUN.command}` (stopped after 1 of {RUN.epochs} epochs)" in text


def test_an_interrupted_command_resumes(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    whole = Session(tmp_path / "whole")
    whole.run([RUN, DEV])
    session = Session(tmp_path / "out")

    def stop_soon(job: Job, part: float) -> None:
        if part > 0:
            session.stop.set()

    session.progress = stop_soon
    with pytest.raises(Interrupted):
        session.run([RUN, DEV])
    assert session.left([RUN, DEV]) == [RUN, DEV]
    again = Session(tmp_path / "out")
    again.run([RUN, DEV])
    assert again.left([RUN, DEV]) == []
    model = f"runs/{RUN.slug}/model.safetensors"
    assert (tmp_path / "out" / model).read_bytes() == (tmp_path / "whole" / model).read_bytes()
    file = f"results/{DEV.slug}.jsonl"
    (_, first), (_, second) = (read_results(tmp_path / d / file) for d in ("out", "whole"))
    assert [(r.name, r.status) for r in first.values()] == [
        (r.name, r.status) for r in second.values()
    ]


def test_missing_data_is_heard_of_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREESIL_DATA", str(tmp_path))
    for job in (RUN, DEV, NOWHERE):
        with pytest.raises(InputError, match="threesil data fetch"):
            check_data([job])


def test_the_page_is_printed_if_a_program_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "report.html"
    page.write_text("<p>words</p>")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert print_page(page) is None
    program = tmp_path / "weasyprint"
    program.write_text('#!/bin/sh\n/bin/cp "$1" "$2"\n')
    program.chmod(0o755)
    assert print_page(page) == tmp_path / "report.pdf"
    program.write_text("#!/bin/sh\nexit 1\n")
    assert print_page(page) is None
    assert not (tmp_path / "report.pdf").exists()


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threesil: commands.Run
) -> None:
    monkeypatch.setenv("THREESIL_DATA", str(tmp_path))
    listed = commands.threesil("reproduce", "--list", COLUMNS="200")
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()[1:-1]] == list(NAMES)
    taken = tmp_path / "taken"
    (taken / "report.md").mkdir(parents=True)
    for arguments, message in (
        (("--quick", "--full", "--out", "x"), "not both"),
        (("unit-equalities", "--report", "--out", str(taken)), "can't write"),
        ((), "--out"),
        (("nothing", "--out", "x"), "robinson-levels"),
        (("searches", "--out", str(tmp_path / "x")), "threesil data fetch aim"),
    ):
        done = threesil("reproduce", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    assert not (tmp_path / "x").exists()
