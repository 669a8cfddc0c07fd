"""Proving equations: every search finds certified proofs, and says so where it finds none."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from samples import GROUPS_FILE, random_chain, untrained, written
from threesil.engine import Budget, Saturation, Status, TermSearch
from threesil.errors import InputError
from threesil.kernel.outcome import SZS
from threesil.kernel.proof import Derivation, certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Problem, Theory
from threesil.learn.agent import Agent
from threesil.learn.config import ExpertConfig
from threesil.learn.expert import Expert
from threesil.nets.policy import Policy
from threesil.problems.files import parse_problem
from threesil.problems.sets import sample_set
from threesil.proofs.factoring import drop_loops
from threesil.proofs.shorten import shorten
from threesil.runs.weights import bundled_policy
from threesil.search.prover import Prover, prove
from threesil.search.searcher import LARGEST
from threesil.search.solvers import SOLVERS
from threesil.search.weights import Uses
from threesil.theories import get_theory
from threesil.theories.aim import AIM

EXAMPLE = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"
EASY = [
    "x * T(y,x) = y * x",
    r"e * (x \ (x * y)) = y / e",
    r"T(L(x / y,z,w),L(x / y,z,w) \ e) = (L(x / y,z,w) \ e) \ e",
    EXAMPLE,
]
FALSE = "x * y = y * x"
NAMES = [name for name in SOLVERS if name != "refute"]
NEED_WEIGHTS = [name for name in NAMES if Uses.POLICY in SOLVERS[name].requires]


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Theory:
    return written(tmp_path_factory.mktemp("theory"), GROUPS_FILE)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of weights that have learned the easy equations by heart."""
    problems = [parse_problem(text, AIM) for text in EASY]
    config = ExpertConfig(NB=300, learning_rate=0.01, expansions=3000, hindsight=0, threads=1)
    agent = Agent(AIM, problems, config, seed=1)
    metrics = next(Expert(agent, config).train())
    assert metrics["solutions"] == len(problems)
    path = tmp_path_factory.mktemp("weights") / "easy.safetensors"
    agent.net.policy({}).save(path)
    return path


def prover(solver: str, trained: Path) -> Prover:
    return Prover("aim", solver=solver, weights=trained if solver in NEED_WEIGHTS else None)


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("equation", EASY)
def test_easy_equations_are_proved(solver: str, equation: str, trained: Path) -> None:
    result = prover(solver, trained).prove(equation, seconds=20)
    assert result.status == "Theorem"
    assert result.proof is not None
    assert result.proof.derivation.end == result.problem.target
    assert result.rewrites is not None and result.rewrites >= 1


@pytest.mark.parametrize("solver", [solver for solver in NAMES if solver != "complete"])
def test_many_are_proved_in_their_order(solver: str, trained: Path) -> None:
    chosen = [EASY[0], FALSE, *EASY[1:]]
    results = list(prover(solver, trained).prove_all(chosen, expansions=3000))
    assert [r.problem.name for r in results] == chosen
    assert [r.proved for r in results] == [True, False, *[True] * (len(EASY) - 1)]


def test_results_come_one_by_one() -> None:
    """The second equation is not even read before the first result is there."""
    results = Prover("aim", solver="plain").prove_all([EASY[0], "x * ("], expansions=100)
    assert next(results).proved
    with pytest.raises(InputError):
        next(results)


@pytest.mark.parametrize("solver", NAMES)
def test_budgets_in_expansions_are_repeatable(solver: str, trained: Path) -> None:
    """The same proof twice, on an object that has just proved something else too."""
    used = prover(solver, trained)
    for equation in (*EASY, FALSE):
        first, again, fresh = (
            p.prove(equation, expansions=1500) for p in (used, used, prover(solver, trained))
        )
        for other in (again, fresh):
            assert (first.status, first.expansions) == (other.status, other.expansions)
            assert (first.proof is None) == (other.proof is None)
            if first.proof and other.proof:
                assert first.proof.derivation == other.proof.derivation


def test_seeds_are_different_samples() -> None:
    weights = untrained(AIM)
    equation = r"(x * y) / y = z \ (z * x)"
    counts = [
        Prover("aim", solver="sample", weights=weights, seed=seed).prove(
            equation, expansions=20_000
        )
        for seed in range(3)
    ]
    assert len({result.expansions for result in counts}) == 3


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


@pytest.mark.parametrize("solver", NAMES)
def test_a_false_equation_is_not_proved(solver: str, trained: Path) -> None:
    result = prover(solver, trained).prove(FALSE, seconds=0.3)
    assert result.proof is None
    expected = {"greedy": {"GaveUp"}, "ladder": {"GaveUp", "Timeout"}}
    expected |= {name: {"CounterSatisfiable", "Timeout"} for name in ("best", "unguided")}
    assert result.status in expected.get(solver, {"Timeout"})
    assert result.expansions > 0


@pytest.mark.parametrize("solver", ["best", "unguided", "guided", "plain", "saturate"])
def test_a_budget_of_expansions_is_kept(solver: str) -> None:
    weights = untrained(AIM) if solver in (*NEED_WEIGHTS, "best") else None
    for allowed in (1, 5, 501):
        result = Prover("aim", solver=solver, weights=weights).prove(FALSE, expansions=allowed)
        assert result.status == "GaveUp"
        assert 0 < result.expansions <= allowed


def test_memory_is_a_limit() -> None:
    problem = parse_problem(FALSE, AIM)
    for kind in (TermSearch, Saturation):
        found = kind(AIM).prove(problem, Budget(10**9, 60.0, terms=5000))
        assert found.status is Status.MEMORY


def test_bad_input() -> None:
    with pytest.raises(InputError, match="unknown solver 'magic'; expected best"):
        Prover("aim", solver="magic")
    big = var("x")
    for _ in range(LARGEST):
        big = app("*", big, app("e"))
    outcome = Prover("aim").prove(Problem("big", big, var("x")))
    assert outcome.status is SZS.GAVE_UP
    assert "nodes; at most 1000" in outcome.reason
    with pytest.raises(InputError, match="solver best has no option attempts"):
        Prover("aim", attempts=3)
    with pytest.raises(InputError, match="solver plain uses no weights"):
        Prover("aim", solver="plain", weights="somewhere")


def test_deep_equations_do_not_crash_the_search() -> None:
    deep = var("x")
    for _ in range(400):
        deep = app("*", deep, app("e"))
    result = Prover("aim").prove(Problem("deep", deep, var("x")), seconds=2)
    assert result.status in ("Theorem", "Timeout", "ResourceOut", "GaveUp")


# Weights


def test_weights_can_be_given_in_many_ways(trained: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    model = Policy.load(trained, AIM)
    model.save(run / "model.safetensors")
    derivations = []
    for way in (trained, str(trained), run, str(run), model):
        result = Prover("aim", solver="guided", weights=way).prove(EASY[1], expansions=500)
        assert result.proof is not None
        derivations.append(result.proof.derivation)
    assert all(derivation == derivations[0] for derivation in derivations)


@pytest.mark.parametrize("solver", ["best", *NEED_WEIGHTS])
def test_weights_of_another_theory_are_refused(solver: str, groups: Theory, tmp_path: Path) -> None:
    model = untrained(groups)
    model.save(tmp_path / "model.safetensors")
    for other in (model, tmp_path, str(tmp_path / "model.safetensors")):
        with pytest.raises(InputError, match=r"weights of groups.* aim"):
            Prover("aim", solver=solver, weights=other)


def test_weights_that_are_not_there(groups: Theory, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="in nowhere: expected a finished run"):
        Prover("aim", solver="guided", weights="nowhere")
    with pytest.raises(InputError, match=": expected a finished run"):
        Prover("aim", solver="guided", weights=tmp_path)
    for solver in NEED_WEIGHTS:
        with pytest.raises(InputError, match="no weights of groups are bundled; train some"):
            Prover(groups, solver=solver)
    assert Prover(groups).solver.weights.policy is None


def test_without_a_choice_the_bundled_weights_are_used() -> None:
    bundled = bundled_policy(AIM)
    if bundled is None:
        with pytest.raises(InputError, match="no weights of aim are bundled"):
            Prover("aim", solver="guided")
    else:
        found = Prover("aim", solver="guided").solver.weights.policy
        assert found is not None
        assert found.parameters.tobytes() == bundled.parameters.tobytes()
    assert (Prover("aim").solver.weights.policy is None) == (bundled is None)
    assert Prover("aim", solver="unguided").solver.weights.policy is None


def test_a_part_of_a_theory_uses_the_weights_of_the_whole(trained: Path) -> None:
    lemmas = [lemma.name for lemma in AIM.lemmas]
    part = get_theory(f"aim:{lemmas[10]}")
    for solver in ("guided", "best"):
        result = Prover(part, solver=solver, weights=trained).prove(EASY[1], expansions=2000)
        assert result.proof is not None
        assert result.proof.theory is part
        assert set(lemmas[10:]).isdisjoint(s.equation for s in result.proof.derivation.steps)
    for solver in ("tree", "sample", "greedy"):
        with pytest.raises(InputError, match="can't leave equations out; use best or guided"):
            Prover(part, solver=solver, weights=trained).prove(EASY[1])


@pytest.mark.parametrize("solver", ["guided", "tree", "sample", "greedy"])
def test_a_theory_file_read_twice_is_the_same_theory(solver: str, tmp_path: Path) -> None:
    weights = untrained(written(tmp_path, GROUPS_FILE))
    again = Prover(tmp_path / "mine.thy", solver=solver, weights=weights)
    assert again.prove("e * x = e * x").proved


def test_weights_find_what_fixed_costs_do_not(groups: Theory) -> None:
    """A value has to be brought in; plain search has no rule for that."""
    equation = "i(x) * (x * y) = y"
    assert Prover(groups, solver="guided", weights=untrained(groups)).prove(equation).proved
    theory_rule = parse_problem("x * i(x) = e", groups)
    assert not Prover(groups, solver="plain").prove(theory_rule, expansions=300).proved


# Shorter derivations


def joined(*terms: str) -> Derivation:
    """A rewrite from each term to the next."""
    plain = TermSearch(AIM)
    whole = Derivation(parse_problem(f"{terms[0]} = e", AIM).start)
    for left, right in pairwise(terms):
        found = plain.prove(parse_problem(f"{left} = {right}", AIM), Budget(1000), length=1)
        assert found.derivation is not None
        whole = whole.then(found.derivation)
    return whole


DETOUR = (r"x * (x \ y)", r"e * (x * (x \ y))", "e * y", "y")


def test_loops_are_dropped() -> None:
    problem = parse_problem(r"x * (x \ y) = y", AIM)
    direct = TermSearch(AIM).prove(problem, Budget(100)).derivation
    assert direct is not None
    around = direct.then(direct.backwards()).then(direct)
    assert len(around.steps) == 3
    assert drop_loops(around).steps == direct.steps


def test_stretches_are_shortened() -> None:
    shorter = shorten(joined(*DETOUR), TermSearch(AIM), Budget(20_000))
    assert len(shorter.steps) == 1
    certify(AIM, parse_problem(r"x * (x \ y) = y", AIM), shorter)


def test_a_longer_detour_is_shortened() -> None:
    """Two rewrites would do."""
    terms = ("(x * e) / e", "e * ((x * e) / e)", "e * (x / e)", "e * ((x / e) * e)", "e * x", "x")
    long = joined(*terms)
    assert len(drop_loops(long).steps) == 5
    shorter = shorten(long, TermSearch(AIM), Budget(20_000))
    certify(AIM, parse_problem("(x * e) / e = x", AIM), shorter)
    assert len(shorter.steps) == 1


def test_shortening_never_makes_longer() -> None:
    plain = TermSearch(AIM)
    shortened = 0
    for seed in range(25):
        walk = random_chain(AIM, Random(seed), 5, size=30)
        problem = Problem("walk", walk.start, walk.end)
        shorter = shorten(walk, plain, Budget(3000))
        certify(AIM, problem, shorter)
        assert len(shorter.steps) <= len(walk.steps)
        shortened += len(shorter.steps) < len(walk.steps)
    assert shortened >= 3


def test_shortening_keeps_to_its_budget() -> None:
    long = joined(*DETOUR)
    for budget in (Budget(0), Budget(20_000, seconds=0.0)):
        assert shorten(long, TermSearch(AIM), budget) == long


@pytest.mark.parametrize("length", range(1, 6))
def test_a_search_keeps_to_the_length(length: int) -> None:
    plain = TermSearch(AIM)
    proved = 0
    for seed in range(15):
        walk = random_chain(AIM, Random(seed), 4, size=20)
        problem = Problem("walk", walk.start, walk.end)
        found = plain.prove(problem, Budget(200), length=length)
        if found.derivation is not None:
            certify(AIM, problem, found.derivation)
            assert len(found.derivation.steps) <= length
            proved += 1
    assert bool(proved) == (length > 1)


def test_a_length_that_is_too_short_is_exhausted() -> None:
    """Two rewrites are needed: a third is no hindrance, one is not enough."""
    problem = parse_problem("e * x = x * e", AIM)
    plain = TermSearch(AIM)
    for length in (0, 1):
        found = plain.prove(problem, Budget(10_000), length=length)
        assert (found.status, found.derivation) == (Status.EXHAUSTED, None)
    for length in (2, 3):
        found = plain.prove(problem, Budget(10_000), length=length)
        assert found.derivation is not None
        assert len(found.derivation.steps) == 2
    same = parse_problem("e * x = e * x", AIM)
    assert plain.prove(same, Budget(10), length=0).status is Status.PROVED


def test_an_odd_length_is_divided(tmp_path: Path) -> None:
    """a, b, ..., f in a row, to be rewritten one way or the other."""
    steps = [f"Axiom {a}{b}: {a} = {b}." for a, b in pairwise("abcdef")]
    theory = written(tmp_path, "Constants a, b, c, d, e, f.", *steps)
    rows = [f"Rule {a}{b}: {a} -> {b}." for a, b in pairwise("abcdef")]
    one_way = written(tmp_path, "Constants a, b, c, d, e, f.", *rows, name="one_way")
    for chosen in (theory, one_way):
        for length in range(5):
            problem = parse_problem("a = e", chosen)
            found = TermSearch(chosen).prove(problem, Budget(100), length=length)
            proved = length >= 4 and chosen is theory
            assert (found.status is Status.PROVED) == proved, (chosen.name, length)


@pytest.mark.data
def test_the_dev_split(data: Path) -> None:
    """Most of the recorded theorems fall within a few hundred instances of the rules."""
    del data
    from threesil.problems.sets import load_set

    prover = Prover("aim")
    results = [prover.prove(p, expansions=600) for p in load_set(AIM, "dev")[:60]]
    assert sum(r.proved for r in results) >= 50
