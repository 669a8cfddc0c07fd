"""The problem history: the k shortest solutions, certified, and stratified samples of them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from samples import AIM, POLYNOMIAL, ROBINSON, THEORIES, easy_problems, term
from threesil.engine import Batch, End
from threesil.errors import InputError
from threesil.kernel.proof import Derivation, NotAProof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.learn.history import History

each_theory = pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)

# Actions of Robinson arithmetic: x + 0 -> x, its reverse, and the move to the first argument.
ADD, UNADD, LEFT = 0, 1, 7
SUM = Problem("0 + 0", term("0 + 0", ROBINSON))
LONGER = Problem("(0 + 0) + 0", term("(0 + 0) + 0", ROBINSON))


def roundabout(loops: int) -> list[int]:
    """A solution of 0 + 0 that adds 0 and takes it away again, `loops` times."""
    return [UNADD, ADD] * loops + [ADD]


def history(*, k: int = 1, prune: bool = False, theory: Theory = ROBINSON) -> History:
    chosen = [SUM, LONGER] if theory is ROBINSON else easy_problems(theory)
    return History(theory, chosen, k, prune)


def kept(h: History, problem: int = 0) -> list[list[int]]:
    return [actions.tolist() for actions in h.solutions.get(problem, [])]


def solutions(theory: Theory, problems: list[Problem], count: int) -> list[tuple[int, list[int]]]:
    """(problem, actions) of solved episodes of random play."""
    episodes = [i % len(problems) for i in range(count)]
    played = Batch(theory, problems, 32).play_random(episodes, seed=2)
    return [(episodes[i], played.actions_of(int(i))) for i in np.flatnonzero(played.solved)]


# The k shortest


def test_shorter_solutions_replace_longer_ones() -> None:
    h = history()
    assert h.offer(0, roundabout(2))
    assert h.offer(0, roundabout(1))
    assert not h.offer(0, roundabout(3))
    assert kept(h) == [roundabout(1)]
    assert h.offer(0, [ADD])
    assert kept(h) == [[ADD]]


def test_the_newest_may_stay_instead() -> None:
    h = History(ROBINSON, [SUM, LONGER], 2, False, shortest=False)
    for loops in (1, 0, 3):
        assert h.offer(0, roundabout(loops))
    assert kept(h) == [roundabout(0), roundabout(3)]
    assert len(h.transitions()) == len(roundabout(0)) + len(roundabout(3))
    again = History(ROBINSON, [SUM, LONGER], 2, False, shortest=False)
    assert again.restore(h.arrays()) == []
    assert kept(again) == kept(h)


def test_the_first_may_stay_instead() -> None:
    h = History(ROBINSON, [SUM, LONGER], 2, False, shortest=False, newest=False)
    assert [h.offer(0, roundabout(loops)) for loops in (3, 1, 0)] == [True, True, False]
    assert kept(h) == [roundabout(3), roundabout(1)]


def test_every_problem_alike_or_every_transition() -> None:
    shares = []
    for stratified in (True, False):
        h = History(ROBINSON, [SUM, LONGER], 1, False, stratified=stratified)
        assert len(h.transitions()) == 0
        h.offer(0, roundabout(0))  # one transition
        h.offer(1, [LEFT, *roundabout(3), ADD])  # nine
        drawn = h.transitions().draw(10_000, np.random.default_rng(1))
        shares.append(float((drawn == 0).mean()))
    assert shares[0] == pytest.approx(0.5, abs=0.02)
    assert shares[1] == pytest.approx(0.1, abs=0.02)


def test_the_k_shortest_stay_in_order() -> None:
    h = history(k=3)
    for loops, wanted in ((4, True), (2, True), (3, True), (5, False), (0, True), (1, True)):
        assert h.offer(0, roundabout(loops)) == wanted
    assert kept(h) == [roundabout(0), roundabout(1), roundabout(2)]


def test_among_equally_long_ones_the_earlier_stays() -> None:
    first, second = [UNADD, UNADD, ADD, ADD, ADD], roundabout(2)
    h = history()
    assert h.offer(0, first)
    assert not h.offer(0, second)
    assert kept(h) == [first]
    h = history(k=2)
    assert h.offer(0, second)
    assert h.offer(0, roundabout(4))
    assert h.offer(0, first)
    assert kept(h) == [second, first]
    assert not h.offer(0, roundabout(2))


def test_a_solution_is_kept_once() -> None:
    h = history(k=5)
    assert h.offer(0, roundabout(1))
    assert not h.offer(0, roundabout(1))
    assert len(kept(h)) == 1


@each_theory
@pytest.mark.parametrize("k", [1, 3])
def test_against_a_plain_definition(theory: Theory, k: int) -> None:
    """The first k of all different solutions, sorted by length, earlier ones first."""
    chosen = easy_problems(theory)
    h = History(theory, chosen, k, prune=False)
    offered: dict[int, list[list[int]]] = {}
    found = solutions(theory, chosen, 900)
    Random(1).shuffle(found)
    for problem, actions in found:
        before = kept(h, problem)
        earlier = offered.setdefault(problem, [])
        if actions not in earlier:
            earlier.append(actions)
        stored = h.offer(problem, actions)
        assert kept(h, problem) == sorted(earlier, key=len)[:k]
        assert stored == (kept(h, problem) != before)
    assert len(h) == len(offered) > 3
    np.testing.assert_array_equal(np.flatnonzero(h.solved()), sorted(offered))


def test_problems_have_histories_of_their_own() -> None:
    h = history()
    assert len(h) == 0
    assert h.solved().tolist() == [False, False]
    h.offer(1, [ADD, ADD])
    assert len(h) == 1
    assert h.solved().tolist() == [False, True]
    h.offer(0, [ADD])
    assert [(p, a.tolist()) for p, a in h] == [(0, [ADD]), (1, [ADD, ADD])]


# Loops


@pytest.mark.parametrize(
    ("actions", "pruned"),
    [
        ([UNADD, ADD, ADD], [ADD]),
        ([UNADD, ADD, UNADD, ADD, ADD], [ADD]),
        ([UNADD, UNADD, ADD, ADD, ADD], [ADD]),
        ([UNADD, UNADD, LEFT, ADD, ADD, ADD], [ADD]),  # back to (0 + 0) + 0, then to 0 + 0
        ([UNADD, LEFT, ADD, ADD], [ADD]),  # by another way, but back to 0 + 0
        ([ADD], [ADD]),
    ],
)
def test_loops_are_cut_out(actions: list[int], pruned: list[int]) -> None:
    h = history(prune=True)
    assert h.offer(0, actions)
    assert kept(h) == [pruned]
    certify(ROBINSON, SUM, Batch(ROBINSON, [SUM]).derivation_of(0, pruned))
    assert Batch(ROBINSON, [SUM]).replay([0], [pruned]).end[0] == End.SOLVED
    untouched = history(prune=False)
    untouched.offer(0, actions)
    assert kept(untouched) == [actions]


def test_a_cursor_elsewhere_is_another_state() -> None:
    """(0 + 0) + 0 -> 0 + 0 at the first argument is no loop, though it ends at the root."""
    h = history(prune=True)
    assert h.offer(1, [LEFT, ADD, ADD])
    assert kept(h, 1) == [[LEFT, ADD, ADD]]


@pytest.mark.parametrize("theory", [ROBINSON, POLYNOMIAL], ids=lambda theory: theory.name)
def test_pruned_solutions_visit_no_state_twice(theory: Theory) -> None:
    chosen = easy_problems(theory)
    shorter = 0
    for problem, actions in solutions(theory, chosen, 600):
        h = History(theory, chosen, 1, prune=True)
        assert h.offer(problem, actions)
        (pruned,) = kept(h, problem)
        shorter += len(pruned) < len(actions)
        batch = Batch(theory, chosen)
        batch.reset(0, problem)
        seen = {(batch.term(0), batch.cursor(0))}
        for action in pruned:
            batch.step(np.array([action]))
            seen.add((batch.term(0), batch.cursor(0)))
        assert len(seen) == len(pruned) + 1
        assert batch.end(0) is End.SOLVED
    assert shorter > 5


def test_where_no_state_comes_back_nothing_is_cut() -> None:
    """AIM's masks leave out what has been seen."""
    chosen = easy_problems(AIM)
    for problem, actions in solutions(AIM, chosen, 600):
        h = History(AIM, chosen, 1, prune=True)
        h.offer(problem, actions)
        assert kept(h, problem) == [actions]


# Certified


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize(
    "forged",
    [
        [UNADD],
        [UNADD, ADD],
        [],
        [LEFT],  # illegal: the cursor never enters a leaf
        [ADD, ADD],  # solved, and then an action that is not legal
        [9],  # no such action
    ],
)
def test_what_does_not_solve_raises(forged: list[int], prune: bool) -> None:
    h = history(k=2, prune=prune)
    with pytest.raises((InputError, ValueError)):
        h.offer(0, forged)
    assert len(h) == 0
    assert h.offer(0, [ADD])
    with pytest.raises((InputError, ValueError)):
        h.offer(0, forged)
    assert kept(h) == [[ADD]]


def test_a_derivation_that_the_kernel_refuses_does_not_enter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forge(_batch: Batch, _problem: int, _actions: list[int]) -> Derivation:
        return Derivation(term("0", ROBINSON), ())

    h = history()
    monkeypatch.setattr(Batch, "derivation_of", forge)
    with pytest.raises(NotAProof):
        h.offer(0, [ADD])
    assert len(h) == 0


# Transitions


def test_transitions_are_states_with_the_actions_taken_in_them() -> None:
    for theory in THEORIES:
        chosen = easy_problems(theory)
        h = History(theory, chosen, 2, prune=True)
        for problem, actions in solutions(theory, chosen, 300):
            h.offer(problem, actions)
        t = h.transitions()
        assert len(t.states) == len(t.actions) == sum(len(actions) for _, actions in h)
        masks = t.store.masks(t.states)
        assert masks[np.arange(len(t.states)), t.actions].all()
        batch = Batch(theory, chosen)
        first = 0
        for problem, actions in h:
            batch.reset(0, problem)
            for i, action in enumerate(actions.tolist(), first):
                assert t.actions[i] == action
                np.testing.assert_array_equal(masks[i], batch.masks()[0])
                batch.step(np.array([action]))
            first += len(actions)


def test_samples_give_each_problem_the_same_weight() -> None:
    """One step against a hundred and one; and all steps of a problem alike, k = 2 or not."""
    for k in (1, 2):
        h = history(k=k)
        h.offer(0, roundabout(50))
        h.offer(1, [ADD, ADD])
        if k == 2:
            h.offer(0, roundabout(20))
            h.offer(1, [LEFT, ADD, ADD])
        t = h.transitions()
        count = 40_000
        drawn = t.draw(count, np.random.default_rng(5))
        assert drawn.min() >= 0
        assert drawn.max() < len(t.states)
        long = 101 if k == 1 else 142
        counts = np.bincount(drawn, minlength=len(t.states))
        assert abs(counts[:long].sum() / count - 0.5) < 0.015
        for part in (counts[:long], counts[long:]):
            expected = part.sum() / len(part)
            statistic = ((part - expected) ** 2 / expected).sum()
            assert statistic < len(part) + 6 * np.sqrt(2 * len(part))


def test_samples_depend_on_the_generator_alone() -> None:
    h = history()
    h.offer(0, roundabout(5))
    first = h.transitions().draw(50, np.random.default_rng(1))
    np.testing.assert_array_equal(h.transitions().draw(50, np.random.default_rng(1)), first)
    assert not np.array_equal(h.transitions().draw(50, np.random.default_rng(2)), first)


def test_problems_solved_from_the_start_are_not_sampled() -> None:
    h = History(ROBINSON, [SUM, Problem("3", term("3", ROBINSON))], 1, prune=False)
    h.offer(0, [ADD])
    h.offer(1, [])
    t = h.transitions()
    assert t.draw(200, np.random.default_rng(1)).max() < len(t.states)


# Checkpoints and memory


@each_theory
def test_a_history_is_restored_as_it_was(theory: Theory) -> None:
    chosen = easy_problems(theory)
    h = History(theory, chosen, 3, prune=True)
    for problem, actions in solutions(theory, chosen, 600):
        h.offer(problem, actions)
    again = History(theory, chosen, 3, prune=True)
    again.restore(h.arrays())
    assert [(p, a.tolist()) for p, a in again] == [(p, a.tolist()) for p, a in h]
    for name, array in h.arrays().items():
        assert array.dtype == again.arrays()[name].dtype
        np.testing.assert_array_equal(again.arrays()[name], array)
    mine, other = h.transitions(), again.transitions()
    np.testing.assert_array_equal(mine.actions, other.actions)
    np.testing.assert_array_equal(mine.store.masks(mine.states), other.store.masks(other.states))
    draw = [t.draw(100, np.random.default_rng(1)) for t in (mine, other)]
    np.testing.assert_array_equal(*draw)
    # What comes later fares alike, ties included.
    for problem, actions in solutions(theory, chosen, 900):
        assert h.offer(problem, actions) == again.offer(problem, actions)


def test_what_is_restored_is_certified_anew() -> None:
    h = history(k=2)
    for actions in ([ADD], roundabout(1)):
        h.offer(0, actions)
    h.offer(1, [ADD, ADD])
    arrays = h.arrays()
    arrays["history.actions"] = np.array([ADD, UNADD, UNADD, ADD, ADD, ADD], dtype=np.uint16)
    again = history(k=2)
    (warning,) = again.restore(arrays)
    assert "a stored solution is no solution and is left out: " in warning
    assert [(p, a.tolist()) for p, a in again] == [(0, [ADD]), (1, [ADD, ADD])]


@pytest.mark.parametrize(
    ("name", "array", "warnings"),
    [
        ("problem", np.array([7, 1], np.uint32), 1),
        ("problem", np.array([1, 1], np.uint32), 1),
        ("actions", np.array([60_000, ADD, ADD], np.uint16), 1),
        ("actions", np.array([LEFT, LEFT, LEFT], np.uint16), 2),
        ("length", np.array([0, 3], np.uint32), 2),
        ("length", np.array([1, 5], np.uint32), None),
        ("length", np.array([2**32 - 1, 2**32 - 1], np.uint32), None),
        ("length", np.array([1.0, 2.0], np.float32), None),
        ("length", np.array([[1, 2]], np.uint32), None),
        ("problem", np.array([0], np.uint32), None),
        ("problem", None, None),
    ],
    ids=range(11),
)
def test_what_does_not_fit_is_left_out_or_refused(
    name: str, array: np.ndarray | None, warnings: int | None
) -> None:
    h = history()
    h.offer(0, [ADD])
    h.offer(1, [ADD, ADD])
    arrays = h.arrays()
    if array is None:
        del arrays[f"history.{name}"]
    else:
        arrays[f"history.{name}"] = array
    again = history()
    if warnings is None:
        with pytest.raises(InputError, match="a damaged checkpoint"):
            again.restore(arrays)
    else:
        assert len(again.restore(arrays)) == warnings
        assert len(again) <= 2 - warnings


def test_an_empty_history_is_restored() -> None:
    again = history()
    again.restore(history().arrays())
    assert len(again) == 0


def test_states_of_replaced_solutions_are_dropped_in_the_end() -> None:
    h = history()
    sizes = []
    h.offer(1, [ADD, ADD])
    for loops in range(560, 400, -1):
        h._insert(0, np.array(roundabout(loops), dtype=np.uint16))
        sizes.append(len(h.transitions().store))
    assert max(sizes) > 100_000
    drops = [i for i, (a, b) in enumerate(pairwise(sizes)) if b < a]
    assert len(drops) == 1
    assert sizes[drops[0] + 1] < 2000
    t = h.transitions()
    assert t.actions.tolist() == [*roundabout(401), ADD, ADD]
    assert t.store.masks(t.states)[np.arange(len(t.states)), t.actions].all()
    assert kept(h) == [roundabout(401)]
