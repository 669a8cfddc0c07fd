"""Expert iteration on a few easy equations, in memory and as a run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from samples import AIM, POLYNOMIAL, ROBINSON, easy_problems, equation, term, written
from small_runs import create, metrics_of, resumed, stop_after
from threesil.engine import Batch, Limits, Stopped
from threesil.errors import InputError
from threesil.kernel.proof import Derivation, NotAProof, certify
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Move, Problem, Theory
from threesil.learn import expert as module
from threesil.learn.agent import Agent
from threesil.learn.config import ExpertConfig, make_config
from threesil.learn.expert import Expert, action_numbers, episode
from threesil.learn.task import Task, make_task
from threesil.nets.policy import Policy
from threesil.problems.files import parse_problem
from threesil.runs.checkpoint import checkpoints
from threesil.runs.run import Run
from threesil.search.prover import Prover

TINY = {"m": 100, "f": 6, "NB": 8, "B": 16, "ME": 4, "expansions": 200, "hindsight": 4}
MACHINE = {"evaluations": 10, "width": 8, "threads": 1, "level_size": 0}
FALSE = equation("x * y = y * x")
# Three rewrites below each other, whichever way they are done.
CHAIN = [
    "Rule one: f(x) -> g(x).",
    "Rule two: g(x) -> h(x).",
    "Rule three: h(x) -> k(x).",
]


def config(**changes: Any) -> ExpertConfig:
    return make_config(ExpertConfig, {**TINY, **MACHINE, **changes}, "")


def expert(
    theory: Theory = AIM, problems: list[Problem] | None = None, seed: int = 1, **changes: Any
) -> Expert:
    chosen = easy_problems(theory) if problems is None else problems
    wanted = config(**changes)
    return Expert(Agent(theory, chosen, wanted, seed), wanted)


def epochs(method: Expert, first: int, last: int) -> list[dict[str, float]]:
    """The metrics of some epochs, or of what is left of them."""
    method.agent.epoch = first
    return list(islice(method.train(), last - first))


def replayed(method: Expert) -> Iterator[tuple[Problem, Derivation]]:
    """The solutions, played again."""
    problems = method.agent.problems
    batch = Batch(method.agent.theory, problems, 1, limits=Limits(steps=1000))
    for number, actions in method.solutions():
        yield problems[number], batch.derivation_of(number, actions)


# What is found


def test_easy_equations_are_solved_and_learned() -> None:
    method = expert(NB=30)
    metrics = epochs(method, 0, 4)
    assert method.solved == len(method.agent.problems)
    assert metrics[0]["searched"] == metrics[0]["solutions"] == method.solved
    assert [row["searched"] for row in metrics[1:]] == [6, 6, 6]
    losses = [row["loss"] for row in metrics]
    assert losses[-1] < 0.7 * losses[0]
    assert losses[0] < 1.5 * np.log(len(AIM.actions))


def test_solutions_certify() -> None:
    method = expert()
    epochs(method, 0, 2)
    found = list(replayed(method))
    assert len(found) == method.solved
    for problem, derivation in found:
        certify(AIM, problem, derivation)


def test_what_the_kernel_refuses_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any) -> Any:
        raise NotAProof("no")

    monkeypatch.setattr("threesil.learn.history.certify", refuse)
    method = expert()
    with pytest.raises(NotAProof):
        epochs(method, 0, 1)
    assert method.solved == 0


def test_false_and_trivial_equations_teach_nothing() -> None:
    trivial = equation("x * y = x * y")
    method = expert(problems=[FALSE, trivial], expansions=50)
    before = method.agent.net.parameters_array().copy()
    (metrics,) = epochs(method, 0, 1)
    assert metrics == {"searched": 2.0, "proved": 0.5, "expansions": 25.0, "solutions": 0.0}
    np.testing.assert_array_equal(method.agent.net.parameters_array(), before)


def test_a_false_equation_does_not_keep_the_others_from_learning() -> None:
    method = expert(problems=[FALSE, *easy_problems(AIM)[:3]], expansions=50)
    (metrics,) = epochs(method, 0, 1)
    assert metrics["solutions"] == 3
    assert {number for number, _ in method.solutions()} == {1, 2, 3}


def test_proofs_that_can_not_be_played_open_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LONGEST", 0)
    method = expert()
    method.agent.pool = len(method.agent.problems)
    assert method.mastery(0.25) == 0.25
    assert epochs(method, 0, 1)[0]["proved"] == 1.0
    assert method.solved == 0 and method.mastery(0.25) == 1.0
    other = expert()
    other.restore(method.arrays())
    assert other.mastery(0.25) == 1.0


def test_only_open_problems_are_searched() -> None:
    method = expert()
    method.agent.pool = 3
    (metrics,) = epochs(method, 0, 1)
    assert metrics["searched"] == 3
    assert {number for number, _ in method.solutions()} == {0, 1, 2}


def searched(
    method: Expert, monkeypatch: pytest.MonkeyPatch, epoch: int, pool: int
) -> list[tuple[str, str]]:
    """(mode, problem) of the searches of an epoch."""
    asked: list[tuple[str, str]] = []

    class Recorder(Prover):
        def prove(self, problem: Any, **options: Any) -> Any:
            asked.append((self.solver.name, problem.name))
            return super().prove(problem, **options)

    monkeypatch.setattr(module, "Prover", Recorder)
    method.agent.pool = pool
    epochs(method, epoch, epoch + 1)
    return asked


def test_problems_without_a_proof_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [*easy_problems(AIM), FALSE, equation("x = y")]
    method = expert(problems=chosen, f=4, expansions=30)
    epochs(method, 0, 1)
    solved = {chosen[number].name for number, _ in method.solutions()}
    open_ones = {p.name for p in chosen} - solved
    assert 2 <= len(open_ones) < 4
    names = [name for _, name in searched(method, monkeypatch, 1, len(chosen))]
    assert len(names) == 4
    assert set(names[: len(open_ones)]) == open_ones


def test_the_first_epoch_searches_without_a_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    method = expert()
    for number, mode in ((0, "unguided"), (1, "best"), (2, "best")):
        asked = searched(method, monkeypatch, number, 5)
        assert asked
        assert {mode_ for mode_, _ in asked} == {mode}


def test_long_proofs_are_kept() -> None:
    """Forty actions: more than an episode of the theory usually has."""
    text = "x"
    for _ in range(20):
        text = f"e * ({text})"
    method = expert(problems=[equation(f"{text} = x")], expansions=2000)
    (metrics,) = epochs(method, 0, 1)
    assert metrics["solutions"] == 1
    ((problem, derivation),) = replayed(method)
    certify(AIM, problem, derivation)
    assert len(derivation.steps) == 20


def test_shorter_proofs_replace_longer_ones(tmp_path: Path) -> None:
    theory = written(tmp_path, *CHAIN, "Rule short: f(x) -> k(x).")
    problem = equation("f(x) = k(x)", theory)
    long = [(0, name) for name in ("one", "two", "three")]
    method = expert(theory, [problem])
    numbers = action_numbers(theory)
    actions = [numbers[key] for move, name in long for key in (move, (name, LEFT_TO_RIGHT))]
    assert method.H.offer(0, actions)
    epochs(method, 0, 1)
    ((_, kept),) = method.solutions()
    assert kept == [numbers[0], numbers["short", LEFT_TO_RIGHT]]


# What is learned of a proof


def chain_expert(tmp_path: Path, **changes: Any) -> Expert:
    theory = written(
        tmp_path, *[line.replace("Rule", "Axiom").replace("->", "=") for line in CHAIN]
    )
    method = expert(theory, [equation("f(x) = k(x)", theory)], NB=0, **changes)
    epochs(method, 0, 1)
    assert method.solved == 1
    return method


def theorems(method: Expert) -> set[tuple[str, str, int]]:
    """(left side, right side, the side that is rewritten) of all theorems that are learned."""
    found = set()
    for listed in method._theorems.values():
        for problem, actions in listed:
            batch = Batch(method.agent.theory, [problem], 1, limits=Limits(steps=1000))
            certify(method.agent.theory, problem, batch.derivation_of(0, actions.tolist()))
            first = method.agent.theory.actions[actions[0]]
            assert isinstance(first, Move)
            assert problem.target is not None
            found.add((problem.start.head, problem.target.head, first.argument))
    return found


def test_both_sides_and_all_parts_are_learned(tmp_path: Path) -> None:
    """f, g, h, k in a row: six theorems, each from the left and from the right."""
    method = chain_expert(tmp_path, hindsight=100)
    transitions = method.transitions()
    pairs = [(a, b) for i, a in enumerate("fghk") for b in "fghk"[i + 1 :]]
    assert theorems(method) == {(a, b, side) for a, b in pairs for side in (0, 1)}
    # A move and a rewrite for each step; steps: 3 + 2 + 2 + 1 + 1 + 1, for both sides.
    assert len(transitions) == 2 * 2 * 10
    numbers = action_numbers(method.agent.theory)
    rewrites = set(transitions.actions.tolist())
    for name in ("one", "two", "three"):
        for direction in (LEFT_TO_RIGHT, RIGHT_TO_LEFT):
            assert numbers[name, direction] in rewrites


@pytest.mark.parametrize("wanted", [0, 1, 3])
def test_as_much_hindsight_as_wanted(tmp_path: Path, wanted: int) -> None:
    method = chain_expert(tmp_path, hindsight=wanted)
    method.transitions()
    found = theorems(method)
    assert {("f", "k", 0), ("f", "k", 1)} <= found
    assert len(found) == 2 * (1 + wanted)


def test_transitions_are_those_of_the_states(tmp_path: Path) -> None:
    """The action of every transition is legal in its state."""
    for method in (chain_expert(tmp_path), expert(NB=0)):
        epochs(method, 0, 1)
        transitions = method.transitions()
        masks = transitions.store.masks(transitions.states)
        assert masks[np.arange(len(transitions)), transitions.actions].all()
        assert len(transitions) > 5


def test_every_problem_has_its_share() -> None:
    """Samples are stratified by problem, however many theorems a proof has."""
    method = expert(hindsight=100, NB=0)
    epochs(method, 0, 1)
    transitions = method.transitions()
    listed = sorted(method._theorems.items())
    lengths = [sum(len(actions) for _, actions in found) for _, found in listed]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    assert len(owner) == len(transitions)
    drawn = owner[transitions.draw(20_000, np.random.default_rng(1))]
    counts = np.bincount(drawn, minlength=len(lengths))
    assert max(lengths) > 3 * min(lengths)
    np.testing.assert_allclose(counts / 20_000, 1 / len(lengths), rtol=0.15)


def test_an_episode_says_where_and_how() -> None:
    problem = parse_problem(r"(x * e) * (y \ (y * z)) = x * z", AIM)
    proof = Prover("aim", solver="plain").prove(problem, expansions=1000).proof
    assert proof is not None
    numbers = action_numbers(AIM)
    batch = Batch(AIM, [problem], 1, limits=Limits(steps=100))
    for side in (0, 1):
        actions = episode(numbers, proof.derivation, side)
        assert actions is not None
        assert actions[0] == numbers[side]
        again = batch.derivation_of(0, actions)
        certify(AIM, problem, again)
        assert again.terms == proof.derivation.terms
    assert episode({}, proof.derivation, 0) is None


def test_a_step_against_a_rule_has_no_episode(tmp_path: Path) -> None:
    """Only the side that can be rewritten all the way is learned."""
    theory = written(tmp_path, *CHAIN)
    method = expert(theory, [equation("f(x) = k(x)", theory)], NB=0, hindsight=100)
    epochs(method, 0, 1)
    assert method.solved == 1
    method.transitions()
    assert {side for _, _, side in theorems(method)} == {0}


def test_values_that_are_brought_in(tmp_path: Path) -> None:
    """A proof that needs a value which matching does not give can be learned or is left out."""
    theory = written(
        tmp_path,
        "Constants e.",
        "Axiom unit: e * x = x.",
        "Axiom inverse: i(x) * x = e.",
        "Axiom assoc: (x * y) * z = x * (y * z).",
    )
    texts = ("x * i(x) = e", "i(x) * (x * y) = y", "e * (e * x) = x", "i(e) * e = e")
    method = expert(theory, [equation(t, theory) for t in texts], expansions=20_000, hindsight=20)
    epochs(method, 0, 1)
    assert method.solved >= 2
    for problem, derivation in replayed(method):
        certify(theory, problem, derivation)
    method.transitions()
    assert theorems(method)


# Refused, stopped, repeated


@pytest.mark.parametrize("theory", [ROBINSON, POLYNOMIAL], ids=lambda theory: theory.name)
def test_a_theory_without_equations_is_refused(theory: Theory, tmp_path: Path) -> None:
    message = f"expert proves equations; {theory.name} has none"
    with pytest.raises(InputError, match=message):
        expert(theory)
    path = tmp_path / "terms.tsv"
    path.write_text("0 + 0\t0\n")
    with pytest.raises(InputError, match=message):
        create(tmp_path / "run", make_task(theory.name, "expert", 1, str(path)), config())
    assert not (tmp_path / "run").exists()


def test_searches_can_be_stopped() -> None:
    method = expert()
    method.agent.stop.set()
    with pytest.raises(Stopped):
        method.search_proofs(3)


def test_an_epoch_depends_on_the_seed_alone() -> None:
    def weights(seed: int, **machine: int) -> np.ndarray:
        method = expert(seed=seed, **machine)
        epochs(method, 0, 3)
        return method.agent.net.parameters_array().copy()

    first = weights(1)
    np.testing.assert_array_equal(weights(1, width=3), first)
    np.testing.assert_array_equal(weights(1, threads=2), first)
    assert not np.array_equal(weights(2), first)


def test_what_is_restored_resumes_as_if_nothing_had_happened() -> None:
    method = expert()
    epochs(method, 0, 2)
    arrays = {**method.agent.arrays(), **method.arrays()}
    later = epochs(method, 2, 4)
    again = expert()
    again.agent.restore(arrays)
    again.restore(arrays)
    assert epochs(again, 2, 4) == later
    np.testing.assert_array_equal(
        again.agent.net.parameters_array(), method.agent.net.parameters_array()
    )


def test_several_proofs_of_a_problem_are_restored_in_their_order(tmp_path: Path) -> None:
    """The longer one came first; a resumed run reads the shorter one first."""
    theory = written(tmp_path, *CHAIN, "Rule short: f(x) -> k(x).")
    problem = equation("f(x) = k(x)", theory)
    numbers = action_numbers(theory)
    long = [numbers[key] for n in ("one", "two", "three") for key in (0, (n, LEFT_TO_RIGHT))]
    method = expert(theory, [problem], k=2)
    method.H.offer(0, long)
    method.transitions()
    epochs(method, 0, 2)
    assert len(list(method.solutions())) == 2
    arrays = {**method.agent.arrays(), **method.arrays()}
    later = epochs(method, 2, 4)
    again = expert(theory, [problem], k=2)
    again.agent.restore(arrays)
    again.restore(arrays)
    assert epochs(again, 2, 4) == later
    np.testing.assert_array_equal(
        again.agent.net.parameters_array(), method.agent.net.parameters_array()
    )


# As a run


@pytest.fixture(scope="module")
def equations(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """The easy equations and a false one, in a file."""
    path = tmp_path_factory.mktemp("problems") / "equations.tsv"
    path.write_text("".join(f"{p.name}\n" for p in (*easy_problems(AIM), FALSE)))
    return make_task("aim", "expert", 3, str(path))


@pytest.fixture(scope="module")
def trained(equations: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbed. Tests leave it alone."""
    directory = tmp_path_factory.mktemp("trained") / "run"
    assert create(directory, equations, config()).train()
    return directory


def test_a_run_tells_its_story(trained: Path) -> None:
    rows = Run(trained).metrics()
    assert [row["solved"] for row in rows] == [10] * 4
    assert [row["searched"] for row in rows] == [11, 6, 6, 6]
    assert all(row["loss"] > 0 and row["transitions"] > 0 for row in rows)
    model = Policy.load(trained / "model.safetensors", AIM)
    assert model.notes["method"] == "expert"
    assert Prover("aim", solver="guided", weights=trained).prove("e * x = x * e").proved


def test_a_run_that_is_stopped_resumes_as_if_nothing_had_happened(
    trained: Path, equations: Task, tmp_path: Path
) -> None:
    random = Random(2)
    directory = tmp_path / "run"
    run = create(directory, equations, config())
    stops = 0
    while True:
        if run.train(stop=stop_after(run, random.randint(20, 45))):
            break
        assert not (directory / "model.safetensors").exists()
        stops += 1
        run = resumed(directory)
    assert stops >= 2
    newest = checkpoints(directory / "checkpoints")[-1].relative_to(directory)
    for name in ("history.jsonl", "model.safetensors", newest):
        assert (directory / name).read_bytes() == (trained / name).read_bytes()
    assert metrics_of(directory) == metrics_of(trained)


def test_theory_files_work(tmp_path: Path) -> None:
    lines = [
        "Theory groups: Groups.",
        "Constants e.",
        "Axiom unit: e * x = x.",
        "Axiom assoc: (x * y) * z = x * (y * z).",
        "Theorem one: e * (e * x) = x.",
        "Theorem two: (e * x) * y = x * y.",
        "Theorem three: (x * e) * y = x * y.",
    ]
    written(tmp_path, *lines, name="groups")
    path = str(tmp_path / "groups.thy")
    run = create(tmp_path / "run", make_task(path, "expert", 1, path), config(ME=2))
    assert run.train()
    assert Run(tmp_path / "run").metrics()[-1]["solved"] == 3
    again = resumed(tmp_path / "run")
    assert again.done
    prover = Prover(path, solver="guided", weights=tmp_path / "run")
    result = prover.prove("((x * e) * e) * y = x * y", expansions=500)
    assert result.proved
    assert result.problem.start == term("((x * e) * e) * y", prover.theory)
