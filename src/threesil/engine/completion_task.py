"""What completion in the core is given of a theory and a goal, and the way back to proofs.

The goal's variables are constants of the search. An existential goal s = t becomes the equation
`eq(s, t) = false` beside `eq(x, x) = true`, and the goal `true = false`. A proof of that contains a
chain from eq(u, u) to eq(s, t) under some values, the witnesses. (Smallbone: Twee, CADE 2021)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from threesil.engine.compiled import check_arities
from threesil.engine.search import Lemmas
from threesil.kernel.confluence import Order
from threesil.kernel.naming import fresh_name, variable_names
from threesil.kernel.proof import Derivation, Step, close
from threesil.kernel.terms import Term, app, match, var
from threesil.kernel.theory import LEFT_TO_RIGHT, RIGHT_TO_LEFT, Equation, Problem, Theory

Codes = list[int]
Cited = tuple[str, tuple[str, ...], tuple[str, ...]]  # a lemma's name, its variables, the goal's
_EQ, _TRUE, _FALSE = "eq", "true", "false"


@dataclass(frozen=True)
class OrderChoice:
    """How the reduction order is chosen from a theory and a goal.

    `frequent_last`: symbols that occur more often come later in the precedence. `light_unary`: the
    most frequent unary symbol weighs nothing and comes last of all. `flatten`: constants stand for
    the parts of the goal, so that what is found out about them is small. `by_path`: the
    lexicographic path order, in which rare symbols come last, unary ones last of all.
    """

    frequent_last: bool = True
    light_unary: bool = True
    flatten: bool = True
    by_path: bool = False


def _codes(term: Term, symbols: Mapping[str, int], variables: Mapping[str, int]) -> Codes:
    return [variables[t.head] if t.is_variable else symbols[t.head] for t in term.subterms()]


@lru_cache(maxsize=64)
def _equations(theory: Theory) -> tuple[tuple[Codes, Codes], ...]:
    """The theory's equations: symbols by their number, variables as ~index."""
    number = {symbol: index for index, symbol in enumerate(theory.signature.symbols)}
    found = []
    for equation in theory.equations:
        names = {name: ~k for k, name in enumerate(equation.variables)}
        sides = _codes(equation.lhs, number, names), _codes(equation.rhs, number, names)
        found.append(sides)
    return tuple(found)


class CompletionTask:
    """A theory and a problem as the core takes them, and the way back."""

    def __init__(self, theory: Theory, problem: Problem, choice: OrderChoice) -> None:
        self.theory, self.problem, self.choice = theory, problem, choice
        check_arities(theory)
        self.symbols = dict(theory.signature.symbols)
        self.constants = [name for name in problem.variables if name not in problem.exists]
        self.number = {symbol: index for index, symbol in enumerate(self.symbols)}
        arity = [*self.symbols.values(), *(0 for _ in self.constants)]
        self.frozen = {name: len(self.symbols) + k for k, name in enumerate(self.constants)}
        self.equations = list(_equations(theory))
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
        self.parts: dict[Term, int] = {}
        """parts of the goal, and the constants that stand for them"""
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
            self.parts[part] = len(self.arity)
            self.equations.append((codes, [len(self.arity)]))
            self.arity.append(0)
            self.scaffolding.append(0)

    def _codes(self, term: Term, variables: Mapping[str, int]) -> Codes:
        return _codes(term, self.number, variables)

    def hints(self, equations: Iterable[Equation]) -> Iterator[tuple[Codes, Codes]]:
        """The equations that are about the task's symbols.

        One with variables that are called as the goal's comes twice: these are variables, and they
        are the goal's own, as in the lemmas of a proof.
        """
        ground = {part: code for part, code in self.parts.items() if not part.variables()}
        for equation in equations:
            sides = equation.lhs, equation.rhs
            nodes = (t for side in sides for t in side.distinct() if not t.is_variable)
            if not all(self.symbols.get(t.head) == len(t.args) for t in nodes):
                continue
            names = {name: ~k for k, name in enumerate(equation.variables)}
            left, right = (self._hint(side, names, ground) for side in sides)
            yield left, right
            if not self.frozen.keys().isdisjoint(names):
                names |= self.frozen
                left, right = (self._hint(side, names, self.parts) for side in sides)
                yield left, right

    def _hint(self, side: Term, names: Mapping[str, int], parts: Mapping[Term, int]) -> Codes:
        """A side in which constants stand for parts of the goal."""
        if not parts:
            return self._codes(side, names)
        codes, nodes, at = [], list(side.subterms()), 0
        while at < len(nodes):
            part = nodes[at]
            whole = parts.get(part)
            codes.append(
                whole
                if whole is not None
                else (names if part.is_variable else self.number)[part.head]
            )
            at += 1 if whole is None else part.size
        return codes

    def order(self) -> tuple[list[int], list[int], list[int]]:
        """Arity, weight and rank in the precedence of each symbol."""
        occurrences: Counter[int] = Counter()
        for lhs, rhs in (*self.equations, *self.goals):
            occurrences.update(code for code in (*lhs, *rhs) if code >= 0)
        if self.choice.by_path:
            return self.arity, [1] * len(self.arity), self._path_ranks(occurrences)
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

    def _path_ranks(self, occurrences: Counter[int]) -> list[int]:
        def place(f: int) -> tuple[bool, bool, int, int, int]:
            arity = self.arity[f]
            return arity > 0, arity == 1, self.scaffolding[f], -occurrences[f], f

        ranks = [0] * len(self.arity)
        for rank, f in enumerate(sorted(range(len(self.arity)), key=place)):
            ranks[f] = rank
        return ranks

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

    def rule_of(self, fact: int, lhs: Codes, rhs: Codes) -> Problem:
        """A fact as an equation, under a name that the theory has not got."""
        name = fresh_name(f"rule {fact}", self.theory.by_name)
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
        lemmas = tuple(self._lemmas(chains[:-1], {}, cited))
        table, end, variables, _ = chains[-1]
        derivation, _ = self._derivation(table, end, self._variables(variables), cited)
        return lemmas, self._witnessed(derivation) if self.problem.exists else derivation

    def lemmas(self, chains: Sequence[Any], names: Mapping[int, str]) -> Lemmas:
        return tuple(self._lemmas(chains, names, []))

    def each_lemma(self, chains: Sequence[Any]) -> Iterator[tuple[Problem, Derivation]]:
        return self._lemmas(chains, {}, [])

    def _lemmas(
        self, chains: Sequence[Any], names: Mapping[int, str], cited: list[Cited]
    ) -> Iterator[tuple[Problem, Derivation]]:
        taken = {*(equation.name for equation in self.theory.equations), *names.values()}
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
            yield problem, derivation

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
