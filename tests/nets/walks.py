"""Random walks that several tests of the networks share."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from samples import AIM, POLYNOMIAL, ROBINSON, equation, problems, successors, term
from threesil.engine import Batch, End, Limits, Network, Shape, States
from threesil.kernel.terms import app
from threesil.kernel.theory import Problem, Theory
from threesil.nets.policy import initial_parameters

LIVELY = np.float32(1.8)
SMALL = Shape(16, 64)
SHAPES = (SMALL, Shape(32, 48, value=True))


def lively_parameters(theory: Theory, shape: Shape = SMALL, seed: int = 1) -> np.ndarray:
    """Random weights, larger than those at the start of a training: far-off subterms matter."""
    return LIVELY * initial_parameters(theory, shape, seed)


def network(theory: Theory, shape: Shape = SMALL, seed: int = 1) -> Network:
    """A network with lively weights in the engine."""
    made = Network(theory, shape)
    made.load(lively_parameters(theory, shape, seed))
    return made


def varied_problems(theory: Theory) -> list[Problem]:
    """Small problems, and some with what is rare: deep numerals, many constants."""
    one, many = successors(1, app("0")), successors(150, app("0"))
    rare = {
        ROBINSON.name: [Problem("deep", app("+", app("*", many, one), many))],
        POLYNOMIAL.name: [
            Problem("deep", app("*", many, app("+", app("x"), many)), term("x", POLYNOMIAL))
        ],
        AIM.name: [equation(r"L(u * v,w,x) = R(y \ z,u / v,K(w,x))"), equation("e * e = e / e")],
    }
    return [*problems(theory), *rare[theory.name]]


@dataclass(frozen=True)
class Walk:
    """Episodes in all slots of a batch, and the same states in a store: slot i is states[i]."""

    batch: Batch
    store: States
    states: np.ndarray

    @property
    def draws(self) -> np.ndarray:
        return np.arange(len(self.states), dtype=np.uint64)


def walk(theory: Theory, slots: int, seed: int, *, longest: int = 25, threads: int = 1) -> Walk:
    """Random legal actions, between none and `longest` of them in a slot."""
    random = Random(seed)
    chosen = varied_problems(theory)
    batch = Batch(theory, chosen, slots, threads=threads, limits=Limits(steps=longest + 1))
    lengths = [random.randint(0, longest) for _ in range(slots)]
    for slot in range(slots):
        batch.reset(slot, slot % len(chosen))
    for step in range(longest):
        actions = np.full(slots, -1, dtype=np.int32)
        for slot, mask in enumerate(batch.masks()):
            if step < lengths[slot] and batch.end(slot) is End.RUNNING:
                actions[slot] = random.choice(np.flatnonzero(mask).tolist())
        batch.step(actions)
    return Walk(batch, *stored(batch))


def stored(batch: Batch) -> tuple[States, np.ndarray]:
    """The states of all slots of a batch in a store of their own."""
    store = States(batch.theory, batch.problems)
    states = []
    for slot in range(batch.width):
        actions = np.array(batch.actions(slot), dtype=np.uint16)
        problem = batch.problems.index(batch.problem(slot))
        states.append(store.add(problem, actions, with_last=True) + len(actions))
    return store, np.array(states, dtype=np.uint32)
