"""Theorems from equations alone: derived, of growing difficulty, split, with lemmas for them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import pytest

from samples import written
from threesil.engine import Budget, Stop, Stopped
from threesil.errors import InputError
from threesil.kernel.naming import equation_key, is_instance
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Problem, Theory
from threesil.learn import growing, stages
from threesil.learn.config import ExpertConfig
from threesil.learn.growing import INSTANCES, Graded, derived, growing_theorems
from threesil.learn.lemma_choice import choose_costs, choose_lemmas
from threesil.learn.stages import STAGES, Session, stages_of
from threesil.learn.task import Task, read_task, write_task
from threesil.learn.watching import Watching
from threesil.problems.parts import part_of, split
from threesil.runs.measured import Measured
from threesil.runs.run import DEV, TEST, Run
from threesil.search.learned import Learned, read_learned, with_lemmas
from threesil.search.solvers import make_solver
from threesil.theories import get_theory

GROUPS = get_theory("groups")
SILLY = ["Axiom one: f(g(x)) = h(x).", "Axiom two: g(f(x)) = h(x).", "Axiom three: h(h(x)) = x."]


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_EFFORT", 100)
    monkeypatch.setattr(stages, "derived", few)


def few(theory: Theory, stop: Stop | None = None) -> list[Proof]:
    """Less than is derived in earnest."""
    return derived(theory, considered=60, stop=stop)


@contextmanager
def nobody(stop: Stop, threads: int) -> Iterator[None]:
    yield None


def prepared(
    directory: Path, listed: Sequence[Problem], count: int, *, interrupted: bool = False
) -> Run:
    """A run in groups after the stages before the policy, each perhaps in a session of its own."""
    made = {"listed": True, "generated": count > 0}
    task = Task(GROUPS, tuple(listed), "expert", 1, "groups", "mine", **made)
    run, config = Run(directory), ExpertConfig(generated=max(1, count), threads=1)
    write_task(run, task, config, stages_of(preparing=True, informed=False, table=False))
    session = Session(run, Watching(), nobody)
    for stage in STAGES[:4]:
        stage.do(session, math.inf)
        run.mark({stage.name: True})
        if interrupted:
            session = Session(run, Watching(), nobody)
    return run


def sides(problem: Problem) -> tuple[Term, Term]:
    assert problem.target is not None
    return problem.start, problem.target


@pytest.mark.parametrize("which", ["groups", "silly"])
def test_theorems_grow_and_differ(which: str, tmp_path: Path) -> None:
    theory = GROUPS if which == "groups" else written(tmp_path, *SILLY)
    rules = few(theory)
    made = growing_theorems(theory, 20, 1, rules)
    assert len(made) == 20
    assert made == sorted(made, key=lambda one: one.difficulty)
    assert all(one.difficulty > 6 and one.proof.theory is theory for one in made)
    assert not any(one.proof.known for one in made)  # from the axioms alone
    assert len({equation_key(*sides(one.problem)) for one in made}) == 20
    pairs = list(combinations([sides(one.problem) for one in made], 2))
    related = sum(is_instance(a, b) or is_instance(b, a) for a, b in pairs)
    assert related <= INSTANCES * 20
    again = growing_theorems(theory, 20, 1, rules, threads=2)
    assert [one.problem.start for one in again] == [one.problem.start for one in made]


def test_hard_theorems_are_kept_as_well_as_easy_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "INSTANCES", 1.0)
    rules = derived(GROUPS, considered=300)
    difficulties = [10, 9, 12, 8, 100, 11, 13, 90, 14, 15, 1000, 8, 9, 110, 2000]
    made = [Graded(rule, n) for rule, n in zip(rules, difficulties, strict=False)]
    kept = [one.difficulty for one in growing._chosen(made, 7)]
    assert sorted(kept) == [9, 10, 90, 100, 110, 1000, 2000]
    assert len(growing._chosen(made, 100)) == len(made)


def test_where_all_is_equal_or_nothing_follows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="everything is equal"):
        few(written(tmp_path, "Axiom a: f(x,y) = x.", "Axiom b: f(x,y) = y."))
    nothing = written(tmp_path, "Axiom a: f(x) = f(x).")
    with pytest.raises(InputError, match="too little to learn from"):
        growing_theorems(nothing, 30, 1, few(nothing))


def test_disguises_are_in_the_same_part() -> None:
    loops = get_theory("moufang")
    place, x, y = part_of(loops), var("x"), var("y")
    seen = set()
    for n in range(60):
        s = x
        for _ in range(n):
            s = app("*", s, y)
        left, right = app("\\", x, s), app("/", y, x)
        part = place(Problem("", left, right))
        seen.add(part)
        assert place(Problem("", right, left)) == part
        swap = {"x": y, "y": x}
        assert place(Problem("", left.substitute(swap), right.substitute(swap))) == part
    assert seen == {"train", "dev", "test"}


def test_a_mirror_image_is_in_the_same_part(tmp_path: Path) -> None:
    lines = ["Axiom a: x * (x \\ y) = y.", "Axiom b: (y / x) * x = y."]
    place = part_of(written(tmp_path, *lines))
    x, y = var("x"), var("y")
    s, image = x, x
    for _ in range(40):
        s, image = app("*", s, app("\\", x, y)), app("*", app("/", y, x), image)
        assert place(Problem("", s, y)) == place(Problem("", image, y))


def test_few_problems_are_all_for_training() -> None:
    few = [Problem(str(n), var("x"), var("x")) for n in range(9)]
    assert split(GROUPS, few).train == tuple(few) and not split(GROUPS, few).test


def test_trivial_problems_are_left_out(tmp_path: Path) -> None:
    x = var("x")
    trivial, open_ = Problem("trivial", x, x), Problem("open", app("i", app("i", x)), x)
    run = prepared(tmp_path / "run", [trivial, open_], 0)
    assert read_task(run).problems == (open_,)
    with pytest.raises(InputError, match="there is nothing to prove"):
        prepared(tmp_path / "trivial", [trivial], 0)


def test_each_stage_can_be_resumed(tmp_path: Path) -> None:
    whole = prepared(tmp_path / "whole", [], 30)
    again = prepared(tmp_path / "again", [], 30, interrupted=True)
    assert whole.facts == again.facts
    for name in ("problems.jsonl", "lemmas.jsonl", "costs.json", "dev.tsv", "test.tsv"):
        assert (whole.directory / name).read_bytes() == (again.directory / name).read_bytes(), name


def test_what_was_learned_proves_more(tmp_path: Path) -> None:
    """Lemmas and costs, written and read back; their proofs are part of each proof."""
    run = prepared(tmp_path, [], 40)
    task = read_task(run)
    assert task.lemmas and not any(lemma.known for lemma in task.lemmas)
    parts = (*run.held_out(DEV, GROUPS), *run.held_out(TEST, GROUPS))
    names = {equation_key(*sides(p)) for p in parts}
    assert not any(equation_key(*sides(lemma.problem)) in names for lemma in task.lemmas)
    learned = read_learned(tmp_path, GROUPS)
    assert learned is not None
    assert learned.digest == Learned(GROUPS, task.lemmas, costs=run.costs()).digest
    strategy = make_solver("saturate", GROUPS, weights=tmp_path)
    proved = 0
    for problem in task.problems[-10:]:
        proof = strategy.solve(problem, Budget(3000, None)).proof
        if proof is not None:
            assert proof.theory is GROUPS and not proof.known
            proved += bool(proof.lemmas)
    assert proved > 2
    with pytest.raises(InputError, match="other equations"):
        make_solver("best", get_theory("rings"), weights=tmp_path)


def test_what_was_measured_is_made_again_in_no_time(tmp_path: Path) -> None:
    path = tmp_path / "measured.jsonl"
    rules = few(GROUPS)
    made = growing_theorems(GROUPS, 25, 3, rules, known=Measured(path))
    written = path.read_text()
    known = Measured(path)
    assert known.before > 0 and known.goes_on
    again = growing_theorems(GROUPS, 25, 3, rules, seconds=-1.0, known=known)
    assert [(g.problem, g.difficulty) for g in again] == [(g.problem, g.difficulty) for g in made]
    assert path.read_text() == written and not known.goes_on
    more = growing_theorems(GROUPS, 99, 3, rules, seconds=-1.0, known=Measured(path))
    assert len(more) >= len(made) and path.read_text() == written


def test_a_theory_with_hardly_anything_to_say(tmp_path: Path) -> None:
    """Walks without end, which say the same again and again."""
    (tmp_path / "flip.p").write_text("cnf(one, axiom, a = b). cnf(two, axiom, b = c).")
    theory = get_theory(str(tmp_path / "flip.p"))
    with pytest.raises(InputError, match="too little to learn from"):
        growing_theorems(theory, 30, 1, few(theory))
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        growing_theorems(theory, 30, 1, few(theory), stop=stop)


def test_choices_are_made_on_the_given_problems() -> None:
    rules = few(GROUPS)
    problems = [one.problem for one in growing_theorems(GROUPS, 20, 2, rules)]
    lemmas = choose_lemmas(GROUPS, rules, problems)
    assert 0 < len(lemmas) <= 80 and lemmas[0].problem.name == "learned_1"
    assert choose_lemmas(GROUPS, rules, []) == ()
    choice = choose_costs(with_lemmas(GROUPS, lemmas), problems)
    assert choice.expansions <= choice.without
    without = choose_costs(with_lemmas(GROUPS, ()), problems).without
    assert choice.without < without


def test_names_that_the_theory_has_are_left_to_it(tmp_path: Path) -> None:
    theory = written(
        tmp_path,
        "Constants e.",
        "Axiom learned_1: e * x = x.",
        "Axiom learned_2: i(x) * x = e.",
        "Axiom assoc: (x * y) * z = x * (y * z).",
    )
    rules = few(theory)
    lemmas = choose_lemmas(theory, rules, [rule.problem for rule in rules])
    names = [lemma.problem.name for lemma in lemmas]
    assert names[0] == "learned_3"
    assert len(with_lemmas(theory, lemmas).equations) == 3 + len(names)


def test_a_theory_with_names_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "rules.p"
    numbers = range(1, 12)
    path.write_text(
        "cnf('lemma 1', axiom, m(e,X) = X).\n"
        "cnf('rule 3', axiom, m(i(X),X) = e).\n"
        "cnf('rule 5', axiom, m(m(X,Y),Z) = m(X,m(Y,Z))).\n"
        + "".join(f"cnf('rule {n + 6}', axiom, f{n}(X) = X).\n" for n in numbers)
    )
    theory = get_theory(str(path))
    names = [rule.problem.name for rule in few(theory)]
    assert names
    assert not set(names) & set(theory.by_name)
