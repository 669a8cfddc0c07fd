"""Weights find their theory: under other names, inside another one, or around it."""

from pathlib import Path

import pytest

from disguise import disguised, in_disguise, renamed, theory_of, with_commutativity
from run_samples import describe
from samples import GROUPS_FILE, equation, untrained, written
from threesil.engine import Budget
from threesil.errors import InputError
from threesil.kernel.matching import find_correspondence
from threesil.kernel.naming import equation_key
from threesil.kernel.proof import certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.learn.growing import derived
from threesil.nets.policy import Policy
from threesil.problems.files import parse_problem
from threesil.provers.lemmas import find_lemmas
from threesil.runs.weights import bundled_policy
from threesil.search.best import Best
from threesil.search.correspondence import common_part, theory_of_search
from threesil.search.learned import with_lemmas
from threesil.search.prover import Prover
from threesil.search.solvers import SOLVERS, make_solver
from threesil.search.translated import Translated
from threesil.search.weights import Uses
from threesil.theories import get_theory
from threesil.theories.aim import AIM

EASY = [
    "x * T(y,x) = y * x",
    r"e * (x \ (x * y)) = y / e",
    r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)",
]
LOOPS = ["lid", "rid", "b1", "b2", "s1", "s2"]
WITH_POLICY = [name for name, kind in SOLVERS.items() if Uses.POLICY in kind.uses]
GUIDED = ["best", "guided"]


def checked(prover: Prover, problem: Problem, **budget: float) -> list[str]:
    """The names of the equations in a proof that the user's theory accepts."""
    outcome = prover.prove(problem, **budget)  # type: ignore[arg-type]
    assert outcome.proof is not None, outcome
    assert outcome.proof.theory is prover.theory
    assert outcome.problem == problem == outcome.proof.problem
    certify(prover.theory, problem, outcome.proof.derivation)
    names = [step.equation for step in outcome.proof.derivation.steps]
    assert set(names) <= set(prover.theory.by_name)
    return names


# The same theory


@pytest.mark.parametrize("solver", WITH_POLICY)
def test_the_bundled_weights_are_used_under_other_names(solver: str) -> None:
    theory, symbols = disguised(AIM, 1)
    prover = Prover(theory, solver=solver)
    bundled = bundled_policy(AIM)
    policy = prover.solver.weights.policy
    assert policy is not None and bundled is not None
    assert policy.parameters.tobytes() == bundled.parameters.tobytes()
    assert prover.solver.note == (
        "uses the weights of aim: its equations are these under other names"
    )
    names = checked(prover, in_disguise(equation(EASY[0]), symbols), seconds=20)
    assert all(name.startswith("law") for name in names)


def test_the_learned_search_goes_the_same_way() -> None:
    """Under other names it expands as much, and finds the same rewrites."""
    theory, symbols = disguised(AIM, 2)
    there, here = Prover("aim", solver="guided"), Prover(theory, solver="guided")
    by = find_correspondence(AIM, theory)
    assert by is not None
    for text in EASY:
        mine, theirs = equation(text), in_disguise(equation(text), symbols)
        expected, found = there.prove(mine, expansions=500), here.prove(theirs, expansions=500)
        assert expected.proof is not None
        assert (found.status, found.expansions) == (expected.status, expected.expansions)
        names = [by.equations[s.equation].name for s in expected.proof.derivation.steps]
        assert checked(here, theirs, expansions=500) == names


def test_equations_in_another_order_are_no_other_names() -> None:
    theory = theory_of(reversed(AIM.equations), AIM.signature.symbols)
    solver = make_solver("guided", theory)
    assert solver.note == "uses the weights of aim: its equations are these"
    assert make_solver("guided", AIM).note == ""
    assert make_solver("guided", get_theory("aim:id1")).note == ""


def test_constants_of_a_goal_do_not_matter() -> None:
    other, symbols = disguised(AIM, 3)
    theory = theory_of(other.equations, {**other.signature.symbols, "c": 0, "d": 0})
    values = {"x": app("c"), "y": app("d")}
    for solver in GUIDED:
        prover = Prover(theory, solver=solver)
        assert prover.solver.note.endswith("its equations are these under other names")
        for text in EASY:
            general = in_disguise(equation(text), symbols)
            assert general.target is not None
            sides = general.start.substitute(values), general.target.substitute(values)
            checked(prover, Problem("goal", *sides), seconds=20)


def test_functions_of_a_goal_are_left_to_the_others() -> None:
    other, symbols = disguised(AIM, 4)
    theory = theory_of(other.equations, {**other.signature.symbols, "h": 1})
    x = var("x")
    problem = Problem("goal", app("h", app(symbols["*"], x, app(symbols["e"]))), app("h", x))
    checked(Prover(theory), problem, seconds=20)
    outcome = Prover(theory, solver="guided").prove(problem)
    assert outcome.status == "GaveUp"
    assert outcome.reason == "it has functions that aim lacks"


@pytest.mark.parametrize("solver", WITH_POLICY)
def test_budgets_are_kept(solver: str) -> None:
    theory, symbols = disguised(AIM, 5)
    false = in_disguise(equation("x * y = y * x"), symbols)
    steps = 5 if "steps" in SOLVERS[solver].options else None
    prover = Prover(theory, solver=solver, steps=steps)
    outcome = prover.prove(false, expansions=50)
    assert outcome.status == "GaveUp"
    assert outcome.problem == false
    assert outcome.proof is None


@pytest.mark.parametrize("solver", GUIDED)
def test_lemmas_for_other_provers_are_found(solver: str) -> None:
    theory, symbols = disguised(AIM, 17)
    problem = equation(r"T(x / (y \ x),y) = y")
    there = find_lemmas(Prover("aim", solver=solver).solver, problem, Budget(50))
    here = find_lemmas(
        Prover(theory, solver=solver).solver, in_disguise(problem, symbols), Budget(50)
    )
    assert len(here) == len(there) > 5
    for mine, theirs in zip(here, there, strict=True):
        assert mine.proof.theory is theory
        sides = [renamed(t, symbols, {}) for t in (theirs.equation.lhs, theirs.equation.rhs)]
        assert equation_key(mine.equation.lhs, mine.equation.rhs) == equation_key(*sides)
    more = theory_of(theory.equations, {**theory.signature.symbols, "h": 1})
    strange = Problem("strange", app("h", var("x")), var("x"))
    assert find_lemmas(Prover(more, solver=solver).solver, strange, Budget(50)) == []


def test_searches_without_weights_stay_as_they_are() -> None:
    theory, _ = disguised(AIM, 6)
    for name in ("plain", "saturate", "unguided"):
        solver = make_solver(name, theory)
        assert solver.note == ""
        assert type(solver) is SOLVERS[name]


# A theory with more, or with less


def test_one_more_equation() -> None:
    """The weights guide what needs the old equations; the others see the new one."""
    other, symbols = disguised(AIM, 7)
    theory = with_commutativity(other, symbols["*"])
    prover = Prover(theory)
    assert isinstance(prover.solver, Best)
    assert prover.solver.note == (
        "uses the weights of aim: its equations are among these under other names"
    )
    for text in EASY:
        checked(prover, in_disguise(equation(text), symbols), seconds=20)
    needs_it = in_disguise(equation("T(x,y) = x"), symbols)
    assert "x_by_y" in checked(prover, needs_it, seconds=20)
    guided = Prover(theory, solver="guided")
    checked(guided, in_disguise(equation(EASY[2]), symbols), seconds=20)
    assert not guided.prove(needs_it, expansions=200).proved


@pytest.mark.parametrize("solver", GUIDED)
def test_axioms_alone(solver: str) -> None:
    """A file with the axioms and definitions of AIM has no lemmas, and none is used."""
    theory, symbols = disguised(get_theory("aim:id1"), 8)
    prover = Prover(theory, solver=solver)
    assert prover.solver.note == (
        "uses the weights of aim: these equations are among its own under other names"
    )
    for text in EASY[:2]:
        checked(prover, in_disguise(equation(text), symbols), seconds=20)
    with pytest.raises(InputError, match="can't leave equations out; use best or guided"):
        Prover(theory, solver="tree")


def test_axioms_and_an_assumption() -> None:
    other, symbols = disguised(get_theory("aim:id1"), 9)
    theory = with_commutativity(other, symbols["*"])
    prover = Prover(theory)
    assert prover.solver.note == (
        "uses the weights of aim: 17 of its equations are among these under other names"
    )
    for text in EASY[:2]:
        checked(prover, in_disguise(equation(text), symbols), seconds=20)
    assert "x_by_y" in checked(prover, in_disguise(equation("T(x,y) = x"), symbols), seconds=20)


def test_an_assumption_about_a_part_is_no_part() -> None:
    theory = with_commutativity(get_theory("aim:id1"), "*")
    assert theory.base is None
    prover = Prover(theory)
    assert prover.solver.note == "uses the weights of aim: 17 of its equations are among these"
    checked(prover, equation("T(x,y) = x"), seconds=20)


def test_what_the_search_may_use() -> None:
    theory, _ = disguised(get_theory("aim:id3"), 10)
    by = common_part(AIM, theory)
    assert by is not None
    part = theory_of_search(by)
    assert part.base is AIM
    assert [e.name for e in part.equations] == [e.name for e in get_theory("aim:id3").equations]


def test_a_few_equations_are_not_enough(tmp_path: Path) -> None:
    """Loops have six of AIM's equations; groups, semigroups and units alone get no weights."""
    groups = written(tmp_path, GROUPS_FILE)
    loops, _ = disguised(AIM.without(set(AIM.by_name) - set(LOOPS), "loops"), 11)
    few, _ = disguised(AIM.without(set(AIM.by_name) - set(LOOPS[:4]), "few"), 12)
    assert "are among its own" in Prover(loops).solver.note
    for theory in (groups, few):
        prover = Prover(theory)
        assert prover.solver.weights.policy is None
        assert prover.solver.note == ""
        with pytest.raises(InputError, match="are bundled; train some"):
            Prover(theory, solver="guided")


def test_a_changed_axiom_is_no_match() -> None:
    first, *others = AIM.equations
    changed = Equation(first.name, app("*", app("e"), app("e")), app("e"))
    theory, _ = disguised(theory_of([changed, *others], AIM.signature.symbols), 13)
    assert Prover(theory).solver.weights.policy is None


# Weights that are given


@pytest.fixture
def groups(tmp_path: Path) -> Theory:
    return written(tmp_path, GROUPS_FILE)


def test_given_weights_of_a_theory_in_other_words(groups: Theory) -> None:
    model = untrained(groups)
    theory, symbols = disguised(groups, 14)
    assert Prover(theory).solver.weights.policy is None
    prover = Prover(theory, solver="guided", weights=model)
    assert prover.solver.weights.policy is model
    assert "weights of groups: its equations are these" in prover.solver.note
    checked(prover, in_disguise(parse_problem("i(x) * (x * y) = y", groups), symbols))


def test_a_given_file_of_a_bundled_theory(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    untrained(AIM).save(path)
    theory, symbols = disguised(AIM, 15)
    for way in (path, tmp_path, str(path), "best"):
        prover = Prover(theory, solver="guided", weights=way)
        assert "weights of aim: its equations are these" in prover.solver.note
        checked(prover, in_disguise(equation(r"x * (x \ y) = y"), symbols))


def run_of(directory: Path, model: Policy, source: str) -> Path:
    """A run's directory, as far as it says what its model is of."""
    model.save(describe(directory, source=source).weights_path)
    return directory


def test_a_run_of_a_part_guides_the_whole(tmp_path: Path) -> None:
    part = get_theory("aim:id3")
    run = run_of(tmp_path / "run", untrained(part), "aim:id3")
    prover = Prover(AIM, solver="guided", weights=run)
    assert prover.solver.note == "uses the weights of aim:id3: its equations are among these"
    checked(prover, equation(r"x * (x \ y) = y"))
    own = Prover(part, solver="guided", weights=run)
    assert own.solver.note == ""
    checked(own, equation(r"x * (x \ y) = y"))


def test_a_run_that_keeps_its_theory(groups: Theory, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", untrained(groups), "theory/mine.thy")
    theory, symbols = disguised(groups, 16)
    problem = in_disguise(parse_problem("i(x) * (x * y) = y", groups), symbols)
    with pytest.raises(InputError, match="weights of groups"):
        Prover(theory, solver="guided", weights=run)
    (run / "theory").mkdir()
    (tmp_path / "mine.thy").rename(run / "theory" / "mine.thy")
    prover = Prover(theory, solver="guided", weights=run)
    assert isinstance(prover.solver, Translated)
    checked(prover, problem)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"source": 3}', '{"source": "../x"}'])
def test_damaged_runs_are_no_surprise(content: str, groups: Theory, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", untrained(groups), "aim")
    (run / "run.json").write_text(content)
    with pytest.raises(InputError, match=r"weights of groups.* aim"):
        Prover("aim", solver="guided", weights=run)


# What a run has learned


@pytest.fixture(scope="module")
def run_of_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run with lemmas, costs of rules and a policy, as training leaves it."""
    directory, groups = tmp_path_factory.mktemp("run"), get_theory("groups")
    lemmas = derived(groups, considered=60)
    extended = with_lemmas(groups, lemmas)
    costs = {rule: float(n % 3) for n, rule in enumerate(extended.rewrites())}
    untrained(extended).save(directory / "model.safetensors")
    run = describe(directory, source="groups", digest=groups.digest, theory="groups")
    run.write_lemmas(lemmas)
    run.write_costs(costs)
    return directory


@pytest.mark.parametrize("solver", ["best", "guided", "saturate"])
def test_a_run_is_used_under_other_names(solver: str, run_of_groups: Path) -> None:
    groups = get_theory("groups")
    theory, symbols = disguised(groups, 21)
    here = Prover(theory, solver=solver, weights=run_of_groups)
    there = Prover(groups, solver=solver, weights=run_of_groups)
    note = "uses the weights of groups: its equations are these under other names"
    assert here.solver.note == note and there.solver.note == ""
    goals = [lemma.problem for lemma in derived(groups, considered=60)[-5:]]
    proved = 0
    for goal in goals:
        found = here.prove(in_disguise(goal, symbols), expansions=300)
        assert found.by == solver
        assert found.proved == there.prove(goal, expansions=300).proved
        if found.proof is not None:
            assert found.proof.theory is theory and not found.proof.known
            certify(theory, found.problem, found.proof.derivation, found.proof.lemmas)
            proved += bool(found.proof.lemmas)
    assert proved


@pytest.mark.parametrize(("solver", "file"), [("tree", ""), ("best", "model.safetensors")])
def test_a_policy_that_knows_lemmas_needs_them(solver: str, file: str, run_of_groups: Path) -> None:
    with pytest.raises(InputError, match="it knows lemmas; give the run to best"):
        Prover("groups", solver=solver, weights=run_of_groups / file)


def test_a_run_is_used_where_there_are_more_equations(run_of_groups: Path) -> None:
    other, symbols = disguised(get_theory("groups"), 22)
    theory = with_commutativity(other, symbols["*"])
    prover = Prover(theory, weights=run_of_groups)
    assert prover.solver.note.endswith("its equations are among these under other names")
    product = symbols["*"]
    x, y = var("x"), var("y")
    goal = Problem("goal", app(product, x, app(product, y, x)), app(product, app(product, x, x), y))
    assert prover.prove(goal, seconds=20).proved
    groups = get_theory("groups")
    fewer = theory_of(groups.equations[:1], groups.signature.symbols)
    with pytest.raises(InputError, match="made for other equations"):
        Prover(fewer, weights=run_of_groups)


def test_the_judge_of_pairs_is_the_same_under_other_names(run_of_groups: Path) -> None:
    theory, symbols = disguised(get_theory("groups"), 23)
    goal = derived(get_theory("groups"), considered=60)[-1].problem
    prover = Prover(theory, solver="select", weights=run_of_groups)
    assert prover.prove(in_disguise(goal, symbols), expansions=500).proved
