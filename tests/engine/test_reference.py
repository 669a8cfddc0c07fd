"""The engine against the plain reference: term, cursor, mask and outcome at every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.reference import Reference, skolem
from samples import AIM, POLYNOMIAL, ROBINSON, equation, problems, random_term
from threesil.engine import Batch, End, Episode, Limits
from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Action,
    Equation,
    Goal,
    Move,
    Problem,
    Rewrite,
    Signature,
    Theory,
)
from threesil.notations.infix import parse_equation

LIMITS = Limits(steps=1000)


@dataclass
class Tally:
    """How often the rare cases came up."""

    decisions: int = 0
    excluded: int = 0
    quirks: int = 0
    solved: int = 0
    dead_ends: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)
        return self


@dataclass
class Pair:
    """An engine's episode and the reference's, in one mode of the unifier."""

    theory: Theory
    problem: Problem
    compatible: bool

    def __post_init__(self) -> None:
        self.engine = Episode(self.theory, self.problem, compatible=self.compatible, limits=LIMITS)
        self.reference = Reference(self.theory, self.problem, quirk=self.compatible)

    def step(self, action: int) -> None:
        self.engine.step(action)
        self.reference.step(action)

    def mask(self) -> list[bool]:
        """The mask on which both agree, after everything else has been compared."""
        mask = self.reference.mask()
        assert skolem(self.engine.term, self.problem) == self.reference.term
        assert self.engine.cursor == self.reference.cursor
        assert self.engine.mask.tolist() == mask
        assert (self.engine.end is End.SOLVED) == self.reference.done
        if self.engine.actions and not any(mask) and not self.reference.done:
            assert self.engine.end is End.DEAD_END
        return mask


def walk(theory: Theory, problem: Problem, random: Random, steps: int, size: int = 80) -> Tally:
    """Random steps with both unifiers at once; half the time aimed at introduced variables.

    Compatible masks are subsets of textbook masks, so both episodes can take the same actions.
    Winning does not end the walk.
    """
    textbook = Pair(theory, problem, compatible=False)
    # Without introduced variables there is nothing in which the unifiers could differ.
    narrows = theory.goal is Goal.EQUATION
    pairs = [textbook, Pair(theory, problem, compatible=True)] if narrows else [textbook]
    tally = Tally()
    plan: list[int] = []
    for _ in range(steps):
        masks = [pair.mask() for pair in pairs]
        legal = [action for action, on in enumerate(masks[-1]) if on]
        assert set(legal) <= {action for action, on in enumerate(masks[0]) if on}
        tally.decisions += 1
        tally.quirks += masks[0] != masks[-1]
        state = textbook.reference
        tally.solved += state.done
        if not legal or state.term.size > size:
            tally.dead_ends += not legal
            break
        if not plan and not state.cursor and random.random() < 0.5:
            plan = moves(theory, variable_position(state.term, random))
            plan.append(-1)
        action = plan.pop(0) if plan else random.choice(legal)
        if action < 0:
            rewrites = [a for a in legal if isinstance(theory.actions[a], Rewrite)]
            action = random.choice(rewrites or legal)
        if action not in legal:  # a leaf that the cursor may not enter
            plan, action = [], random.choice(legal)
        for pair in pairs:
            pair.step(action)
    tally.excluded = textbook.reference.excluded
    return tally


def variable_position(term: Term, random: Random) -> Position:
    """Where an introduced variable is, or the term right above it; the root if there is none."""
    found = [position for position, t in term.positions() if t.is_variable]
    found += [position[:-1] for position in found if len(position) > 2]
    return random.choice(found or [()])


def moves(theory: Theory, position: Position) -> list[int]:
    return [theory.actions.index(Move(argument)) for argument in position]


@pytest.mark.parametrize("theory", [ROBINSON, POLYNOMIAL], ids=lambda theory: theory.name)
def test_arithmetic_walks(theory: Theory) -> None:
    random = Random(1)
    tally = Tally()
    for problem in problems(theory):
        for _ in range(4):
            tally += walk(theory, problem, random, 40)
    assert tally.solved


def test_aim_walks() -> None:
    """Both rarities of this theory have to come up: repeated states and the unifier's quirk."""
    random = Random(1)
    tally = Tally()
    for problem in problems(AIM):
        for _ in range(3):
            tally += walk(AIM, problem, random, 30)
    assert tally.excluded
    assert tally.quirks
    assert tally.solved


@pytest.mark.data
def test_aim_walks_on_recorded_problems(data: Path) -> None:
    random = Random(2)
    lines = (data / "aim" / "problems.tsv").read_text().splitlines()
    for line in random.sample(lines, 20):
        name, text = line.split("\t")[:2]
        problem = Problem(name, *parse_equation(text, AIM.signature))
        walk(AIM, problem, random, 25)


def test_quirk_of_the_compatible_unifier() -> None:
    """On X0 \\ X0 the fold of K(x,y) := (y * x) \\ (x * y) should give K(X,X)."""
    offered = {}
    for compatible in (False, True):
        pair = Pair(AIM, equation("e = y"), compatible)
        for action in (0, 46, 0):
            pair.step(action)
        assert pair.reference.term.at((0,)) == app("\\", var("X0"), var("X0"))
        offered[compatible] = pair.mask()[18]
    assert offered == {False: True, True: False}


def test_visited_states_are_excluded() -> None:
    """T unfolded and folded again would be the start, which the episode has seen."""
    folding = Pair(AIM, equation("T(x,y) = x"), compatible=False)
    for action in (0, 19, 0):
        folding.step(action)
    assert not folding.mask()[20]

    unseen = Pair(AIM, equation(r"y \ (x * y) = x"), compatible=False)
    unseen.step(0)
    assert unseen.mask()[20]


def test_rewriting_a_variable_instantiates_the_whole_side() -> None:
    pair = Pair(AIM, equation("c * e = c"), compatible=False)
    for action in (0, 1, 46):
        pair.step(action)
    assert pair.reference.term.args[0] == app("*", app("c"), app("\\", var("X0"), var("X0")))
    for action in (0, 1, 0, 5):
        pair.mask()
        pair.step(action)
    pair.mask()
    x = var("X1")
    assert pair.reference.term.args[0] == app("*", app("c"), app("\\", x, app("*", x, app("e"))))


# Theories of nobody in particular: odd arities, shared actions, every kind of goal.

ODD = Signature({"c": 0, "d": 0, "s": 1, "f": 2, "g": 3, "h": 4})
VARIABLES = [var("x"), var("y"), var("z")]


def random_theory(random: Random, goal: Goal) -> Theory:
    equations = []
    for k in range(random.randint(3, 7)):
        lhs, rhs = (random_term(ODD, random, random.choice([2, 2, 3]), VARIABLES) for _ in "lr")
        equations.append(Equation(f"q{k}", lhs, rhs, random.choice(["axiom", "definition"])))
    rewrites: list[list[tuple[str, object]]] = []
    for eq in equations:
        for direction in (LEFT_TO_RIGHT, RIGHT_TO_LEFT):
            source, result = eq.sides(direction)
            if goal is not Goal.EQUATION and set(result.variables()) - set(source.variables()):
                continue
            if rewrites and random.random() < 0.3:
                random.choice(rewrites).append((eq.name, direction))
            else:
                rewrites.append([(eq.name, direction)])
    actions: list[Action] = [Move(k) for k in range(4)]
    actions += [Rewrite(tuple(alternatives)) for alternatives in rewrites]
    random.shuffle(actions)
    symbols = random.sample(sorted(ODD.symbols), 3) if goal is Goal.NORMAL_FORM else []
    return Theory(
        "odd",
        "A theory made up at random",
        ODD,
        tuple(equations),
        tuple(actions),
        goal,
        constructors=frozenset(symbols),
        enter_leaves=random.random() < 0.7,
        no_repeats=random.random() < 0.7,
    )


def random_problem(random: Random, goal: Goal) -> Problem:
    leaves = [var("u"), var("v")] if goal is Goal.EQUATION else []
    start = random_term(ODD, random, 4, leaves)
    target = None if goal is Goal.NORMAL_FORM else random_term(ODD, random, 2, leaves)
    return Problem("odd", start, target)


@pytest.mark.parametrize("goal", Goal, ids=lambda goal: goal.value)
def test_random_theories(goal: Goal) -> None:
    random = Random(3)
    tally = Tally()
    for _ in range(60):
        theory = random_theory(random, goal)
        for _ in range(3):
            tally += walk(theory, random_problem(random, goal), random, 12)
    assert tally.excluded
    assert tally.dead_ends
    assert tally.solved


def test_repeats_are_excluded_whatever_the_goal() -> None:
    """a -> b -> a: with `no_repeats` the way back is closed, and so the episode is at its end."""
    there_and_back = Equation("swap", app("a"), app("b"))
    actions = tuple(Rewrite((("swap", d),)) for d in (LEFT_TO_RIGHT, RIGHT_TO_LEFT))
    symbols = Signature({"a": 0, "b": 0, "n": 0})
    for goal in (Goal.TARGET, Goal.NORMAL_FORM):
        constructors = frozenset("n") if goal is Goal.NORMAL_FORM else frozenset[str]()
        target = app("n") if goal is Goal.TARGET else None
        for no_repeats, end in ((False, End.RUNNING), (True, End.DEAD_END)):
            theory = Theory(
                "swap", "", symbols, (there_and_back,), actions, goal, constructors,
                no_repeats=no_repeats,
            )  # fmt: skip
            pair = Pair(theory, Problem("p", app("a"), target), compatible=False)
            pair.mask()
            pair.step(0)
            assert pair.mask() == [False, not no_repeats]
            assert pair.engine.end is end


# The unifier alone: constants that unfold to arbitrary terms make arbitrary pairs.


def unification_theory(random: Random, count: int) -> Theory:
    """Constants k0, k1, ... with `k_i = t_i` for terms t_i of one shape, in both directions.

    One shape and few variables: most pairs unify, by way of chains of bound variables.
    """
    variables = [var(name) for name in "wxyz"[: random.randint(2, 4)]]
    leaves = random.randint(3, 8)
    terms = []
    for _ in range(count):
        parts = []
        for _ in range(leaves):
            leaf = random.choice([*variables, *variables, app("c")])
            parts.append(app("s", leaf) if random.random() < 0.3 else leaf)
        while len(parts) > 1:
            parts = [app("f", *parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)] + (
                parts[-1:] if len(parts) % 2 else []
            )
        terms.append(parts[0])
    constants = {f"k{i}": 0 for i in range(count)}
    equations = tuple(Equation(f"q{i}", app(f"k{i}"), t) for i, t in enumerate(terms))
    rewrites = [
        Rewrite(((eq.name, direction),))
        for direction in (LEFT_TO_RIGHT, RIGHT_TO_LEFT)
        for eq in equations
    ]
    return Theory(
        "unification",
        "",
        Signature({"c": 0, "s": 1, "f": 2, **constants}),
        equations,
        (Move(0), Move(1), *rewrites),
        Goal.EQUATION,
    )


def unified(theory: Theory, i: int, j: int) -> Iterator[tuple[Pair, list[bool]]]:
    """k_i = k_j, both unfolded, the cursor on the left side; in both modes."""
    for compatible in (False, True):
        pair = Pair(theory, Problem("p", app(f"k{i}"), app(f"k{j}")), compatible)
        for action in (0, 2 + i, 1, 2 + j):
            pair.step(action)
        pair.mask()
        pair.step(0)
        yield pair, pair.mask()


def test_unifier_on_random_pairs() -> None:
    """Sides against sides in the final check, sides against rules in the masks."""
    random = Random(4)
    quirks = solved = 0
    for _ in range(12):
        count = 25
        theory = unification_theory(random, count)
        for _ in range(20):
            (plain, textbook), (odd, compatible) = unified(
                theory, random.randrange(count), random.randrange(count)
            )
            quirks += textbook != compatible or plain.engine.end != odd.engine.end
            solved += plain.engine.end is End.SOLVED
    assert quirks
    assert solved


def sides(left: Term, right: Term) -> Theory:
    """A theory in which the constants k and l unfold to the two terms."""
    equations = (Equation("left", app("k"), left), Equation("right", app("l"), right))
    rewrites = [Rewrite(((eq.name, LEFT_TO_RIGHT),)) for eq in equations]
    signature = Signature({"k": 0, "l": 0, "s": 1, "f": 2})
    return Theory("sides", "", signature, equations, (Move(0), Move(1), *rewrites), Goal.EQUATION)


def long_chain(inner: Term) -> Term:
    for _ in range(5000):
        inner = app("s", inner)
    return inner


def f(left: Term, right: Term) -> Term:
    return app("f", left, right)


def s(inner: Term) -> Term:
    return app("s", inner)


W, X, Y, Z = (var(name) for name in "wxyz")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # (x, s(y)) (z, y) (z, w) (x, s(y)): at its second occurrence s(y) meets its instance s(w).
        pytest.param(f(f(X, Z), f(Z, X)), f(f(s(Y), Y), f(W, s(Y))), id="shared subterm"),
        # (s(x), s(y)) (x, w) (s(x), s(y)), after more pairs than a short list would hold.
        pytest.param(
            f(long_chain(Z), f(s(X), f(X, s(X)))),
            f(long_chain(Z), f(s(Y), f(W, s(Y)))),
            id="after many pairs",
        ),
    ],
)
def test_quirk_of_a_pair_that_comes_up_again(left: Term, right: Term) -> None:
    """A pair solved once may be refused the second time: y has been bound in between."""
    for compatible, end in ((False, End.SOLVED), (True, End.RUNNING)):
        pair = Pair(sides(left, right), Problem("p", app("k"), app("l")), compatible)
        for action in (0, 2, 1, 3):
            pair.step(action)
        assert pair.reference.done == (end is End.SOLVED)
        assert pair.engine.end is end


def test_batches_step_like_the_reference() -> None:
    """Slots of two threads, each with its own problem, now and then left alone."""
    random = Random(6)
    chosen = problems(AIM)[:9]
    batch = Batch(AIM, chosen, 9, threads=2, limits=LIMITS)
    references = [Reference(AIM, problem) for problem in chosen]
    for slot in range(9):
        batch.reset(slot, slot)
    for _ in range(12):
        masks = batch.masks()
        actions = np.full(9, -1, dtype=np.int32)
        for slot, reference in enumerate(references):
            assert masks[slot].tolist() == reference.mask()
            if random.random() < 0.8 and reference.term.size < 100:
                actions[slot] = random.choice(np.flatnonzero(masks[slot]).tolist())
                reference.step(int(actions[slot]))
        batch.step(actions)
        for slot, reference in enumerate(references):
            assert skolem(batch.term(slot), chosen[slot]) == reference.term
            assert batch.cursor(slot) == reference.cursor
            assert (batch.end(slot) is End.SOLVED) == reference.done
