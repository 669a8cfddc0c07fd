"""What a search has found, offered to another: certified, worth having, never said twice."""

from threesil.engine import Budget, Completion, Found, Lemmas, Saturation, SaturationRun, Status
from threesil.kernel.naming import is_instance
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.problems.files import parse_problem
from threesil.search.searcher import Search
from threesil.search.sharing import SharedEquations, SharedRules
from threesil.search.single import Complete
from threesil.theories import get_theory

LONG = Budget(None, 60.0)


def certified(theory: Theory, lemmas: Lemmas) -> list[Proof]:
    proofs: list[Proof] = []
    for lemma, chain in lemmas:
        proofs.append(certify(theory, lemma, chain, proofs))
    return proofs


def proof_of(theory: Theory, problem: Problem, found: Found) -> Proof:
    assert found.status is Status.PROVED and found.derivation is not None
    return certify(theory, problem, found.derivation, certified(theory, found.lemmas))


def saturated(theory: Theory, text: str, expansions: int) -> SaturationRun:
    run = Saturation(theory).begin(parse_problem(text, theory))
    run.run(Budget(expansions, None))
    return run


def completed(
    theory: Theory, problem: Problem, saturation: SaturationRun, *, count: int = 30, size: int = 16
) -> SharedEquations:
    def begin(extended: Theory) -> Search:
        return Complete(extended).begin(problem, 1_000_000)

    return SharedEquations(theory, problem, saturation, begin, count, size)


def test_rules_of_completion_help_a_saturation() -> None:
    """What it proves with them is certified, the rules as lemmas; without them it takes longer."""
    theory = get_theory("groups")
    problem = parse_problem("i(i(x)) * (y * e) = x * y", theory)
    completion = Completion(theory).begin(parse_problem("x * y = y * x", theory))
    completion.run(Budget(100, None))
    found = SharedRules(theory, problem, completion, 20).run(Budget(500, None))
    assert proof_of(theory, problem, found).lemmas
    assert Saturation(theory).prove(problem, Budget(500, None)).status is not Status.PROVED


def test_equations_of_a_saturation_are_theorems() -> None:
    """Each is the last of the lemmas that prove it; the shortest come first."""
    for name, text in (
        ("groups", "i(x * y) = i(x) * i(y)"),
        ("quandles", "x * (y * z) = z * (y * x)"),
        ("lattices", "m(x,j(y,z)) = j(m(x,y),z)"),
    ):
        theory = get_theory(name)
        found = saturated(theory, text, 2000).equations(20, 16, LONG)
        assert found
        sizes = []
        for derived in found:
            last = certified(theory, derived.lemmas())[-1].problem
            assert last == derived.equation
            assert last.target is not None and last.start != last.target
            sizes.append(last.start.size + last.target.size)
        assert sizes == sorted(sizes) and sizes[-1] <= 16


def test_equations_of_a_saturation_help_a_completion() -> None:
    """Proofs that cite them hold their proofs; a goal that is among them costs next to nothing."""
    theory = get_theory("groups")
    saturation = saturated(theory, "i(i(x)) * y = y", 3000)
    problem = parse_problem("i(i(x)) * (y * e) = x * y", theory)
    found = completed(theory, problem, saturation).run(LONG)
    alone = Completion(theory).begin(problem).run(LONG)
    assert proof_of(theory, problem, found).lemmas
    assert found.expansions < alone.expansions


def test_of_the_equations_none_says_less_than_another() -> None:
    theory = get_theory("groups")
    saturation = saturated(theory, "i(x * y) = i(x) * i(y)", 2000)
    search = completed(theory, parse_problem("x * y = y * x", theory), saturation, count=60)
    search.run(Budget(10, None))
    offered = [(one.equation.start, one.equation.target) for one in search.offered]
    known = [(equation.lhs, equation.rhs) for equation in theory.equations]
    assert offered
    for number, (lhs, rhs) in enumerate(offered):
        assert rhs is not None
        assert not any(is_instance((lhs, rhs), other) for other in known)
        known.append((lhs, rhs))
        assert number < 60


def test_a_saturation_that_has_found_nothing_offers_nothing() -> None:
    theory = get_theory("quandles")
    problem = parse_problem("x * y = y * x", theory)
    for saturation in (Saturation(theory).begin(problem), saturated(theory, "x * y = y * x", 0)):
        assert saturation.equations(10, 16, LONG) == []
        assert completed(theory, problem, saturation).run(LONG).status is Status.EXHAUSTED


def test_a_saturation_resumes_where_its_time_was_spent() -> None:
    """In slices of time it keeps what it has, and offers it; it would begin anew each time."""
    for name, text in (
        ("groups", "i(x * y) = i(x) * i(y)"),
        ("quandles", "x * (y * z) = z * (y * x)"),
        ("lattices", "m(x,j(y,z)) = j(m(x,y),z)"),
    ):
        theory = get_theory(name)
        run = Saturation(theory).begin(parse_problem(text, theory))
        terms = [0.0]
        while len(terms) < 20 or terms[-1] <= 2 * terms[1]:
            slice_ = run.run(Budget(None, 0.003))
            assert slice_.status is Status.SECONDS and len(terms) < 10_000
            terms.append(slice_.figures["terms"])
        assert terms == sorted(terms)
        found = run.equations(20, 16, LONG)
        assert found and all(certified(theory, derived.lemmas()) for derived in found)
