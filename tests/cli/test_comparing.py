"""compare, as a person uses it."""

import json
import signal
import subprocess
from functools import partial
from pathlib import Path

import psutil
import pytest

from commands import command, threesil
from samples import AIM, untrained
from threesil.errors import MissingTool
from threesil.measure.results import read_results
from threesil.provers.registry import find
from waiting import HANG, wait_until

PROBLEMS = "one\tx * T(y,x) = y * x\ntwo\te * x = x\nfalse\tx * x = x\n"
SECONDS = ("--seconds", "1")


compare = partial(threesil, "compare", COLUMNS="200")


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.tsv"
    path.write_text(PROBLEMS)
    return path


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_a_comparison_from_end_to_end(tmp_path: Path, problems: Path) -> None:
    table = tmp_path / "other.tsv"
    table.write_text("one\tproved\t0.1\t0.1\nfalse\ttimeout\t0.5\t0.5\n")
    out = tmp_path / "c"
    more = ("--workers", 2, "--out", out, "--import", f"old={table}")
    done = compare(problems, "--solvers", "best,plain", *SECONDS, *more)
    assert done.returncode == 0, done.stderr
    header, *_ = done.stdout.splitlines()
    kinds = ["unique", "proved", "refuted", "open", "refused", "certified", "claimed"]
    assert header.split()[-len(kinds) :] == kinds
    assert "old (imported)" in done.stdout
    assert "together 2 of 2 problems within 1 s" in done.stdout
    assert done.stdout.rstrip().endswith("report.html")
    assert "old: 1 problems have no result" in done.stderr
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert out / "results" / "best.jsonl" in before
    done = compare(problems, "--solvers", "best,plain", *SECONDS, *more, "--json")
    summary = json.loads(done.stdout)
    assert summary["solvers"]["best"]["within"]["1"]["solved"] == 3  # one is refuted
    assert summary["solvers"]["old"]["problems"] == 2
    assert [pair["problems"] for pair in summary["pairs"]] == [3, 2, 2]
    assert {path: path.read_bytes() for path in before} == before


def test_solvers_that_are_added_keep_the_earlier_ones(tmp_path: Path, problems: Path) -> None:
    out = tmp_path / "c"
    for name in ("best", "plain"):
        done = compare(problems, "--solvers", name, *SECONDS, "--out", out, "--json")
        assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["solvers"]) == ["best", "plain"]
    assert "| best | 3 |" in (out / "report.md").read_text()
    done = compare(problems, "--solvers", "plain", "--seconds", "0.2", "--out", out)
    assert done.returncode == 2
    assert "seconds 1 → 0.2" in done.stderr
    problems.write_text(PROBLEMS.replace("e * x = x", "e * x = y"))
    done = compare(problems, "--solvers", "saturate", *SECONDS, "--out", out)
    assert done.returncode == 2
    assert "digest of the problems" in done.stderr


def test_lemmas_are_compared_each_in_its_own_theory(tmp_path: Path) -> None:
    theory = tmp_path / "groups.thy"
    theory.write_text(
        "Constants e.\nAxiom unit: e * x = x.\nKnown two: e * (e * x) = x.\nKnown bad: x = e.\n"
    )
    more = ("--theory", theory, "--seconds", 0.2, "--out", tmp_path / "c", "--json")
    done = compare("lemmas", "--solvers", "plain", *more)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["solvers"]["plain"]["certified"] == 1
    assert "| bad | " in (tmp_path / "c" / "report.md").read_text()


def test_provers_that_our_lemmas_help(tmp_path: Path, problems: Path) -> None:
    """Prover9 with lemmas and with hints, and all together."""
    try:
        find("prover9")
    except MissingTool as error:
        pytest.skip(str(error))
    weights, out = tmp_path / "model.safetensors", tmp_path / "c"
    untrained(AIM).save(weights)
    solvers = ["prover9+lemmas", "prover9+hints", "portfolio"]
    more = ("--weights", weights, "--out", out, "--seconds", 4, "--workers", 2, "--json")
    done = compare(problems, "--solvers", ",".join(solvers), *more)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert list(summary["solvers"]) == solvers
    for solver in solvers:
        rows = read_results(out / "results" / f"{solver}.jsonl")[1]
        solved = {row.name for row in rows.values() if row.solved}
        # Prover9 refutes nothing; the portfolio does, unless others keep the machine busy.
        assert solved - ({"false"} if solver == "portfolio" else set()) == {"one", "two"}
        assert summary["solvers"][solver]["within"]["4"]["solved"] == len(solved)
        claimed = summary["solvers"][solver]["claimed"]
        assert claimed == (0 if solver == "portfolio" else 2)


def wait_for_a_row(path: Path, process: subprocess.Popen[str]) -> None:
    def written() -> bool:
        assert process.poll() is None
        return len(lines(path)) >= 2  # the setting and a row

    wait_until(written)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_comparison_is_resumed(tmp_path: Path, problems: Path, how: int) -> None:
    problems.write_text("false\tx * x = x\n" + PROBLEMS.replace("false", "wrong"))
    out = tmp_path / "c"
    arguments = (problems, "--solvers", "plain", "--seconds", 1.5, "--out", out)
    rows = out / "results" / "plain.jsonl"
    with subprocess.Popen(
        command("compare", *arguments),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_for_a_row(rows, process)
        workers = psutil.Process(process.pid).children(recursive=True)
        assert workers
        process.send_signal(how)
        _, said = process.communicate(timeout=HANG)
    _, alive = psutil.wait_procs(workers, timeout=HANG)
    assert not alive
    assert "Traceback" not in said
    if how != signal.SIGKILL:
        assert process.returncode == 128 + how
        assert "Resume with the same command" in said and "compare" in said
    before = lines(rows)
    assert 2 <= len(before) < 5
    done = compare(*arguments)
    assert done.returncode == 0, done.stderr
    after = lines(rows)
    assert after[: len(before)] == before
    names = [json.loads(line)["name"] for line in after[1:]]
    assert sorted(names) == ["false", "one", "two", "wrong"]


def test_two_at_once_are_refused(tmp_path: Path, problems: Path) -> None:
    problems.write_text("one\te * x = x\nfalse\tx * x = x\n")
    out = tmp_path / "c"
    arguments = (problems, "--solvers", "plain", "--seconds", 60, "--out", out)
    begun = command("compare", *arguments)
    with subprocess.Popen(begun, text=True, stderr=subprocess.PIPE) as process:
        wait_for_a_row(out / "results" / "plain.jsonl", process)
        done = compare(*arguments)
        process.kill()
    assert done.returncode == 2
    assert "being written to by another threesil" in done.stderr
    assert len(lines(out / "results" / "plain.jsonl")) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solvers", "magic"], "unknown solver 'magic'"),
        (["--solvers", "prover9+magic"], "unknown solver 'prover9+magic'"),
        (["--solvers", "magic+lemmas"], "unknown solver 'magic+lemmas'"),
        (["--solvers", ""], "nothing to compare"),
        (["--import", "gone.tsv"], "there is no such file"),
        (["--theory", "nothing"], "unknown theory"),
        (["--seconds", "0"], "seconds"),
        (["--seconds", "inf"], "expected a number of seconds, not inf"),
        (["--solvers", "plain", "--weights", "x"], "none of the solvers uses weights"),
        (["--solvers", "best", "--weights", "nowhere"], "in nowhere: expected a finished run"),
    ],
)
def test_bad_input_is_exit_code_2(
    tmp_path: Path, problems: Path, arguments: list[str], message: str
) -> None:
    done = compare(problems, *arguments, "--out", tmp_path / "c")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "c").exists()


def test_a_missing_prover_is_exit_code_3(tmp_path: Path, problems: Path) -> None:
    arguments = (problems, "--solvers", "vampire", "--out", tmp_path / "c")
    done = compare(*arguments, THREESIL_VAMPIRE="nowhere/vampire")
    assert done.returncode == 3
    assert "Vampire" in done.stderr


def test_a_foreign_directory_is_left_alone(tmp_path: Path, problems: Path) -> None:
    done = compare(problems, "--solvers", "plain", "--out", tmp_path)
    assert done.returncode == 2
    assert "holds something else" in done.stderr
    assert list(tmp_path.iterdir()) == [problems]


@pytest.mark.data
def test_recorded_results_of_provers(data: Path, tmp_path: Path) -> None:
    results = sorted((data / "provers" / "results").glob("*_2s.tsv"))
    if not results:
        pytest.skip("no recorded results of provers")
    imports = [part for path in results for part in ("--import", path)]
    done = compare("dev", "--solvers", "", "--out", tmp_path / "c", "--json", *imports)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["problems"], summary["at"]) == (312, 2)
    assert summary["solvers"]["prover9_2s"]["within"]["2"]["solved"] == 231
