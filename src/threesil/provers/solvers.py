"""Every solver by its name, and those that are kept warm.

    best, plain, …  our own searches
    prover9, e, …   another prover
    prover9+lemmas  another prover that our lemmas help, or +hints, or +both; half of the time is
                    the policy's
    prover9+episode the same with the paper's own lemmas
    portfolio       what `threesil prove` does with all provers that are found

Limits are on CPU time, so that other work on the machine changes nothing but how long it all takes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from threesil.errors import InputError
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Goal, Theory
from threesil.provers.outside import Outside
from threesil.provers.portfolio import Portfolio
from threesil.provers.registry import PROVERS, find, found
from threesil.provers.request import Request
from threesil.search.best import Best
from threesil.search.guided import GuidedTerms
from threesil.search.searcher import Searcher
from threesil.search.solver import Solver
from threesil.search.solvers import SOLVERS, default_solver, make_solver

USES: Final = ("lemmas", "hints", "both", "episode")
KNOWN: Final = (*SOLVERS, *PROVERS, "PROVER+lemmas", "PROVER+episode", Portfolio.name)


def solver_for(request: Request, theory: Theory) -> Solver:
    """The solver that a request names, for a theory; a prover that is not installed is missing."""
    name = request.solver or default_solver(theory)
    if name in SOLVERS:
        own = _own(name, request, theory)
        helpers = request.helpers if theory.goal is Goal.EQUATION else ()
        others = [Outside(one, theory, request.memory) for one in helpers]
        return Portfolio(own, others) if others else own
    if name == Portfolio.name:
        others = [Outside(one, theory, request.memory) for one in found()]
        return Portfolio(_own(Best.name, request, theory), others)
    prover, plus, use = name.partition("+")
    if prover in PROVERS:
        other = Outside(find(prover), theory, request.memory)
        if not plus:
            return other
        if use in USES:
            from threesil.provers.team import Helped

            return Helped(name, _own(GuidedTerms.name, request, theory), other, use)
    raise InputError(f"unknown solver {name!r}; expected {', '.join(KNOWN)}")


def _own(name: str, request: Request, theory: Theory) -> Searcher:
    options = dict(request.options)
    solver = make_solver(name, theory, weights=request.weights, seed=request.seed, **options)
    solver.polish = max(solver.polish, request.polish)
    return solver


def takes_hints(request: Request, theory: Theory) -> bool:
    """Whether the solver that a request names for a theory has a use for hints."""
    name = request.solver or default_solver(theory)
    return name == Portfolio.name or (name in SOLVERS and "hints" in SOLVERS[name].options)


def uses_weights(name: str) -> bool:
    """Whether weights make a difference to the solver."""
    return bool(SOLVERS[name].uses) if name in SOLVERS else name not in PROVERS


def request_of(name: str, request: Request) -> Request:
    """The request for one of several solvers: with weights only if they mean something to it."""
    return replace(request, solver=name, weights=request.weights if uses_weights(name) else None)


def check_solver(request: Request, theories: Iterable[Theory]) -> Solver:
    """Refuses a solver that can't run in each of the theories; returns that of the first one."""
    solver = None
    for theory in theories:
        try:
            made = solver_for(request, theory)
        except InputError as error:
            error.message = f"{request.solver} can't run: {error.message}"
            raise
        solver = solver or made
    assert solver is not None
    return solver


def read_names(text: str) -> list[str]:
    """The names between the commas, each of them once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--solvers names {name} twice")
    return names


class Warm:
    """The solvers of a request, each made once for its theory; the last few are kept.

    One thread at a time. A solver that failed or ran out of memory is not kept.
    """

    def __init__(self, request: Request, most: int = 6) -> None:
        self.request, self._most = request, most
        self._kept: OrderedDict[str, Solver] = OrderedDict()

    def take(self, theory: Theory) -> Solver:
        """A solver for a theory: the warm one, if there is one."""
        return self._kept.pop(theory.digest, None) or solver_for(self.request, theory)

    def give(self, solver: Solver, outcome: Outcome) -> None:
        """Keeps a solver that has come to an outcome."""
        if outcome.status not in (SZS.ERROR, SZS.RESOURCE_OUT):
            self.keep(solver)

    def keep(self, solver: Solver) -> None:
        self._kept[solver.theory.digest] = solver
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
