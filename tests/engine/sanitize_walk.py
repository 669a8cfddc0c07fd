"""Everything that the core does, on all three theories, with small networks and short searches.

A plain script for a build of the engine that checks its own memory accesses: what matters is that
it comes to its end. tools/sanitize.sh runs it.
"""

from __future__ import annotations

import os
from random import Random

os.environ["THREESIL_SELF_CHECK"] = "1"

import numpy as np

from samples import (
    AIM,
    POLYNOMIAL,
    ROBINSON,
    THEORIES,
    left_nested,
    problems,
    successors,
    term,
    untrained,
)
from threesil.engine import (
    Batch,
    Budget,
    End,
    Guided,
    Levin,
    Limits,
    Saturation,
    Shape,
    States,
    TermSearch,
)
from threesil.errors import IllegalAction
from threesil.kernel.proof import certify
from threesil.kernel.terms import app, var
from threesil.kernel.theory import Problem, Theory
from threesil.nets.policy import Policy, initial_parameters


def play(theory: Theory) -> tuple[int, int]:
    """Whole episodes in two threads, at generous and at tight limits; solutions are certified."""
    chosen = problems(theory)
    episodes = [k % len(chosen) for k in range(800)]
    steps = proofs = 0
    for limits in (
        Limits(steps=30),
        Limits(steps=60, size=60),
        Limits(steps=60, depth=12),
        Limits(steps=60, variables=4),
        Limits(steps=60, bank_terms=300),
    ):
        for compatible in (False, True):
            batch = Batch(theory, chosen, 24, threads=2, limits=limits, compatible=compatible)
            played = batch.play_random(episodes, seed=1)
            steps += int(played.steps.sum())
            solved = np.flatnonzero(played.solved)
            for k in solved[:20]:
                derivation = batch.derivation_of(episodes[k], played.actions_of(k))
                certify(theory, chosen[episodes[k]], derivation)
                proofs += 1
            again = batch.replay(
                [episodes[k] for k in solved], [played.actions_of(k) for k in solved]
            )
            assert again.solved.all() or limits.bank_terms < 1000
    return steps, proofs


def step(theory: Theory, count: int) -> int:
    """Slots in lockstep, read out in every way there is; illegal actions in between."""
    random = Random(2)
    chosen = problems(theory)
    batch = Batch(theory, chosen, 12, threads=2, limits=Limits(steps=40, bank_terms=5000))
    tokens = np.empty((12, 50), dtype=np.int32)
    lengths, cursors = np.empty(12, dtype=np.int32), np.empty(12, dtype=np.int32)
    for slot in range(12):
        batch.reset(slot, slot)
    for _ in range(count):
        masks = batch.masks()
        batch.observe(tokens, lengths, cursors, 6)
        actions = np.full(12, -1, dtype=np.int32)
        for slot in range(12):
            legal = np.flatnonzero(masks[slot]).tolist()
            if batch.end(slot) is not End.RUNNING or not legal:
                if batch.end(slot) is End.SOLVED:
                    certify(theory, batch.problem(slot), batch.derivation(slot))
                batch.reset(slot, random.randrange(len(chosen)))
            elif random.random() < 0.9:
                actions[slot] = random.choice(legal)
        batch.step(actions)
        batch.term(random.randrange(12)).at(())
        batch.ends()
        try:
            batch.step(np.full(12, len(theory.actions), dtype=np.int32))
        except IllegalAction:
            continue
        raise AssertionError("an illegal action was taken")
    return count


def descend(theory: Theory, problem: Problem, depth: int) -> None:
    """To the bottom of a deep term, with the action numbers that both arithmetics share."""
    actions = [7] * depth + [0]
    batch = Batch(theory, [problem], limits=Limits(steps=2 * depth))
    assert batch.replay([0], [actions]).solved.all()
    certify(theory, problem, batch.derivation_of(0, actions))


def learn(theory: Theory) -> None:
    """The network in play, in a forward and backward pass, and in a tree search."""
    chosen = problems(theory)
    shape = Shape(16, 32, True)
    network = Policy(theory, shape, initial_parameters(theory, shape, seed=1)).network()
    batch = Batch(theory, chosen, 10, threads=2, limits=Limits(steps=20, bank_terms=3000))
    numbers = [k % len(chosen) for k in range(60)]
    played = batch.play(network, numbers, seed=1, record_all=True)
    batch.play(network, numbers, seed=1, greedy=True)
    store = States(theory, chosen)
    for k, number in enumerate(numbers):
        actions = np.array(played.actions_of(k), dtype=np.uint16)
        store.prune(number, actions)
        store.add(number, actions, with_last=True)
    states = np.arange(0, len(store), 7, dtype=np.uint32)
    done = store.forward(network, states, states.astype(np.uint64), seed=1)
    assert np.isfinite(done.backward(done.logits, done.values)).all()
    levin = Levin(network)
    for problem in chosen[:4]:
        levin.solve(problem, Budget(300), steps=30)


def search() -> None:
    """The searches over terms, with and without success."""
    chosen = [*problems(AIM)[:6], Problem("no", app("*", var("x"), var("y")), var("x"))]
    plain = TermSearch(AIM)
    for problem in chosen:
        for found in (
            plain.prove(problem, Budget(150)),
            *(plain.prove(problem, Budget(150), length=length) for length in range(4)),
            Saturation(AIM).prove(problem, Budget(150)),
        ):
            if found.derivation is not None:
                certify(AIM, problem, found.derivation)


def search_guided() -> None:
    """The learned search in the theory and in a part of it, at generous and at tight limits."""
    network = untrained(AIM).network()
    lemmas = 0
    for theory in (AIM, AIM.before(AIM.lemmas[5].name)):
        for options in ({}, {"growth": 2}, {"variables": 0}, {"variables": 1, "noise": 1.0}):
            guided = Guided(theory, network, **options)
            for problem in problems(AIM)[4:8]:
                for budget in (Budget(60), Budget(60, terms=80)):
                    found = guided.prove(problem, budget)
                    if found.derivation is not None:
                        certify(theory, problem, found.derivation)
                    for derivation, _ in guided.explore(problem, budget, count=20):
                        lemma = Problem("lemma", derivation.start, derivation.end)
                        certify(theory, lemma, derivation)
                        lemmas += 1
    assert lemmas > 100


def main() -> None:
    search()
    search_guided()
    for theory in THEORIES:
        learn(theory)
    steps = proofs = 0
    for theory in THEORIES:
        played, certified = play(theory)
        steps += played + 12 * step(theory, 150)
        proofs += certified
    depth, zero = 20_000, app("0")
    descend(ROBINSON, Problem("S", successors(depth, term("0 + 0", ROBINSON))), depth)
    start = left_nested(depth, "+", term("x + 0", POLYNOMIAL), zero)
    descend(POLYNOMIAL, Problem("+", start, left_nested(depth, "+", app("x"), zero)), depth)
    deep = left_nested(depth, "*", app("e"), app("e"))
    batch = Batch(AIM, [Problem("*", app("*", deep, app("e")), deep)])
    assert batch.replay([0], [[0, 5]]).solved.all()
    print(f"walked {steps} steps, certified {proofs} proofs, reached depth {depth}")


if __name__ == "__main__":
    main()
