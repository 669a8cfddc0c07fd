"""Completion in the core: from equations and a goal to a proof with lemmas.

The goal's variables are constants of the search. An existential goal s = t becomes the equation
`eq(s, t) = false` beside `eq(x, x) = true`, and the goal `true = false`: a proof of that holds a
chain from eq(u, u) to eq(s, t) under some values, the witnesses. (Smallbone: Twee, CADE 2021)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from threesil import _native
from threesil.confluence import Order
from threesil.engine.compiled import check_arities
from threesil.engine.control import Stop, checks_itself
from threesil.engine.search import Budget, Found, Lemmas, Saturated, Status
from threesil.engine.selection import Selecting, Selection
from threesil.naming import fresh_name, variable_names
from threesil.proof import Derivation, Proof, Step, certify, close
from threesil.terms import Term, app, match, var
from threesil.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Equation, Problem, Theory

Codes = list[int]
Numbers = NDArray[np.uint32]
Cited = tuple[str, tuple[str, ...], tuple[str, ...]]  # a lemma's name, its variables, the goal's
_EQ, _TRUE, _FALSE = "eq", "true", "false"


@dataclass(frozen=True)
class OrderChoice:
    """How the reduction order is chosen from a theory and a goal.

    `frequent_last`: symbols that occur more often come later in the precedence. `light_unary`: the
    most frequent unary symbol weighs nothing and comes last of all. `flatten`: constants stand for
    the parts of the goal, so that what is found out about them is small.
    """

    frequent_last: bool = True
    light_unary: bool = True
    flatten: bool = True


@dataclass(frozen=True)
class CompletionStatistics:
    """What a completion has done so far."""

    pairs: int
    """critical pairs made"""
    considered: int
    """critical pairs taken from the queue"""
    rewrites: int
    active: int
    """rules and equations in use"""
    queue: int
    """critical pairs that wait"""
    distance: int
    """nodes of the goal's two sides, simplified"""
    dropped: bool
    """something was left out, so that an empty queue means nothing"""


@dataclass(frozen=True)
class Rule:
    """An active equation; where it is oriented, the left side is the larger under any values."""

    equation: Problem
    oriented: bool
    fact: int
    """its number in the run"""


@dataclass(frozen=True)
class Judged:
    """Critical pairs that became facts: numbers, overlaps that were tried, needed by the proof."""

    pairs: Numbers
    overlaps: Numbers
    needed: NDArray[np.bool_]


class Completion:
    """Unfailing completion of a theory's equations until a goal is proved."""

    def __init__(
        self,
        theory: Theory,
        *,
        order: OrderChoice | None = None,
        selection: Selection | None = None,
        self_check: bool | None = None,
    ) -> None:
        """`self_check` certifies every equation that it makes, default: as the variable says."""
        self.theory = theory
        self.order = order or OrderChoice()
        self.selection = selection
        self.self_check = checks_itself(self_check)

    def begin(self, problem: Problem, *, pairs: int = 20_000_000) -> CompletionRun:
        """A completion for this goal that has done nothing yet; `pairs` may wait at once."""
        task = _Task(self.theory, problem, self.order)
        return CompletionRun(task, pairs, self.selection, self.self_check)

    def prove(self, problem: Problem, budget: Budget) -> Found:
        """Looks for a proof; what it finds is not certified yet."""
        return self.begin(problem, pairs=budget.terms).run(budget)


class CompletionRun:
    """A completion under way: it can be given time again and again."""

    def __init__(
        self,
        task: _Task,
        pairs: int,
        selection: Selection | None = None,
        self_check: bool = False,
    ) -> None:
        self._task = task
        self._checked = 0 if self_check else None  # facts
        self.selecting: Selecting | None = None
        if selection is not None:
            axioms = task.equations[: len(task.theory.equations)]
            setting = task.order(), axioms, task.aim, task.scaffolding
            self.selecting = selection.prepare(*setting, task.eq)
        self._native = _native.Completion(
            *task.order(),
            task.equations,
            task.goals,
            pairs,
            task.meaning,
            task.scaffolding,
            task.eq,
            self.selecting.native if self.selecting else None,
        )

    def run(self, budget: Budget) -> Found:
        """Goes on where it stopped; what it finds is not certified yet."""
        before = self.statistics.considered
        status = Status(self._native.run(*budget.counts(), budget.stop))
        self._check()
        expansions = self.statistics.considered - before
        if status is not Status.PROVED:
            return Found(status, expansions, figures=self._figures())
        if self._task.lacks_witnesses:
            reason = "there is no constant, so no term can be written that is a witness"
            return Found(Status.LENGTH, expansions, figures=self._figures(), reason=reason)
        chains = self._native.proof(budget.stop)
        if not chains:
            return Found(Status.LENGTH, expansions, figures=self._figures())
        lemmas, derivation = self._task.read(chains)
        if derivation is None:
            return self._with_any_witness(budget, expansions)
        return Found(
            status, expansions, derivation=derivation, lemmas=lemmas, figures=self._figures()
        )

    def _figures(self) -> dict[str, float]:
        """What the run has counted so far, for people."""
        now = self.statistics
        return {
            "pairs": now.pairs,
            "rules": now.active,
            "rewrites": now.rewrites,
            "distance": now.distance,
        }

    @property
    def arity(self) -> list[int]:
        """Of the symbols as the core numbers them."""
        return self._task.arity

    @property
    def aim(self) -> tuple[Codes, Codes]:
        """The goal's sides: symbols by number, variables that it looks for as ~index."""
        return self._task.aim

    def judged(self, stop: Stop | None = None) -> Judged:
        """What became of the critical pairs that were taken, once there is a proof."""
        pairs, overlaps, needed = self._native.judged(stop)
        return Judged(pairs, overlaps, needed.astype(bool))

    def _with_any_witness(self, budget: Budget, expansions: int) -> Found:
        """All terms are equal, whatever the witnesses are: a proof with the first that comes."""
        closed, witnesses = self._task.closed()
        run = CompletionRun(_Task(self._task.theory, closed, self._task.choice), budget.terms)
        found = run.run(replace(budget, progress=None))
        if found.derivation is None:
            return replace(found, expansions=expansions + found.expansions)
        derivation = replace(found.derivation, witnesses=witnesses)
        return replace(found, expansions=expansions + found.expansions, derivation=derivation)

    def _check(self) -> None:
        """Certifies the facts that are new."""
        if self._checked is None:
            return
        fresh = list(range(self._checked, self._native.facts))
        self._checked += len(fresh)
        proofs: list[Proof] = []
        for lemma, derivation in self._task.lemmas(self._native.lemmas(fresh, None), {}):
            proofs.append(certify(self._task.theory, lemma, derivation, proofs))

    @property
    def statistics(self) -> CompletionStatistics:
        return CompletionStatistics(**self._native.statistics)

    @property
    def order(self) -> Order:
        """The reduction order on the theory's symbols."""
        return self._task.reduction_order()

    def saturated(self, stop: Stop | None = None) -> Saturated | None:
        """What an exhausted run came to; None if it left something out or looks for witnesses."""
        if self.statistics.dropped or self._task.problem.exists:
            return None
        rules = self.rules()
        unoriented = sum(not rule.oriented for rule in rules)
        lemmas = () if unoriented else self.lemmas(rules, stop)
        names = tuple(rule.equation.name for rule in rules)
        return Saturated(self.order, unoriented, names, lemmas)

    def rules(self, limit: int | None = None) -> tuple[Rule, ...]:
        """The active equations in the theory's own symbols, the smallest first."""
        known = [row for row in self._native.active() if self._task.is_known((*row[1], *row[2]))]
        known.sort(key=lambda row: (len(row[1]) + len(row[2]), row[0]))
        return tuple(
            Rule(self._task.equation_of(f"rule {fact}", lhs, rhs), oriented, fact)
            for fact, lhs, rhs, oriented in known[:limit]
        )

    def lemmas(self, rules: Sequence[Rule], stop: Stop | None = None) -> Lemmas:
        """What proves these rules, each after those that it cites.

        A rule's own lemma has its name; the others are those that it needs. None at all if they
        are too long to be read out.
        """
        names = {rule.fact: rule.equation.name for rule in rules}
        return self._task.lemmas(self._native.lemmas(list(names), stop), names)


class _Task:
    """A theory and a problem as the core takes them, and the way back."""

    def __init__(self, theory: Theory, problem: Problem, choice: OrderChoice) -> None:
        self.theory, self.problem, self.choice = theory, problem, choice
        check_arities(theory)
        self.symbols = dict(theory.signature.symbols)
        self.constants = [name for name in problem.variables if name not in problem.exists]
        self.number = {symbol: index for index, symbol in enumerate(self.symbols)}
        arity = [*self.symbols.values(), *(0 for _ in self.constants)]
        self.frozen = {name: len(self.symbols) + k for k, name in enumerate(self.constants)}
        self.equations = [self._equation(equation) for equation in theory.equations]
        self.lacks_witnesses = bool(problem.exists) and 0 not in arity
        if 0 not in arity:
            arity.append(0)  # some element, whatever it is
        self.scaffolding = [0] * len(arity)
        self.eq = self.true = self.false = -1
        assert problem.target is not None
        sides = problem.start, problem.target
        if problem.exists:
            self.eq, self.true, self.false = range(len(arity), len(arity) + 3)
            arity += [2, 0, 0]
            self.scaffolding += [1, 1, 1]
            names = {name: ~k for k, name in enumerate(problem.exists)} | self.frozen
            self.aim = self._codes(sides[0], names), self._codes(sides[1], names)
            goal = [self.eq, *self.aim[0], *self.aim[1]]
            self.equations += [([self.eq, ~0, ~0], [self.true]), (goal, [self.false])]
            self.goals = [([self.true], [self.false])]
        else:
            self.aim = self._codes(sides[0], self.frozen), self._codes(sides[1], self.frozen)
            self.goals = [self.aim]
        self.arity = arity
        self.meaning: dict[int, Codes] = {}
        if choice.flatten:
            self._flatten(sides)

    def _flatten(self, sides: Sequence[Term]) -> None:
        """Names the parts of the goal that hold no unknown: constants, and what they stand for."""
        parts = {part: None for side in sides for part in side.subterms() if part.args}
        for part in parts:
            if self.problem.exists and not set(self.problem.exists).isdisjoint(part.variables()):
                continue
            codes = self._codes(part, self.frozen)
            self.meaning[len(self.arity)] = codes
            self.equations.append((codes, [len(self.arity)]))
            self.arity.append(0)
            self.scaffolding.append(0)

    def _codes(self, term: Term, variables: dict[str, int]) -> Codes:
        return [
            variables[t.head] if t.is_variable else self.number[t.head] for t in term.subterms()
        ]

    def _equation(self, equation: Equation) -> tuple[Codes, Codes]:
        names = {name: ~k for k, name in enumerate(equation.variables)}
        return self._codes(equation.lhs, names), self._codes(equation.rhs, names)

    def order(self) -> tuple[list[int], list[int], list[int]]:
        """Arity, weight and rank in the precedence of each symbol."""
        occurrences: Counter[int] = Counter()
        for lhs, rhs in (*self.equations, *self.goals):
            occurrences.update(code for code in (*lhs, *rhs) if code >= 0)
        unary = [f for f, a in enumerate(self.arity) if a == 1]
        light = max(unary, key=lambda f: (occurrences[f], -f), default=None)
        if not self.choice.light_unary:
            light = None
        sign = 1 if self.choice.frequent_last else -1

        def place(f: int) -> tuple[bool, int, int, int]:
            # The least constant fills what is open in proofs: it must be one of the theory.
            return f == light, self.scaffolding[f], sign * occurrences[f], f

        ranks = [0] * len(self.arity)
        for rank, f in enumerate(sorted(range(len(self.arity)), key=place)):
            ranks[f] = rank
        weights = [0 if f == light else 1 for f in range(len(self.arity))]
        return self.arity, weights, ranks

    def reduction_order(self) -> Order:
        arity, weights, ranks = self.order()
        symbols = list(self.symbols)
        return Order(
            {symbol: weights[self.number[symbol]] for symbol in symbols},
            min(weight for weight, arguments in zip(weights, arity, strict=True) if not arguments),
            tuple(sorted(symbols, key=lambda symbol: ranks[self.number[symbol]])),
        )

    # The way back

    def is_known(self, codes: Sequence[int]) -> bool:
        """Whether the theory has all these symbols."""
        return all(code < len(self.symbols) for code in codes)

    def equation_of(self, name: str, lhs: Codes, rhs: Codes) -> Problem:
        own = self._variables(1 + max((~code for code in (*lhs, *rhs) if code < 0), default=-1))
        return Problem(name, self._decoded(lhs, own), self._decoded(rhs, own))

    def _decoded(self, codes: Codes, own: Sequence[str]) -> Term:
        terms: list[Term] = []
        for code in reversed(codes):
            count = self.arity[code] if code >= 0 else 0
            parts = [terms.pop() for _ in range(count)]
            terms.append(self._term(code, parts) if code >= 0 else var(own[~code]))
        return terms[0]

    def closed(self) -> tuple[Problem, dict[str, Term]]:
        """The problem with something for the unknowns, and what that is."""
        constants = [app(name) for name, arity in self.symbols.items() if arity == 0]
        some = [*(var(name) for name in self.constants), *constants, var(self.problem.exists[0])]
        values = dict.fromkeys(self.problem.exists, some[0])
        assert self.problem.target is not None
        start, target = self.problem.start, self.problem.target.substitute(values)
        return Problem(self.problem.name, start.substitute(values), target), values

    def read(self, chains: Sequence[Any]) -> tuple[Lemmas, Derivation | None]:
        """(lemmas, the goal's derivation); no derivation if all terms are equal."""
        cited: list[Cited] = []
        lemmas = self._lemmas(chains[:-1], {}, cited)
        table, end, variables, _ = chains[-1]
        derivation, _ = self._derivation(table, end, self._variables(variables), cited)
        return lemmas, self._witnessed(derivation) if self.problem.exists else derivation

    def lemmas(self, chains: Sequence[Any], names: Mapping[int, str]) -> Lemmas:
        return self._lemmas(chains, names, [])

    def _lemmas(
        self, chains: Sequence[Any], names: Mapping[int, str], cited: list[Cited]
    ) -> Lemmas:
        taken = {*(equation.name for equation in self.theory.equations), *names.values()}
        lemmas = []
        for table, end, variables, fact in chains:
            name = names.get(fact) or fresh_name(f"lemma {len(cited) + 1}", taken)
            taken.add(name)
            own = self._variables(variables)
            derivation, last = self._derivation(table, end, own, cited)
            assert derivation.end == last
            problem = Problem(name, derivation.start, derivation.end)
            derivation = self._closed(derivation, problem)
            shared = tuple(v for v in problem.variables if v not in own)
            cited.append((name, own, shared))
            lemmas.append((problem, derivation))
        return tuple(lemmas)

    def _closed(self, derivation: Derivation, lemma: Problem) -> Derivation:
        """The chain with something that the lemma speaks of for all that only its middle does."""
        values = [value for step in derivation.steps for value in step.substitution.values()]
        open_ = {name for value in values for name in value.variables()} - set(lemma.variables)
        if not open_:
            return derivation
        some = next(t for t in lemma.start.distinct() if not t.args)
        return close(derivation, dict.fromkeys(open_, some))

    def _variables(self, count: int) -> tuple[str, ...]:
        """Names for the variables of a lemma."""
        return tuple(islice(variable_names({*self.symbols, *self.problem.variables}), count))

    def _derivation(
        self,
        table: Any,
        end: int,
        own: Sequence[str],
        cited: Sequence[Cited],
    ) -> tuple[Derivation, Term]:
        heads, args, start, steps = table
        terms: list[Term] = []
        next_argument = 0
        for head in heads:
            if head < len(self.arity):
                stop = next_argument + self.arity[head]
                parts = [terms[a] for a in args[next_argument:stop]]
                next_argument = stop
                terms.append(self._term(head, parts))
            else:
                terms.append(var(own[head - len(self.arity)]))
        chained = []
        for path, number, left_to_right, values, result in steps:
            direction = LEFT_TO_RIGHT if left_to_right else RIGHT_TO_LEFT
            name, substitution = self._source(number, [terms[v] for v in values], cited)
            chained.append(Step(tuple(path), name, direction, substitution, terms[result]))
        return Derivation(terms[start], tuple(chained)), terms[end]

    def _term(self, head: int, parts: list[Term]) -> Term:
        symbols = list(self.symbols)
        if head < len(symbols):
            return app(symbols[head], *parts)
        if head < len(symbols) + len(self.constants):
            return var(self.constants[head - len(symbols)])
        if head in (self.eq, self.true, self.false):
            return app((_EQ, _TRUE, _FALSE)[head - self.eq], *parts)
        return var(self.constants[0]) if self.constants else var("x")

    def _source(
        self,
        number: int,
        values: list[Term],
        cited: Sequence[Cited],
    ) -> tuple[str, dict[str, Term]]:
        equations = self.theory.equations
        if number < len(equations):
            variables = equations[number].variables
            return equations[number].name, dict(zip(variables, values, strict=True))
        if number < len(self.equations):  # eq(x, x) = true, or the goal
            return (_TRUE, _FALSE)[number - len(equations)], {}
        name, own, shared = cited[number - len(self.equations)]
        occurring = dict(zip(own, values, strict=False))
        return name, occurring | {v: var(v) for v in shared}

    def _witnessed(self, whole: Derivation) -> Derivation | None:
        """The chain between the sides of an existential goal, out of one from true to false.

        Where it first comes to false it came from true through eq(u, u), u rewritten on the left
        to s and on the right to t. None if it came another way.
        """
        states = whole.terms
        last = next(i for i, t in enumerate(states) if t.head == _FALSE)
        first = max(i for i in range(last) if states[i].head == _TRUE)
        inside = whole.steps[first + 1 : last - 1]
        terms = states[first + 1 : last]
        problem = self.problem
        assert problem.target is not None
        if any(term.head != _EQ for term in terms) or any(not step.position for step in inside):
            return None
        values = match(app(_EQ, problem.start, problem.target), terms[-1]) if terms else None
        if values is None or terms[0].args[0] != terms[0].args[1]:
            return None
        witnesses = {name: values[name] for name in problem.exists}
        sides: list[list[Step]] = [[], []]
        for step, after in zip(inside, terms[1:], strict=True):
            side = step.position[0]
            moved = Step(
                step.position[1:],
                step.equation,
                step.direction,
                step.substitution,
                after.args[side],
            )
            sides[side].append(moved)
        left = Derivation(terms[0].args[0], tuple(sides[0])).backwards()
        return Derivation(left.start, left.steps + tuple(sides[1]), witnesses)
