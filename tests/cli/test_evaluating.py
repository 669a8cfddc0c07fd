"""evaluate as a person uses it: output, messages, exit codes, resuming."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import command
from nets.walks import SMALL, lively_parameters
from samples import AIM, ROBINSON, easy_problems
from threesil.measure.results import Row, read_results
from threesil.nets.policy import Policy
from threesil.notations.infix import format_prefix, format_term
from waiting import HANG, wait_until
from workers import Command, Done

EVALUATE = ["evaluate", "infix.txt", "--theory", "robinson"]
MODEL = ["--weights", "robinson.safetensors"]
EQUATIONS = "one\tx * T(y,x) = y * x\ntwo\tx * y = y * x\nthree\te * x = x\n"


def run(cwd: Path, *arguments: str | Path) -> Done:
    """What the command says, in a process that was forked."""
    return Command(cwd, *arguments).wait()


def rows_of(path: Path) -> list[Row]:
    return list(read_results(path)[1].values())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the same terms in three formats, equations, weights of each theory."""
    directory = tmp_path_factory.mktemp("place")
    terms = [problem.start for problem in easy_problems(ROBINSON)]
    infix = "".join(format_term(t, ROBINSON.signature) + "\n" for t in terms)
    prefix = "".join(format_prefix(t) + "\n" for t in terms)
    (directory / "infix.txt").write_text("# sums and products\n\n" + infix)
    (directory / "prefix.txt").write_text(prefix)
    (directory / "infix.gz").write_bytes(gzip.compress(infix.encode()))
    (directory / "equations.tsv").write_text(EQUATIONS)
    for theory in (ROBINSON, AIM):
        model = Policy(theory, SMALL, lively_parameters(theory, SMALL))
        model.save(directory / f"{theory.name}.safetensors")
    (directory / "empty").mkdir()
    return directory


def test_help_teaches(tmp_path: Path) -> None:
    done = run(tmp_path, "evaluate", "--help")
    assert done.returncode == 0
    for word in (
        "--weights",
        "--solver",
        "--attempts",
        "--expansions",
        "--steps",
        "--limit",
        "ladder",
    ):
        assert word in done.stdout
    assert "certified" in done.stdout and "resumes" in done.stdout


@pytest.mark.parametrize("file", ["infix.txt", "prefix.txt", "infix.gz"])
def test_terms_are_evaluated(place: Path, tmp_path: Path, file: str) -> None:
    out = tmp_path / "new" / "results.jsonl"
    done = run(
        place, "evaluate", file, "--theory", "robinson", *MODEL, "--solver", "greedy", "--out", out
    )
    assert done.returncode == 0, done.stderr
    header, stratum, *_, last = done.stdout.splitlines()
    assert header.split() == ["stratum", "problems", "decided", "share", "median", "steps"]
    rows = rows_of(out)
    solved = [row for row in rows if row.solved]
    assert stratum.split()[:3] == ["beyond", "9", str(len(solved))]
    assert last.startswith(f"{len(solved)} of 9 proved")
    first = 3 if file == "infix.txt" else 1  # the line of the first problem
    assert [row.name for row in rows] == [f"{file}:{first + i}" for i in range(9)]
    for row in rows:
        assert (row.steps is None) == (not row.solved)
        assert row.stratum == "beyond"
    assert solved


def test_the_summary_as_json(place: Path) -> None:
    done = run(place, *EVALUATE, *MODEL, "--json")
    summary = json.loads(done.stdout)
    assert (summary["theory"], summary["solver"], summary["problems"]) == ("robinson", "ladder", 9)
    (row,) = summary["strata"]
    assert (row["stratum"], row["problems"], row["proved"]) == ("beyond", 9, summary["proved"])
    assert row["share"] == pytest.approx(row["proved"] / 9, abs=1e-4)


def test_more_attempts_solve_more(place: Path) -> None:
    def solved(*options: str) -> int:
        done = run(place, *EVALUATE, *MODEL, "--json", "--solver", "sample", *options)
        assert done.returncode == 0, done.stderr
        return int(json.loads(done.stdout)["proved"])

    assert solved("--attempts", "40") > solved("--attempts", "1", "--steps", "3")
    assert solved("--attempts", "5") == solved("--attempts", "5", "--workers", "2")
    assert solved("--attempts", "40", "--steps", "1") == 3  # 0 + 0, 1 + 0, (0 + 0) * 0


def test_shares_are_given_up_to_the_limit(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "made" / "for it" / "r.jsonl"
    arguments = ["evaluate", "equations.tsv", "--theory", "aim", "--solver", "plain", "--out", out]
    done = run(place, *arguments, "--seconds", "0.2")
    header, shares, last = done.stdout.splitlines()
    assert header.split() == ["CPU", "time", "0.001", "s", "0.01", "s", "0.1", "s", "0.2", "s"]
    assert shares.split()[-1] == "0.667"
    assert last.startswith("2 of 3 proved, 0 refuted, 1 open, 0 refused; median length ")
    assert out.is_file()
    summary = json.loads(run(place, *arguments, "--seconds", "0.3", "--json").stdout)
    assert list(summary["within"]) == ["0.001", "0.01", "0.1", "0.3"]


def test_the_first_problems_are_enough(place: Path) -> None:
    arguments = ["evaluate", "equations.tsv", "--theory", "aim", "--solver", "plain", "--json"]
    summary = json.loads(run(place, *arguments, "--limit", "1").stdout)
    assert (summary["problems"], summary["proved"]) == (1, 1)


def test_each_lemma_is_reported(tmp_path: Path) -> None:
    (tmp_path / "groups.thy").write_text(
        "Constants e.\nAxiom unit: e * x = x.\nKnown two: e * (e * x) = x.\nKnown bad: x = e.\n"
    )
    arguments = ["--theory", "groups.thy", "--seconds", "0.1"]
    done = run(tmp_path, "evaluate", "lemmas", *arguments)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["two", "Theorem"]
    assert lines[1].split()[0] == "bad"
    assert lines[-1].startswith("1 of 2 proved")
    assert run(tmp_path, "evaluate", "groups-lemmas", *arguments).returncode == 0
    done = run(tmp_path, "evaluate", "lemmas", *arguments, "--solver", "greedy")
    assert done.returncode == 2
    assert "no weights of groups are bundled; train some" in done.stderr


def test_weights_are_evaluated_without_pytorch(place: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from threesil.cli import main; sys.exit(main())"
    )
    arguments = [sys.executable, "-c", code, *EVALUATE, *MODEL]
    done = subprocess.run(arguments, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Resuming


def test_other_problems_of_the_same_names_are_refused(tmp_path: Path) -> None:
    """What was proved of one file says nothing of another one."""
    file = tmp_path / "p.tsv"
    file.write_text("a\te * x = x\nb\tx * e = x\n")
    arguments = ["evaluate", "p.tsv", "--theory", "aim", "--solver", "plain", "--out", "r.jsonl"]
    arguments += ["--seconds", "0.2"]
    assert "2 of 2 proved" in run(tmp_path, *arguments).stdout
    before = (tmp_path / "r.jsonl").read_bytes()
    file.write_text("a\tx * y = y * x\nb\tx = y\n")
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "digest of the problems" in done.stderr and "--out" in done.stderr
    assert (tmp_path / "r.jsonl").read_bytes() == before


def test_a_name_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\te * x = x\nb\tx * e = x\na\tx = y\n")
    done = run(tmp_path, "evaluate", "p.tsv", "--theory", "aim", "--out", "r.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    message = "p.tsv has two problems with the name a: number 1 (line 1) and number 3 (line 3)"
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "r.jsonl").exists()


def wait_for_a_row(path: Path, process: subprocess.Popen[str]) -> None:
    def written() -> bool:
        assert process.poll() is None
        return path.exists() and len(path.read_bytes().splitlines()) >= 2

    wait_until(written)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_evaluation_is_resumed(tmp_path: Path, how: int) -> None:
    """After the first row there are seconds of work left for both workers."""
    names = [f"p{k}" for k in range(4)]
    texts = ["e * x = x", *["x * y = y * x"] * 2, "x * e = x"]
    lines = (f"{name}\t{text}\n" for name, text in zip(names, texts, strict=True))
    (tmp_path / "p.tsv").write_text("".join(lines))
    out = tmp_path / "r.jsonl"
    arguments = ["evaluate", "p.tsv", "--theory", "aim", "--solver", "plain", "--seconds", "3"]
    arguments += ["--out", str(out), "--workers", "2"]
    with subprocess.Popen(
        command(*arguments),
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_for_a_row(out, process)
        process.send_signal(how)
        said, complaint = process.communicate(timeout=HANG)
    assert "Traceback" not in complaint
    before = rows_of(out)
    assert 1 <= len(before) < 4
    assert process.returncode == (-how if how == signal.SIGKILL else 128 + how)
    if how != signal.SIGKILL:
        assert "1 of" in said
        assert "resume with the same command" in complaint and "threesil evaluate" in complaint
        assert f"{4 - len(before)} of 4 problems are left" in complaint
    done = run(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    after = rows_of(out)
    assert after[: len(before)] == before
    assert sorted(row.name for row in after) == names
    assert len(out.read_text().splitlines()) == 5


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\te * x = x\nb\tx * y = y * x\n")
    out = tmp_path / "r.jsonl"
    arguments = ["evaluate", "p.tsv", "--theory", "aim", "--solver", "plain", "--out", str(out)]
    with subprocess.Popen(
        command(*arguments, "--seconds", "60"), cwd=tmp_path, text=True, stderr=subprocess.PIPE
    ) as process:
        wait_for_a_row(out, process)
        done = run(tmp_path, *arguments, "--seconds", "60")
        os.kill(process.pid, signal.SIGKILL)
    assert done.returncode == 2
    assert "being written to by another threesil" in done.stderr
    assert [row.name for row in rows_of(out)] == ["a"]


def test_a_full_disk_is_reported_and_loses_nothing(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    arguments = [*EVALUATE[:1], str(place / "infix.txt"), *EVALUATE[2:], "--solver", "greedy"]
    arguments += ["--weights", str(place / "robinson.safetensors"), "--out", str(out)]
    done = Command(tmp_path, *arguments, file_size=1500).wait()
    assert done.returncode == 2
    assert f"can't write {out}: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    before = rows_of(out)
    assert 1 <= len(before) < 9
    assert run(tmp_path, *arguments).returncode == 0
    assert rows_of(out)[: len(before)] == before and len(rows_of(out)) == 9


# Bad input


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["evaluate"], ["Missing argument"]),
        (["evaluate", "infix.txt"], ["which theory has the problems", "--theory"]),
        (["evaluate", "infix.txt", "--theory", "nothing"], ["unknown theory 'nothing'"]),
        (["evaluate", "none.txt", "--theory", "robinson"], ["no file and no problem set"]),
        ([*EVALUATE, "--solver", "slow"], ["unknown solver 'slow'; expected best, unguided"]),
        ([*EVALUATE, "--solver", "plain"], ["solver plain is for goals of the kind equation"]),
        ([*EVALUATE, "--solver", "greedy", "--attempts", "3"], ["has no option attempts"]),
        ([*EVALUATE, "--weights", "nowhere"], ["in nowhere: expected a finished run or"]),
        ([*EVALUATE, "--weights", "empty"], ["in empty: expected a finished run"]),
        ([*EVALUATE, "--weights", "infix.txt"], ["infix.txt: a damaged file of weights"]),
        ([*EVALUATE, "--weights", "aim.safetensors"], ["weights of aim", "robinson"]),
        ([*EVALUATE, "--attempts", "0"], ["--attempts"]),
        ([*EVALUATE, "--steps", "0"], ["--steps"]),
        ([*EVALUATE, "--workers", "0"], ["--workers"]),
        ([*EVALUATE, "--limit", "0"], ["--limit"]),
        ([*EVALUATE, "--seconds", "inf"], ["expected a number of seconds, not inf"]),
        ([*EVALUATE, *MODEL, "--out", "infix.txt/below/r.jsonl"], ["infix.txt"]),
        ([*EVALUATE, *MODEL, "--out", "infix.txt"], ["infix.txt is not a results file"]),
        ([*EVALUATE, *MODEL, "--out", "empty"], ["empty"]),
        ([*EVALUATE, *MODEL, "--solver", "sample", "--seed", str(2**64)], ["--seed"]),
    ],
    ids=lambda value: " ".join(map(str, value[2:])) if value[:1] == ["evaluate"] else "",
)
def test_bad_input_is_exit_code_2(place: Path, arguments: list[Any], messages: list[str]) -> None:
    before = (place / "infix.txt").read_bytes()
    done = run(place, *arguments)
    assert done.returncode == 2
    for message in messages:
        assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert (place / "infix.txt").read_bytes() == before


def test_a_syntax_error_in_a_problem_shows_its_place(place: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("0 + 0\n(1 + 2\n")
    model = place / "robinson.safetensors"
    done = run(tmp_path, "evaluate", "bad.txt", "--theory", "robinson", "--weights", model)
    assert done.returncode == 2
    assert "bad.txt:2:1: this bracket is never closed" in done.stderr
    lines = done.stderr.splitlines()
    assert lines[-1].index("^") == lines[-2].index("(")
