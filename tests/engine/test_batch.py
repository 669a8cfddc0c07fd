"""Batches: reproducible play, certified solutions, refused actions, limits, memory, deep terms."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from samples import (
    AIM,
    POLYNOMIAL,
    ROBINSON,
    THEORIES,
    easy_problems,
    equation,
    left_nested,
    problems,
    successors,
    term,
)
from threesil.engine import Batch, End, Episode, Limits, Played
from threesil.errors import IllegalAction, InputError
from threesil.kernel.proof import certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Equation,
    Goal,
    Move,
    Problem,
    Rewrite,
    Signature,
    Theory,
)

DEPTH = 100_000
each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)


def action(theory: Theory, number: int) -> int:
    """The index of the action that the paper knows by `number`."""
    return number - theory.first_action


def assert_same(a: Played, b: Played) -> None:
    for name in ("end", "steps", "actions", "offsets"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.legal == b.legal


# Random play


@each_theory
def test_play_depends_on_the_seed_alone(theory: Theory) -> None:
    chosen = problems(theory)
    episodes = [k % len(chosen) for k in range(300)]

    def play(width: int, threads: int, seed: int) -> Played:
        batch = Batch(theory, chosen, width, threads=threads)
        return batch.play_random(episodes, seed=seed)

    first = play(1, 1, seed=11)
    for width, threads in product((1, 7, 64), (1, 2)):
        assert_same(play(width, threads, seed=11), first)
    assert not np.array_equal(play(7, 1, seed=12).steps, first.steps)


def test_episodes_are_numbered() -> None:
    """Episode k of a seed and stream is the same whichever call plays it."""
    chosen = problems(ROBINSON)
    batch = Batch(ROBINSON, chosen, 8)
    episodes = [k % len(chosen) for k in range(100)]
    whole = batch.play_random(episodes, seed=3)
    tail = batch.play_random(episodes[60:], seed=3, first_episode=60)
    np.testing.assert_array_equal(tail.steps, whole.steps[60:])
    other = batch.play_random(episodes, seed=3, stream=1)
    assert not np.array_equal(other.steps, whole.steps)


def introducing(theory: Theory) -> set[int]:
    """The actions that may bring in variables."""
    found = set()
    for index, act in enumerate(theory.actions):
        if isinstance(act, Rewrite):
            for name, direction in act.alternatives:
                source, result = theory.by_name[name].sides(direction)
                if set(result.variables()) - set(source.variables()):
                    found.add(index)
    return found


@each_theory
@pytest.mark.parametrize("compatible", [False, True], ids=["textbook", "compatible"])
def test_every_solved_episode_certifies(theory: Theory, compatible: bool) -> None:
    chosen = easy_problems(theory)
    batch = Batch(theory, chosen, 32, limits=Limits(steps=20), compatible=compatible)
    episodes = [k % len(chosen) for k in range(6000)]
    played = batch.play_random(episodes, seed=5)
    narrowing = introducing(theory)
    solved = narrowed = 0
    for k in np.flatnonzero(played.solved):
        actions = played.actions_of(k)
        problem = chosen[episodes[k]]
        proof = certify(theory, problem, batch.derivation_of(episodes[k], actions))
        assert proof.derivation.start == problem.start
        solved += 1
        narrowed += not narrowing.isdisjoint(actions)
    assert solved > 100
    assert bool(narrowed) == bool(narrowing)


def test_problems_solved_from_the_start() -> None:
    batch = Batch(ROBINSON, [Problem("3", term("3", ROBINSON))])
    played = batch.play_random([0, 0], seed=1)
    assert list(played.end) == [End.SOLVED, End.SOLVED]
    assert list(played.steps) == [0, 0]
    certify(ROBINSON, batch.problems[0], batch.derivation_of(0, []))


def test_nothing_to_play() -> None:
    played = Batch(ROBINSON, []).play_random([], seed=1)
    assert played.end.size == played.steps.size == played.actions.size == 0


# Illegal actions


def snapshot(batch: Batch) -> list[object]:
    slots = range(batch.width)
    return [(batch.term(s), batch.cursor(s), batch.end(s), batch.actions(s)) for s in slots]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_changes_nothing(threads: int) -> None:
    """Not even in the slots for which the actions are legal."""
    chosen = easy_problems(AIM)[:4]
    batch = Batch(AIM, chosen, 4, threads=threads)
    for slot in range(4):
        batch.reset(slot, slot)
    before, masks = snapshot(batch), batch.masks()
    for bad in (2, 3, 176, 177, 100_000):  # at the root only 0 and 1 are legal
        with pytest.raises(IllegalAction, match=f"illegal action {bad} in slot 2"):
            batch.step(np.array([0, 1, bad, 0]))
        assert snapshot(batch) == before
        np.testing.assert_array_equal(batch.masks(), masks)
    batch.step(np.array([0, 1, -1, 0]))
    assert [batch.cursor(slot) for slot in range(4)] == [(0,), (1,), (), (0,)]


def test_an_episode_refuses_what_its_mask_does_not_offer() -> None:
    episode = Episode(ROBINSON, Problem("p", term("0 + 1", ROBINSON)))
    for bad in range(-1, 12):
        if bad in episode.legal():
            continue
        with pytest.raises(IllegalAction):
            episode.step(bad)
        assert (episode.actions, episode.cursor, episode.end) == ([], (), End.RUNNING)
        assert episode.term == term("0 + 1", ROBINSON)


def test_replay_refuses_illegal_actions() -> None:
    batch = Batch(ROBINSON, [Problem("p", term("0 + 1", ROBINSON))])
    for bad in (0, 9, 65535):
        with pytest.raises(IllegalAction):
            batch.replay([0], [[bad]])


def test_an_unsolved_episode_has_no_derivation() -> None:
    episode = Episode(ROBINSON, Problem("p", term("0 + 1", ROBINSON)))
    with pytest.raises(InputError, match="not solved"):
        episode.derivation()


def test_slots_and_problems_that_are_not_there() -> None:
    batch = Batch(ROBINSON, easy_problems(ROBINSON), 2)
    for call in (
        lambda: batch.reset(2, 0),
        lambda: batch.reset(0, 99),
        lambda: batch.term(0),
        lambda: batch.step(np.array([1, -1])),
        lambda: batch.play_random([99], seed=1),
    ):
        with pytest.raises(IndexError):
            call()
    assert not batch.masks().any()


# Replay


@each_theory
def test_replay_equals_stepping(theory: Theory) -> None:
    chosen = problems(theory)
    random = Random(8)
    episodes, streams, ends = [], [], []
    for k in range(60):
        number = k % len(chosen)
        episode = Episode(theory, chosen[number])
        for _ in range(random.randrange(1, 25)):
            if episode.end is not End.RUNNING:
                break
            episode.step(random.choice(episode.legal()))
        episodes.append(number)
        streams.append(episode.actions)
        # A stream that stops early counts as one that has used up its steps.
        ends.append(End.STEPS if episode.end is End.RUNNING else episode.end)
    played = Batch(theory, chosen, 4, threads=2).replay(episodes, streams)
    assert list(played.end) == ends
    assert list(played.steps) == [len(stream) for stream in streams]
    for k in np.flatnonzero(played.solved):
        assert played.actions_of(k) == streams[k]
    again = Batch(theory, chosen).replay(episodes, streams)
    assert_same(again, played)


# Limits


def climb(limits: Limits) -> Played:
    """A polynomial grows without end: x becomes x * 1, then (x * 1) * 1 and so on."""
    problem = Problem("x", term("x", POLYNOMIAL), term("y", POLYNOMIAL))
    grow = [action(POLYNOMIAL, 19)] * 400
    return Batch(POLYNOMIAL, [problem], limits=limits).replay([0], [grow])


def test_step_limit() -> None:
    played = climb(Limits(steps=25))
    assert (End(played.end[0]), played.steps[0]) == (End.STEPS, 25)


def test_step_limit_does_not_hide_a_solution() -> None:
    batch = Batch(ROBINSON, [Problem("p", term("0 + 0", ROBINSON))], limits=Limits(steps=1))
    played = batch.replay([0], [[action(ROBINSON, 1)]])
    assert End(played.end[0]) is End.SOLVED


def test_size_limit() -> None:
    """x has 1 node, each step adds 3 (*, S, 0): the tenth rewrite would give 31."""
    played = climb(Limits(steps=400, size=30))
    assert (End(played.end[0]), played.steps[0]) == (End.SIZE, 10)


def test_depth_limit() -> None:
    """x * 1 is 3 deep, each further step adds 1: the ninth rewrite would make it 11."""
    played = climb(Limits(steps=400, depth=10))
    assert (End(played.end[0]), played.steps[0]) == (End.DEPTH, 9)


def test_variables_limit() -> None:
    """Option 8 turns y into x \\ (x * y); x is the second variable of its equation.

    So the largest index grows by 2 each time, and 5 would be the third.
    """
    episode = Episode(AIM, equation("x * x = e"), limits=Limits(steps=100, variables=5))
    while episode.end is End.RUNNING:
        before = episode.term
        for chosen in (1, 8):
            episode.step(chosen)
    assert episode.end is End.VARIABLES
    assert episode.term == before
    assert before.args[1].variables() == ("X3", "X1")


def test_an_oversized_problem_ends_at_once() -> None:
    problem = Problem("p", term("5 + 5", ROBINSON))
    assert Episode(ROBINSON, problem, limits=Limits(size=12)).end is End.SIZE
    assert Episode(ROBINSON, problem, limits=Limits(depth=6)).end is End.DEPTH
    assert Episode(ROBINSON, problem, limits=Limits(size=13, depth=7)).end is End.RUNNING


def test_a_limit_leaves_the_last_term() -> None:
    episode = Episode(ROBINSON, Problem("p", term("0 + 1", ROBINSON)), limits=Limits(size=5))
    assert episode.step(action(ROBINSON, 2)) is End.SIZE
    assert episode.term == term("0 + 1", ROBINSON)
    assert episode.actions == [action(ROBINSON, 2)]


def test_memory_limit() -> None:
    """A full bank ends episodes; the batch lives on and can still solve easy problems."""
    limits = Limits(steps=200, bank_terms=400)
    batch = Batch(AIM, problems(AIM), 16, limits=limits)
    played = batch.play_random([k % len(batch.problems) for k in range(300)], seed=2)
    ends = {End(e) for e in played.end}
    assert End.MEMORY in ends
    assert End.SOLVED in ends
    for slot in range(16):
        batch.reset(slot, 2)
    batch.step(np.full(16, 0))
    batch.step(np.full(16, 11))
    assert set(batch.ends()) <= {End.SOLVED, End.MEMORY}
    roomy = Batch(AIM, problems(AIM), 1, limits=limits)
    assert End(roomy.replay([2], [[0, 11]]).end[0]) is End.SOLVED


@pytest.mark.parametrize("name", ["steps", "size", "depth", "variables", "bank_terms"])
@pytest.mark.parametrize("value", [0, -1, 2**31])
def test_limits_must_make_sense(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: value})


@each_theory
def test_memory_stays_flat(theory: Theory) -> None:
    """Twice 300,000 steps: terms that no episode needs any more are given back."""
    chosen = problems(theory)
    limits = Limits(steps=theory.step_limit, size=2000, bank_terms=40_000)
    batch = Batch(theory, chosen, 32, limits=limits)

    def play(seed: int) -> Played:
        steps, episodes, last = 0, 0, None
        while steps < 300_000:
            last = batch.play_random(
                [k % len(chosen) for k in range(2000)], seed=seed, first_episode=episodes
            )
            steps += int(last.steps.sum())
            episodes += 2000
        assert last is not None
        return last

    first, second = play(1), play(2)
    assert second.collections > first.collections > 0
    assert second.bank_bytes <= 1.5 * first.bank_bytes
    assert second.bank_bytes < 16_000_000


# Dead ends


def one_way(no_repeats: bool = False) -> Theory:
    """a -> b and nothing else; the target c is out of reach."""
    return Theory(
        "one way",
        "",
        Signature({"a": 0, "b": 0, "c": 0}),
        (Equation("ab", app("a"), app("b")),),
        (Rewrite((("ab", LEFT_TO_RIGHT),)),),
        Goal.TARGET,
        no_repeats=no_repeats,
    )


def test_dead_end_after_a_step() -> None:
    problem = Problem("p", app("a"), app("c"))
    assert Episode(one_way(), problem).step(0) is End.DEAD_END
    batch = Batch(one_way(), [problem])
    played = batch.play_random([0], seed=1)
    assert (End(played.end[0]), played.steps[0]) == (End.DEAD_END, 1)
    assert End(batch.replay([0], [[0]]).end[0]) is End.DEAD_END


def test_dead_end_at_the_start() -> None:
    """Nothing rewrites b, and there is nowhere to move."""
    batch = Batch(one_way(), [Problem("p", app("b"), app("c"))])
    played = batch.play_random([0], seed=1)
    assert (End(played.end[0]), played.steps[0]) == (End.DEAD_END, 0)
    batch.reset(0, 0)
    assert not batch.masks().any()


# Deep terms


def descend(theory: Theory, problem: Problem, move: int, number: int) -> None:
    """Moves to the bottom, rewrites there, reads the term back and certifies the solution."""
    actions = [action(theory, move)] * DEPTH + [action(theory, number)]
    batch = Batch(theory, [problem], limits=Limits(steps=2 * DEPTH))
    assert End(batch.replay([0], [actions]).end[0]) is End.SOLVED
    derivation = batch.derivation_of(0, actions)
    assert batch.term(0) == derivation.end
    assert len(derivation.steps[0].position) == DEPTH
    certify(theory, problem, derivation)


def test_deep_successors() -> None:
    start = successors(DEPTH, term("0 + 0", ROBINSON))
    descend(ROBINSON, Problem("deep", start), move=8, number=1)


def test_deep_sums() -> None:
    zero = app("0")
    start = left_nested(DEPTH, "+", term("x + 0", POLYNOMIAL), zero)
    target = left_nested(DEPTH, "+", term("x", POLYNOMIAL), zero)
    descend(POLYNOMIAL, Problem("deep", start, target), move=8, number=1)


def test_deep_equation() -> None:
    """Both sides deep: loaded, stepped, unified and solved near the root."""
    deep = left_nested(DEPTH, "*", app("e"), app("e"))
    problem = Problem("deep", app("*", deep, app("e")), deep)
    episode = Episode(AIM, problem)
    assert not episode.mask[3:].any()
    episode.step(0)
    assert episode.mask[5]
    assert episode.step(5) is End.SOLVED
    certify(AIM, problem, episode.derivation())


def test_deep_unification() -> None:
    """f(x, z) and f(y, S...S(y)) unify, f(x, x) and the same do not: a deep occurs check."""
    x, y, z = var("x"), var("y"), var("z")
    deep = app("f", y, successors(DEPTH // 4, y))
    for left, end in ((app("f", x, z), End.SOLVED), (app("f", x, x), End.RUNNING)):
        theory = Theory(
            "deep",
            "",
            Signature({"k": 0, "l": 0, "S": 1, "f": 2}),
            (Equation("left", app("k"), left), Equation("right", app("l"), deep)),
            (Move(0), Move(1), *(Rewrite(((n, LEFT_TO_RIGHT),)) for n in ("left", "right"))),
            Goal.EQUATION,
        )
        episode = Episode(theory, Problem("deep", app("k"), app("l")))
        for chosen in (0, 2, 1):
            episode.step(chosen)
        assert episode.step(3) is end
        if end is End.SOLVED:
            certify(theory, episode.problem, episode.derivation())


def test_stepping_one_by_one_in_a_deep_term() -> None:
    start = successors(5000, term("0 + 0", ROBINSON))
    episode = Episode(ROBINSON, Problem("deep", start), limits=Limits(steps=10_000))
    for _ in range(5000):
        episode.step(action(ROBINSON, 8))
    assert len(episode.cursor) == 5000
    assert episode.step(action(ROBINSON, 1)) is End.SOLVED
    assert episode.term == successors(5000, app("0"))
    certify(ROBINSON, episode.problem, episode.derivation())


# What the engine is told


def test_moves_reach_every_argument() -> None:
    """An arity beyond those of the theories at hand, each argument with a move of its own."""
    wide = Theory(
        "wide",
        "",
        Signature({"c": 0, "d": 0, "w": 200}),
        (Equation("cd", app("c"), app("d")),),
        (*(Move(k) for k in range(200)), Rewrite((("cd", LEFT_TO_RIGHT),))),
        Goal.NORMAL_FORM,
        constructors=frozenset({"d", "w"}),
    )
    episode = Episode(wide, Problem("p", app("w", *[app("c")] * 200)), limits=Limits(steps=1000))
    for k in range(200):
        assert episode.legal() == list(range(200))
        episode.step(k)
        assert episode.legal() == [200]
        episode.step(200)
    assert episode.end is End.SOLVED
    certify(wide, episode.problem, episode.derivation())


@pytest.mark.parametrize(
    ("theory", "problem", "message"),
    [
        (POLYNOMIAL, Problem("p", app("0")), "needs a target"),
        (ROBINSON, Problem("p", var("x")), "unknown symbol x"),
        (ROBINSON, Problem("p", app("f", app("0"))), "f with 1 arguments is not a symbol"),
        (ROBINSON, Problem("p", app("+", app("0"))), r"\+ with 1 arguments is not a symbol"),
        (AIM, Problem("p", app("e"), app("=", app("e"), app("e"))), "= with 2 arguments"),
    ],
)
def test_problems_that_are_none(theory: Theory, problem: Problem, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Batch(theory, [problem])


def test_problem_constants_are_never_instantiated() -> None:
    """x = y is no consequence of anything: its variables stand for arbitrary elements."""
    batch = Batch(AIM, [equation("x = y")], 16, limits=Limits(steps=15))
    assert not batch.play_random([0] * 500, seed=4).solved.any()


def test_direction_of_an_action_matters() -> None:
    forth = Theory(
        "forth", "", Signature({"a": 0, "b": 0}), (Equation("ab", app("a"), app("b")),),
        (Rewrite((("ab", RIGHT_TO_LEFT),)),), Goal.TARGET,
    )  # fmt: skip
    assert Episode(forth, Problem("p", app("b"), app("a"))).step(0) is End.SOLVED
    assert Episode(forth, Problem("p", app("a"), app("b"))).legal() == []
