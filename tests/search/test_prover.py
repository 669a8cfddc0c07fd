"""Proving equations: every search finds certified proofs, and says so where it finds none."""

from pathlib import Path

import pytest

from threesil.engine import Budget, Saturation, Status, TermSearch
from threesil.errors import InputError
from threesil.problems import parse_problem, sample_set
from threesil.proof import certify
from threesil.search.prover import LARGEST, MODES, Prover, prove
from threesil.search.shorten import drop_loops, shorten
from threesil.terms import app, var
from threesil.theories import AIM, ROBINSON, get_theory
from threesil.theory import Problem, Theory

EXAMPLE = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"
EASY = [
    "x * T(y,x) = y * x",
    r"e * (x \ (x * y)) = y / e",
    r"T(L(x / y,z,w),L(x / y,z,w) \ e) = (L(x / y,z,w) \ e) \ e",
    EXAMPLE,
]
GROUPS = """Theory groups: Groups.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
"""


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Theory:
    path = tmp_path_factory.mktemp("theory") / "groups.thy"
    path.write_text(GROUPS)
    return get_theory(path)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("equation", EASY)
def test_easy_equations_are_proved(mode: str, equation: str) -> None:
    result = Prover("aim", mode=mode).prove(equation, seconds=20)
    assert result.status == "Theorem"
    assert result.proof is not None
    assert result.proof.derivation.end == result.problem.target
    assert result.rewrites is not None and result.rewrites >= 1


def test_a_trivial_equation_has_an_empty_proof() -> None:
    result = prove("x * y = x * y")
    assert result.proved
    assert result.rewrites == 0


@pytest.mark.parametrize("kind", [TermSearch, Saturation])
def test_random_theorems_are_proved(kind: type[TermSearch]) -> None:
    """The two ends of a short random walk are equal, and the searches see it."""
    search = kind(AIM)
    proved = 0
    for problem in sample_set(AIM, 20, seed=5):
        found = search.prove(problem, Budget(200))
        if found.derivation is not None:
            certify(AIM, problem, found.derivation)
            proved += 1
    assert proved >= 8


def test_a_group_theorem_that_needs_a_value_brought_in(groups: Theory) -> None:
    """x * i(x) = e has no proof by rules that need no choice of a value."""
    problem = parse_problem("x * i(x) = e", groups)
    plain = TermSearch(groups).prove(problem, Budget(2000, 5.0))
    assert plain.status is not Status.PROVED
    found = Saturation(groups).prove(problem, Budget(200_000, 20.0))
    assert found.derivation is not None
    certify(groups, problem, found.derivation)


@pytest.mark.parametrize("mode", MODES)
def test_a_false_equation_is_given_up(mode: str) -> None:
    result = Prover("aim", mode=mode).prove("x * y = y * x", seconds=0.3)
    assert result.proof is None
    assert result.status in ("Timeout", "GaveUp")
    assert result.expansions > 0
    assert result.seconds < 3


def test_a_budget_of_expansions_is_kept_and_repeatable() -> None:
    runs = [Prover("aim").prove("x * y = y * x", expansions=500) for _ in range(2)]
    assert runs[0].status == runs[1].status == "GaveUp"
    assert runs[0].expansions == runs[1].expansions <= 500


def test_memory_is_a_limit() -> None:
    problem = parse_problem("x * y = y * x", AIM)
    for kind in (TermSearch, Saturation):
        found = kind(AIM).prove(problem, Budget(10**9, 60.0, terms=5000))
        assert found.status is Status.MEMORY


def test_bad_input() -> None:
    with pytest.raises(InputError, match="unknown mode"):
        Prover("aim", mode="magic")
    with pytest.raises(InputError, match="no equations"):
        Prover(ROBINSON)
    big = var("x")
    for _ in range(LARGEST):
        big = app("*", big, app("e"))
    with pytest.raises(InputError, match="nodes"):
        Prover("aim").prove(Problem("big", big, var("x")))


def test_deep_equations_do_not_crash_the_search() -> None:
    deep = var("x")
    for _ in range(400):
        deep = app("*", deep, app("e"))
    result = Prover("aim").prove(Problem("deep", deep, var("x")), seconds=2)
    assert result.status in ("Theorem", "Timeout", "ResourceOut", "GaveUp")


def test_loops_are_dropped_and_stretches_shortened() -> None:
    problem = parse_problem(r"x * (x \ y) = y", AIM)
    plain = TermSearch(AIM)
    direct = plain.prove(problem, Budget(100)).derivation
    assert direct is not None
    around = direct.then(direct.backwards()).then(direct)
    assert len(around.steps) == 3
    assert drop_loops(around).steps == direct.steps
    detour = plain.prove(parse_problem(r"x * (x \ y) = e * y", AIM), Budget(1000)).derivation
    back = plain.prove(parse_problem("e * y = y", AIM), Budget(1000)).derivation
    assert detour is not None and back is not None
    longer = detour.then(back)
    shorter = shorten(longer, plain, seconds=5)
    assert len(shorter.steps) == 1
    certify(AIM, problem, shorter)


@pytest.mark.data
def test_the_dev_split(data: Path) -> None:
    """Most of the recorded theorems fall within a few hundred instances of the rules."""
    del data
    from threesil.problems import load_set

    prover = Prover("aim")
    results = [prover.prove(p, expansions=600) for p in load_set(AIM, "dev")[:60]]
    assert sum(r.proved for r in results) >= 50
