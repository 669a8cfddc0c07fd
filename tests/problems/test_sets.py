"""Problem sets by name."""

from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.kernel.naming import equation_key
from threesil.kernel.theory import Theory
from threesil.problems.files import parse_problem
from threesil.problems.sets import DATA, load_set, novel, open_set, read_rows, set_sizes
from threesil.search.prover import Prover
from threesil.theories import all_theories, benchmark_of
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON


@pytest.mark.parametrize(("name", "theory"), [("aim-lemmas", None), ("lemmas", AIM)])
def test_lemmas_come_along(name: str, theory: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA, raising=False)
    lemmas = open_set(name, AIM if theory else None)
    assert lemmas.theory is AIM
    assert [problem.name for problem in lemmas.problems] == [e.name for e in AIM.lemmas]
    for problem in lemmas.problems:
        assert problem.name not in lemmas.theory_of(problem).by_name


def test_files_have_the_theory_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "problems.tsv"
    path.write_text("id1\tx * y = y * x\n")
    given = open_set(str(path), AIM)
    assert given.theory_of(given.problems[0]) is AIM
    with pytest.raises(InputError, match="which theory"):
        open_set(str(path))


@pytest.mark.parametrize("name", ["lemmas", "nothing", "robinson-lemmas"])
def test_unknown_sets_name_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="sets of robinson: train, dev, test"):
        open_set(name, ROBINSON)
    with pytest.raises(InputError, match="aim-lemmas"):
        open_set("nothing")


def test_sizes_without_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(DATA, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bundled = {"open": 31, "lemmas": 70}
    assert set_sizes(AIM) == {"train": None, "dev": None, "test": None, **bundled}
    assert set_sizes(POLYNOMIAL) == {"train": None, "dev": None, "test": None}


@pytest.mark.data
def test_sizes(data: Path) -> None:
    del data
    sizes = set_sizes(AIM)
    assert (sizes["train"], sizes["dev"], sizes["lemmas"]) == (2787, 312, 70)
    assert len(open_set("aim-dev").problems) == 312


@pytest.mark.parametrize("name", [t.name for t in all_theories() if benchmark_of(t).goals])
def test_bundled_goals_are_theorems(name: str) -> None:
    goals = open_set(f"{name}-goals")
    assert set_sizes(goals.theory)["goals"] == len(goals.problems) >= 5
    prover = Prover(goals.theory)
    missed = [p.name for p in goals.problems if not prover.prove(p, seconds=60).proved]
    assert not missed


def test_open_questions_on_aim_loops() -> None:
    """The conjecture, and what says that the nilpotency class is three: three K or a in a row."""
    questions = open_set("aim-open").problems
    names = [problem.name for problem in questions]
    assert len(set(names)) == len(names) == 7 + 24
    deep = [p for p in questions if p.name.startswith("class3")]
    for problem in deep:
        heads = [t.head for t in problem.start.subterms() if t.args]
        assert len(heads) == 3 and set(heads) <= {"K", "a"} and heads.count("K") <= 1


@pytest.mark.data
def test_no_theorem_is_trained_on_that_is_tested(data: Path) -> None:
    """Up to names of variables and to swapping sides; none comes twice either."""
    train, dev = ([*load_set(AIM, name)] for name in ("train", "dev"))
    keys = [[equation_key(p.start, p.target or p.start) for p in part] for part in (train, dev)]
    assert len(set(keys[0])) == len(train)
    assert not set(keys[0]) & set(keys[1])
    names = {problem.name for problem in (*train, *dev)}
    dropped = [
        row for row in read_rows(data / "aim/problems.tsv", AIM) if row.columns[0] not in names
    ]
    assert len(dropped) == 22
    kept = {key for part in keys for key in part}
    for row in dropped:
        problem = parse_problem(row.columns[1], AIM)
        assert problem.target is not None
        assert equation_key(problem.start, problem.target) in kept


@pytest.mark.slow
@pytest.mark.data
def test_theorems_that_are_no_instance_of_a_trained_one(data: Path) -> None:
    del data
    dev = load_set(AIM, "dev")
    found = novel(dev, load_set(AIM, "train"))
    assert len(found) == 115
    assert {p.name for p in found} <= {p.name for p in dev}


THEORIES = pytest.mark.parametrize("theory", all_theories(), ids=lambda t: t.name)


@pytest.mark.data
@THEORIES
def test_sizes_are_those_of_the_problems(theory: Theory, data: Path) -> None:
    del data
    sizes = set_sizes(theory)
    sizes.pop("lemmas", None)
    for name, size in sizes.items():
        if size is None:
            with pytest.raises(InputError, match=f"threesil data fetch {theory.name}"):
                load_set(theory, name)
        else:
            assert size == len(load_set(theory, name))


TRICKY = {
    ROBINSON: (
        "train",
        "robinson/train.tsv.gz",
        """# a comment
        S0\t1\t5
        3\t3\t1
        S(S(0))\t2\t1
        1 + 2\t3\t0
        1 + 2\t3\t89
        +S0S0\t2\t90
        +S0S0\t2\t?
        S(3 * 0)\t1\t2""",
        2,
    ),
    POLYNOMIAL: (
        "train",
        "polynomial/poly1.tsv.gz",
        """x + 1\t(x + S(0))
        1 + x\tx + 1
        x * (y + z)\tx * y + z
        ((x))\tx
        +xy\t(x) + y
        12 * x\t100 * x
        12 * x\t12 * x + 0 * 12""",
        3,
    ),
    AIM: ("dev", "aim/problems.tsv", "a1\tx * y = (x * y)\na2\tx * y = y * x\n", 1),
}


@pytest.mark.parametrize("theory", TRICKY, ids=lambda t: t.name)
def test_sizes_of_tricky_rows(
    theory: Theory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other notations, numerals, brackets, solved problems, numbers too large."""
    name, file, text, size = TRICKY[theory]
    files = {file} | ({f"polynomial/poly{k}.tsv.gz" for k in range(1, 7)} - {file})
    for each in files if theory is POLYNOMIAL else {file}:
        path = tmp_path / each
        path.parent.mkdir(exist_ok=True)
        rows = text if each == file else "x * 1\tx"
        path.write_text("\n".join(line.strip(" ") for line in rows.split("\n")))
    monkeypatch.setenv(DATA, str(tmp_path))
    others = 5 if theory is POLYNOMIAL else 0
    assert set_sizes(theory)[name] == len(load_set(theory, name)) == size + others


# Files with equations of their own

UNIT = "cnf(unit, axiom, f(e,X) = X).\n"


def test_files_directories_and_lists_are_sets(tmp_path: Path) -> None:
    for name, goal in (("one", "f(e,a) != a"), ("two", "f(e,f(e,b)) != b")):
        (tmp_path / f"{name}.p").write_text(f"{UNIT}cnf(g, negated_conjecture, {goal}).")
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "some.list").write_text("# both\n\ntwo.p\none.p\n")
    single = open_set(str(tmp_path / "one.p"))
    assert [problem.name for problem in single.problems] == ["one"]
    assert [equation.name for equation in single.theory.equations] == ["unit"]
    listed = {str(tmp_path): ["one", "two"], f"@{tmp_path}/some.list": ["two", "one"]}
    for name, expected in listed.items():
        found = open_set(name)
        assert [problem.name for problem in found.problems] == expected
        assert {found.theory_of(p).name for p in found.problems} == {"one", "two"}
    for problem in found.problems:
        assert Prover(found.theory_of(problem)).prove(problem, seconds=5).proved


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    text = f"{UNIT}cnf(g, negated_conjecture, f(e,a) != a)."
    (tmp_path / "sub").mkdir()
    for name in ("a.p", "b.p", "b.tptp", "c.p", "sub/c.p"):
        (tmp_path / name).write_text(text)
    found = open_set(str(tmp_path))
    names = ["a", "b.p", "b.tptp", f"{tmp_path}/c.p", f"{tmp_path}/sub/c.p"]
    assert [problem.name for problem in found.problems] == names


def test_bad_lists(tmp_path: Path) -> None:
    (tmp_path / "a.p").write_text(f"{UNIT}cnf(g, negated_conjecture, f(e,a) != a).")
    (tmp_path / "twice.list").write_text("a.p\na.p\n")
    with pytest.raises(InputError, match=r"a\.p is listed twice"):
        open_set(f"@{tmp_path}/twice.list")
    with pytest.raises(InputError, match="there is no list"):
        open_set(f"@{tmp_path}/none.list")
    (tmp_path / "lost.list").write_text("lost.p\n")
    with pytest.raises(InputError, match="there is no such file"):
        open_set(f"@{tmp_path}/lost.list")
    (tmp_path / "a.p").write_text(UNIT)
    with pytest.raises(InputError, match="has no goal"):
        open_set(str(tmp_path / "a.p"))
    with pytest.raises(InputError, match="there is no such file"):
        open_set(str(tmp_path / "b.p"))
