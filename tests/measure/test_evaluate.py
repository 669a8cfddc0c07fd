"""Evaluation as a function: rows, resuming, stopping, workers."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nets.walks import SMALL, lively_parameters
from samples import AIM, POLYNOMIAL, ROBINSON, easy_problems, equation, untrained
from threesil.engine import Stop
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Problem, Theory
from threesil.measure.evaluate import evaluate, proof_path
from threesil.measure.results import Row, read_results
from threesil.nets.policy import Policy
from threesil.notations.proof_json import proof_from_json
from threesil.problems.sets import ProblemSet, open_set
from threesil.provers.request import Request
from threesil.theories import benchmark_of

TEXTS = ("x * T(y,x) = y * x", "e * x = x", "x / e = x")
EQUATIONS = ProblemSet(
    AIM, tuple(Problem(f"p{k}", *_sides) for k, _sides in enumerate(
        (equation(text).start, equation(text).target) for text in TEXTS
    ))
)  # fmt: skip
FALSE = replace(EQUATIONS.problems[0], name="false", target=equation("y * x = x").target)
PLAIN = Request("plain", expansions=500)


def lively(theory: Theory) -> Policy:
    return Policy(theory, SMALL, lively_parameters(theory, SMALL))


def terms(theory: Theory) -> ProblemSet:
    return ProblemSet(theory, tuple(easy_problems(theory)))


def facts(found: tuple[Row, ...]) -> list[tuple[object, ...]]:
    """All of the rows that must not depend on the machine."""
    return [(r.name, r.status, r.rewrites, r.steps, r.expansions, r.by) for r in found]


def test_rows_come_in_the_order_of_the_problems_and_are_heard_of() -> None:
    heard: list[Row] = []
    found = evaluate(EQUATIONS, PLAIN, progress=heard.append)
    assert [row.name for row in found] == ["p0", "p1", "p2"]
    assert all(row.certified and row.by == "plain" for row in found)
    assert found == tuple(heard)


@pytest.mark.parametrize("solver", ["greedy", "sample", "tree", "ladder"])
@pytest.mark.parametrize("theory", [ROBINSON, POLYNOMIAL, AIM], ids=lambda t: t.name)
def test_the_same_program_for_all_goals(theory: Theory, solver: str) -> None:
    request = Request(solver, expansions=2000, weights=lively(theory))
    found = evaluate(terms(theory), request)
    assert len(found) == len(easy_problems(theory))
    assert solver == "greedy" or any(row.solved for row in found)
    for row in found:
        assert row.solved == row.certified == (row.rewrites is not None)
        assert (row.stratum is None) == (not benchmark_of(theory).steps)


@pytest.mark.parametrize(("given", "solver"), [(EQUATIONS, "plain"), (terms(ROBINSON), "ladder")])
def test_workers_change_nothing(given: ProblemSet, solver: str) -> None:
    weights = lively(ROBINSON) if solver == "ladder" else None
    options = {"attempts": 4} if solver == "ladder" else {}
    request = Request(solver, expansions=500, weights=weights, options=options)
    one, three = (evaluate(given, request, workers=n) for n in (1, 3))
    assert facts(one) == facts(three)


def test_an_evaluation_resumes_where_it_was(tmp_path: Path) -> None:
    out, proofs = tmp_path / "new" / "r.jsonl", tmp_path / "proofs"
    found = evaluate(EQUATIONS, PLAIN, out=out, proofs=proofs)
    assert sorted(p.name for p in proofs.iterdir()) == ["p0.json", "p1.json", "p2.json"]
    lines = out.read_text().splitlines()
    out.write_text("\n".join([*lines[:3], lines[3][:10]]))  # cut off in the third row
    heard: list[str] = []
    again = evaluate(EQUATIONS, PLAIN, out=out, progress=lambda row: heard.append(row.name))
    assert again[:2] == found[:2]
    assert heard == ["p0", "p1", "p2"]
    assert list(read_results(out)[1]) == ["p0", "p1", "p2"]


def test_a_proof_that_is_asked_for_later_is_found_again(tmp_path: Path) -> None:
    out, proofs = tmp_path / "r.jsonl", tmp_path / "proofs"
    evaluate(EQUATIONS, PLAIN, out=out)
    evaluate(EQUATIONS, PLAIN, out=out, proofs=proofs)
    assert len(list(proofs.iterdir())) == 3
    assert len(read_results(out)[1]) == 3


def test_a_proof_of_something_else_is_none(tmp_path: Path) -> None:
    """Such as one that was left in the directory by another evaluation."""
    out, proofs = tmp_path / "r.jsonl", tmp_path / "proofs"
    evaluate(EQUATIONS, PLAIN, out=out, proofs=proofs)
    right = (proofs / "p0.json").read_bytes()
    for wrong in ((proofs / "p1.json").read_bytes(), right.replace(b'"result"', b'"r"'), b"{"):
        (proofs / "p0.json").write_bytes(wrong)
        evaluate(EQUATIONS, PLAIN, out=out, proofs=proofs)
        assert json.loads((proofs / "p0.json").read_bytes())["problem"] == "p0"
        assert len(read_results(out)[1]) == 3


def test_more_seconds_try_the_rest_again(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    given = replace(EQUATIONS, problems=(*EQUATIONS.problems, FALSE))
    request = Request("plain", seconds=0.5)
    first = evaluate(given, request, out=out)
    second = evaluate(given, replace(request, seconds=1.0), out=out)
    assert first[:3] == second[:3]
    assert not first[3].solved and first[3] != second[3]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request("saturate", expansions=500), "solver plain → saturate"),
        (Request("plain", expansions=499), "expansions 500 → 499"),
        (Request("plain", expansions=500, seed=3), "seed 0 → 3"),
    ],
)
def test_another_setting_is_refused(tmp_path: Path, request_: Request, message: str) -> None:
    out = tmp_path / "r.jsonl"
    evaluate(EQUATIONS, PLAIN, out=out)
    with pytest.raises(InputError, match=message):
        evaluate(EQUATIONS, request_, out=out)


def test_other_weights_are_another_setting(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    request = Request("greedy", weights=untrained(ROBINSON, 1))
    evaluate(terms(ROBINSON), request, out=out)
    with pytest.raises(InputError, match=r"weights [0-9a-f]{12} → [0-9a-f]{12}"):
        evaluate(terms(ROBINSON), replace(request, weights=untrained(ROBINSON, 2)), out=out)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request("magic"), "unknown solver 'magic'; expected best,"),
        (Request("plain", options={"attempts": 3}), "solver plain has no option attempts"),
        (Request("greedy", options={"attempts": 3}), "solver greedy has no option attempts"),
        (Request("plain", weights=untrained(ROBINSON)), "solver plain uses no weights"),
        (Request("guided", weights=untrained(ROBINSON)), "weights of robinson, not of aim"),
        (Request("plain", seconds=float("nan")), "expected a number of seconds, not nan"),
    ],
)
def test_what_means_nothing_is_refused_before_a_file_is_made(
    tmp_path: Path, request_: Request, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(EQUATIONS, request_, out=tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_a_solver_for_equations_is_refused_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="solver plain is for goals of the kind equation"):
        evaluate(terms(ROBINSON), Request("plain"), out=tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def mixed(directory: Path) -> ProblemSet:
    """Two theories, and a file that can't be read."""
    directory.mkdir()
    (directory / "a.thy").write_text("Axiom u: f(x) = g(x).\nTheorem t: g(f(x)) = f(g(x)).\n")
    (directory / "b.thy").write_text("Axiom f: f(f(x)) = x.\nTheorem t: f(f(f(x))) = f(x).\n")
    (directory / "c.in").write_text("formulas(assumptions). a = b ")
    return open_set(str(directory), with_refused=True)


def test_a_file_that_can_t_be_read_is_a_row_with_its_message(tmp_path: Path) -> None:
    given, out, heard = mixed(tmp_path / "set"), tmp_path / "r.jsonl", list[str]()
    bad = str(tmp_path / "set" / "c.in")
    assert set(given.refused) == {bad} and given.names == ("a", "b", bad)
    for _ in range(2):
        rows = evaluate(given, PLAIN, out=out, progress=lambda row: heard.append(row.name))
        assert [(row.name, row.kind) for row in rows] == [
            ("a", "proved"),
            ("b", "proved"),
            (bad, "refused"),
        ]
        assert rows[2].reason.startswith(f"{bad}:1:29: expected a full stop")
        assert sorted(heard) == sorted(given.names)
        heard.clear()
    assert len(out.read_text().splitlines()) == 4
    setting, _ = read_results(out)
    assert (setting.theory, setting.count) == ("2 theories", 2)
    with pytest.raises(InputError, match=r"c\.in:1:29"):
        open_set(str(tmp_path / "set"))
    for name in ("a.thy", "b.thy"):
        (tmp_path / "set" / name).unlink()
    with pytest.raises(InputError, match=r"c\.in:1:29"):
        open_set(str(tmp_path / "set"), with_refused=True)


def test_a_solver_that_can_t_run_in_a_theory_is_refused_before_it_starts(tmp_path: Path) -> None:
    given = mixed(tmp_path / "set")
    request = Request("best", weights=untrained(given.theories[0]))
    with pytest.raises(InputError, match=r"best can't run: weights of a, not of b"):
        evaluate(given, request, out=tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_names_are_unique() -> None:
    twice = replace(EQUATIONS, problems=EQUATIONS.problems * 2)
    with pytest.raises(InputError, match=r"file\.tsv has two problems with the name p0"):
        evaluate(twice, PLAIN, name="file.tsv")


def test_lemmas_are_proved_from_what_comes_before_them(tmp_path: Path) -> None:
    lemmas = open_set("aim-lemmas")
    some = replace(lemmas, problems=lemmas.problems[:10])
    found = evaluate(some, Request("best", expansions=500), workers=2, proofs=tmp_path)
    assert [row.status for row in found] == [SZS.THEOREM] * 10
    for problem in some.problems:
        value = json.loads((tmp_path / f"{problem.name}.json").read_text())
        assert value["theory"] == f"aim:{problem.name}"
        proof = proof_from_json(value, lemmas.theory_of(problem), "test")
        assert (proof.problem.start, proof.problem.target) == (problem.start, problem.target)


def test_stopping_keeps_what_is_done(tmp_path: Path) -> None:
    stop, out = Stop(), tmp_path / "r.jsonl"
    rows: list[Row] = []

    def progress(row: Row) -> None:
        rows.append(row)
        stop.set()

    hard = (replace(FALSE, name=f"false{k}") for k in range(5))
    given = replace(EQUATIONS, problems=(EQUATIONS.problems[0], *hard))
    found = evaluate(given, Request("plain", seconds=1.0), out=out, progress=progress, stop=stop)
    assert 1 <= len(found) < 6
    assert tuple(rows) == found == tuple(read_results(out)[1].values())


def test_an_error_of_the_caller_stops_the_workers(tmp_path: Path) -> None:
    def progress(_: Row) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        evaluate(EQUATIONS, PLAIN, out=tmp_path / "r.jsonl", progress=progress)
    assert len(read_results(tmp_path / "r.jsonl")[1]) == 1
    assert threading.active_count() == before
    evaluate(EQUATIONS, PLAIN, out=tmp_path / "r.jsonl")  # the lock is gone


@pytest.mark.parametrize("name", ["../../up", "/etc/passwd", "a/b", "..", "x" * 5000, "ä|\n\x00"])
def test_any_name_has_a_file_for_its_proof(tmp_path: Path, name: str) -> None:
    path = proof_path(tmp_path, name)
    assert path.parent == tmp_path and path.name != ".json"
    path.write_text("")
    others: list[Any] = [f"{name}x", name[1:] or "y", name.replace("/", "%2F")]
    assert all(proof_path(tmp_path, other) != path for other in others if other != name)
