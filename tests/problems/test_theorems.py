"""New theorems: as many as asked for, all different, repeatable, proved, readable again."""

from hashlib import sha256
from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.kernel.proof import Derivation, Step
from threesil.kernel.theory import LEFT_TO_RIGHT, Theory
from threesil.notations.infix import parse_equation
from threesil.problems.files import format_problem, load_problems
from threesil.problems.theorems import _key, _one_rewrite, random_theorems
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON

WALKERS = pytest.mark.parametrize("theory", [AIM, POLYNOMIAL], ids=lambda t: t.name)


@WALKERS
@pytest.mark.parametrize("steps", [1, 4])
def test_theorems(theory: Theory, steps: int) -> None:
    proofs = random_theorems(theory, steps=steps, count=40, seed=3, largest=20)
    assert [proof.problem.name for proof in proofs][::39] == [
        f"walk-{steps}-3-{k}" for k in (1, 40)
    ]
    for proof in proofs:
        terms = proof.derivation.terms
        assert len(set(terms)) == len(terms) == steps + 1
        assert max(term.size for term in terms) <= 20
        assert proof.problem.start != proof.problem.target
        names = proof.problem.start.variables()
        assert names == tuple("xyz"[: len(names)])
    assert len({_key(theory, proof.derivation) for proof in proofs}) == 40
    again = random_theorems(theory, steps=steps, count=10, seed=3, largest=20)
    assert [p.problem for p in again] == [p.problem for p in proofs[:10]]
    other = random_theorems(theory, steps=steps, count=10, seed=4, largest=20)
    assert [p.problem.start for p in other] != [p.problem.start for p in again]


@WALKERS
def test_they_can_be_read_again(theory: Theory, tmp_path: Path) -> None:
    proofs = random_theorems(theory, steps=3, count=30, seed=1)
    path = tmp_path / "new.tsv"
    path.write_text("".join(f"{format_problem(proof.problem, theory)}\n" for proof in proofs))
    read = load_problems(path, theory)
    assert [(p.start, p.target) for p in read] == [
        (proof.problem.start, proof.problem.target) for proof in proofs
    ]


def _chain(text: str) -> Derivation:
    """The two ends of a chain, which are all that is looked at."""
    left, right = parse_equation(text, AIM.signature)
    return Derivation(left, (Step((), "", LEFT_TO_RIGHT, {}, right),))


def test_what_counts_as_the_same() -> None:
    same = ["x * y = T(y,x)", "u * w = T(w,u)", "T(x,y) = y * x"]
    assert len({_key(AIM, _chain(text)) for text in same}) == 1
    assert _key(AIM, _chain("x * y = T(x,y)")) != _key(AIM, _chain(same[0]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T(e * K(x,y),z) = T(K(x,y),z)", True),
        ("K(x,y) = e * K(x,y)", True),
        ("T(T(x,y),z) = T(T(x,z),y)", True),
        ("T(e * x,e * y) = T(x,y)", False),
        ("x * y = y * x", False),
    ],
)
def test_single_rewrites_are_seen(text: str, expected: bool) -> None:
    equations = [(equation.lhs, equation.rhs) for equation in AIM.equations]
    assert _one_rewrite(equations, _chain(text)) is expected


def test_mistakes() -> None:
    with pytest.raises(InputError, match=r"found [0-9]+ different theorems"):
        random_theorems(AIM, steps=1, count=1000, seed=1, largest=3)
    with pytest.raises(InputError, match="not an equation"):
        random_theorems(ROBINSON, steps=1, count=1, seed=1)


def test_a_seed_gives_the_same_theorems_in_every_version() -> None:
    proofs = random_theorems(AIM, steps=8, count=20, seed=99)
    lines = "".join(format_problem(proof.problem, AIM) + "\n" for proof in proofs)
    assert sha256(lines.encode()).hexdigest().startswith("4f80699e3aca567f")


def test_progress_counts_the_theorems() -> None:
    told: list[int] = []
    random_theorems(AIM, steps=2, count=3, seed=1, progress=told.append)
    assert told == [1, 2, 3]
