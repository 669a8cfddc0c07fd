"""Playing an episode by hand: the state after some actions, what may be done, and how likely.

An episode is its problem and its actions; nothing of it is kept between two questions. When it is
solved, its derivation is certified.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threesil.engine import Batch, End, Limits, Network
from threesil.errors import IllegalAction, InputError
from threesil.kernel.proof import Proof, certify
from threesil.kernel.terms import Term
from threesil.kernel.theory import Goal, Move, Problem, Theory
from threesil.notations.infix import format_equation, format_term
from threesil.notations.reading.typed import understood
from threesil.notations.writing.view import draw, proof_view, tree_view
from threesil.problems.files import format_problem, parse_problem
from threesil.problems.generate import sample_problem
from threesil.proofs.export import export_certificates, formats_of
from threesil.runs.run import Run
from threesil.runs.weights import bundled_policy, find_policy

_LARGEST = 2_000  # nodes of a state
_VARIABLES = 64  # that rewrites may introduce


class Game:
    """A problem and the actions that were taken; `InputError` if they can't be."""

    def __init__(self, theory: Theory, problem: Problem, actions: list[int]) -> None:
        self.theory, self.problem = theory, problem
        limits = Limits(steps=theory.step_limit, size=_LARGEST, variables=_VARIABLES)
        if problem.exists:
            raise InputError("an episode can't look for values; play an equation without exists")
        self._batch = Batch(theory, [problem], limits=limits)
        self._batch.reset(0, 0)
        for action in actions:
            self.step(action)

    def step(self, action: int) -> None:
        if action < 0:
            raise InputError(f"there is no action {action}")
        try:
            self._batch.step(np.array([action], dtype=np.int64))
        except (IllegalAction, OverflowError) as error:
            raise InputError(str(error)) from None

    @property
    def end(self) -> End:
        return self._batch.end(0)

    @property
    def actions(self) -> list[int]:
        return self._batch.actions(0)

    def legal(self) -> list[int]:
        return [int(a) for a in np.flatnonzero(self._batch.masks()[0])]

    def probabilities(self, network: Network) -> NDArray[np.float64]:
        """Those of all actions, (A,); what is not legal has none."""
        logits = self._batch.logits(network)[0].astype(np.float64)
        logits[~self._batch.masks()[0]] = -np.inf
        weights = np.exp(logits - logits.max())
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def go_on(self, network: Network, seed: int | None) -> None:
        """The policy plays to the end: its most probable actions, or random ones with a seed."""
        random = None if seed is None else np.random.default_rng(seed)
        while self.end is End.RUNNING and self.legal():
            chances = self.probabilities(network)
            best = chances.argmax() if random is None else random.choice(len(chances), p=chances)
            self.step(int(best))

    def proof(self) -> Proof | None:
        """The derivation, certified, if it is solved."""
        if self.end is not End.SOLVED:
            return None
        return certify(self.theory, self.problem, self._batch.derivation(0))

    def view(self, network: Network | None) -> dict[str, Any]:
        """The state as a page shows it."""
        theory, term, cursor = self.theory, self._batch.term(0), self._batch.cursor(0)
        drawing = draw(term, theory.signature, [cursor])
        legal = self.legal() if self.end is End.RUNNING else []
        chances = self.probabilities(network) if network and legal else None
        proof = self.proof()
        return {
            "theory": theory.name,
            "understood": understood(self.problem, theory),
            "text": format_problem(self.problem, theory).split("\t")[-1],
            "actions": self.actions,
            "names": [theory.action_name(action) for action in self.actions],
            "steps": theory.step_limit,
            "end": self.end.reason,
            "solved": proof is not None,
            "state": _state(term, theory),
            "tree": drawing
            and {
                **tree_view(drawing, cursor=drawing.marks[0]),
                "positions": drawing.positions,
            },
            "cursor": cursor,
            "moves": {a.argument: n for n, a in enumerate(theory.actions) if isinstance(a, Move)},
            "weights": network is not None,
            "legal": [
                {**_action(theory, a), "chance": None if chances is None else float(chances[a])}
                for a in legal
            ],
            "proof": proof_view(proof) if proof is not None else None,
            "formats": formats_of(proof) if proof is not None else [],
        }


def _state(term: Term, theory: Theory) -> str:
    sides = term.args if theory.goal is Goal.EQUATION else (term,)
    return " = ".join(format_term(side, theory.signature) for side in sides)


def _action(theory: Theory, index: int) -> dict[str, Any]:
    action = theory.actions[index]
    move = isinstance(action, Move)
    return {
        "action": index,
        "name": theory.action_name(index),
        "move": action.argument if isinstance(action, Move) else None,
        "equations": []
        if move
        else [
            format_equation(theory.by_name[name], theory.signature)
            for name, _ in getattr(action, "alternatives", ())
        ],
    }


def _network(theory: Theory, run: str | None) -> Network | None:
    return _made(theory, run, age_of(run))


def age_of(run: str | None) -> int:
    """When the weights of a run were written: it may still be trained."""
    try:
        return Run(Path(run)).weights_path.stat().st_mtime_ns if run else 0
    except OSError:
        return 0


@lru_cache(maxsize=8)
def _made(theory: Theory, run: str | None, age: int) -> Network | None:
    model = bundled_policy(theory) if run is None else find_policy(run, theory)
    return model.network() if model is not None else None


def play(task: dict[str, Any], theory: Theory) -> dict[str, Any]:
    """The state after some actions. Without a text the problem is drawn, as the seed says.

    `weights` is the directory of a run; else they are the bundled ones, if there are any. With
    `go` the policy plays to the end: `best`, or by `chance`.
    """
    game = _game(task, theory)
    network = _network(theory, task.get("weights"))
    if task.get("go"):
        if network is None:
            raise InputError(f"there are no bundled weights of {theory.name}")
        game.go_on(network, task.get("seed") or 0 if task["go"] == "chance" else None)
    return game.view(network)


def export(task: dict[str, Any], theory: Theory) -> dict[str, Any]:
    """The derivation of a solved episode as a file, in the notation that `format` names."""
    proof = _game(task, theory).proof()
    if proof is None:
        raise InputError("the episode is not solved, so there is no proof to write yet")
    return {"text": export_certificates([proof], task["format"])}


def _game(task: dict[str, Any], theory: Theory) -> Game:
    text = task.get("text")
    if text:
        problem = parse_problem(text, theory)
    else:
        problem = sample_problem(theory, Random(task.get("seed") or 0))
    return Game(theory, problem, task.get("actions") or [])
