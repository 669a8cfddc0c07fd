"""The kernel for decisions: rules become a `Convergent` system only through `check`.

A *rule* l -> r is an equation that is used from left to right. A set of rules is *terminating* if
an order that shrinks with every rewrite has l > r for each of them. It is then *confluent* if each
*critical pair* joins. Rules l1 -> r1 and l2 -> r2 *overlap* at a subterm of l1 that is no variable
and unifies with l2; the pair joins if both results of rewriting the unified l1 have the same normal
form. (Knuth and Bendix 1970; Baader and Nipkow: Term Rewriting and All That, 1998, chapters 5, 6)

A system that is both gives every term one normal form. Suppose that its rules follow from a theory,
and that both sides of each equation of the theory have the same normal form. Then two terms are
equal in the theory exactly if their normal forms are identical: different ones refute an equation.

The order is that of Knuth and Bendix. s > t needs that no variable occurs more often in t than in
s, and one of these:

- s weighs more than t;
- they weigh the same, and t is a variable;
- they weigh the same, and the head of s comes later in the precedence;
- they weigh the same, the heads are equal, and the first arguments that differ are so ordered.

*Definitions* f(x, y) := t, where t is made of other symbols that do not need f, are unfolded first:
the order, the rules and the normal forms do not mention them.

This file, with the proof kernel, is all that has to be trusted. It knows nothing of how the rules
were found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from types import MappingProxyType
from typing import Final, final

from threesil.errors import ThreesilError
from threesil.kernel.proof import NotAProof, Proof
from threesil.kernel.terms import Term, match, unify, var
from threesil.kernel.theory import Problem, Theory

EFFORT: Final = 2**22  # overlaps that are tried and rewrites that are made, about a minute
LARGEST: Final = 1000  # nodes of a side of a rule

Sides = tuple[Term, Term]


class NotConvergent(ThreesilError):
    """Rules that `check` refuses, and why."""


@final
@dataclass(frozen=True, slots=True)
class Order:
    """A Knuth-Bendix order: a weight for each symbol and for variables; the precedence, least
    symbol first.
    """

    weights: Mapping[str, int]
    variable: int
    precedence: tuple[str, ...]
    _rank: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _set(self, "weights", MappingProxyType(dict(self.weights)))
        _set(self, "precedence", tuple(self.precedence))
        _set(self, "_rank", {symbol: rank for rank, symbol in enumerate(self.precedence)})

    def __reduce__(self) -> tuple[Callable[..., Order], tuple[object, ...]]:
        return Order, (dict(self.weights), self.variable, self.precedence)

    def weight(self, term: Term) -> int:
        weights = self.weights
        return sum(self.variable if t.is_variable else weights[t.head] for t in term.subterms())

    def greater(self, s: Term, t: Term) -> bool:
        """Whether s > t, and so under all values of the variables."""
        while s != t:
            if _occurrences(t) - _occurrences(s):
                return False
            difference = self.weight(s) - self.weight(t)
            if difference or s.is_variable or t.is_variable:
                return difference > 0 or (difference == 0 and not s.is_variable)
            if s.head != t.head:
                return self._rank[s.head] > self._rank[t.head]
            s, t = next((a, b) for a, b in zip(s.args, t.args, strict=True) if a != b)
        return False


def _occurrences(term: Term) -> Counter[str]:
    return Counter(t.head for t in term.subterms() if t.is_variable)


_CHECKED = object()


@final
@dataclass(frozen=True, slots=True, repr=False)
class Convergent:
    """Rules that decide a theory's equations; only `check` makes one.

    With a `problem`, its two sides have different normal forms, so that it does not follow.
    """

    theory: Theory
    problem: Problem | None
    order: Order
    rules: tuple[Proof, ...]
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _CHECKED:
            raise NotConvergent("a Convergent is made by check() alone")

    def __repr__(self) -> str:
        what = f"normal forms refute {self.problem.name!r}" if self.problem else "decides"
        return f"<{len(self.rules)} rules of {self.theory.name}: {what}>"

    def __reduce__(self) -> tuple[Callable[..., Convergent], tuple[object, ...]]:
        """A copy, and what comes out of a pickle, is checked again."""
        return check, (self.theory, self.problem, self.order, self.rules)

    def normal_form(self, term: Term, effort: int = EFFORT) -> Term:
        """The only normal form of a term, its definitions unfolded."""
        rewriting = _Rewriting([_sides(rule) for rule in self.rules], effort)
        return rewriting.normal_form(_unfolded(term, _definitions(self.theory)))

    def refuting(self, problem: Problem, effort: int = EFFORT) -> Convergent:
        """The same rules, which refute this problem; or `NotConvergent`."""
        rewriting = _Rewriting([_sides(rule) for rule in self.rules], effort)
        _check_refuted(self.theory, problem, rewriting)
        return Convergent(self.theory, problem, self.order, self.rules, _CHECKED)


def check(
    theory: Theory,
    problem: Problem | None,
    order: Order,
    rules: Iterable[Proof],
    effort: int = EFFORT,
) -> Convergent:
    """Checks the order, the rules and all their overlaps; a system, or `NotConvergent`."""
    for value, kind in ((theory, Theory), (problem, Problem), (order, Order)):
        if type(value) is not kind and (value is not None or kind is not Problem):
            raise NotConvergent(f"expected a {kind.__name__}, not {type(value).__name__}")
    rules = tuple(rules)
    order = Order(order.weights, order.variable, order.precedence)
    defined = _definitions(theory)
    symbols = {f: arity for f, arity in theory.signature.symbols.items() if f not in defined}
    _check_order(symbols, order)
    sides = [_check_rule(theory, symbols, order, rule) for rule in rules]
    rewriting = _Rewriting(sides, effort)
    for equation in theory.equations:
        if not rewriting.joins(*(_unfolded(t, defined) for t in (equation.lhs, equation.rhs))):
            raise NotConvergent(f"the sides of {equation.name} have different normal forms")
    for outer, inner, pair in rewriting.critical_pairs():
        if not rewriting.joins(*pair):
            names = f"{rules[outer].problem.name} and {rules[inner].problem.name}"
            raise NotConvergent(f"a critical pair of {names} does not join")
    if problem is not None:
        _check_refuted(theory, problem, rewriting)
    return Convergent(theory, problem, order, rules, _CHECKED)


def _check_refuted(theory: Theory, problem: Problem, rewriting: _Rewriting) -> None:
    """Whether the two sides of a problem have different normal forms."""
    if problem.target is None or problem.exists:
        raise NotConvergent("only equations that hold for all values are refuted so")
    _check_terms(theory.signature.symbols, problem.name, problem.start, problem.target)
    defined = _definitions(theory)
    if rewriting.joins(*(_unfolded(t, defined) for t in (problem.start, problem.target))):
        raise NotConvergent("the sides of the problem have the same normal form")


def base_symbols(theory: Theory) -> tuple[str, ...]:
    """The symbols that rules and normal forms are made of: those without a definition."""
    defined = _definitions(theory)
    return tuple(symbol for symbol in theory.signature.symbols if symbol not in defined)


_Definitions = Mapping[str, tuple[tuple[str, ...], Term]]  # parameters, and what it stands for


def _definitions(theory: Theory) -> _Definitions:
    """The defined symbols; what they stand for is unfolded."""
    heads = Counter(e.lhs.head for e in theory.equations if e.kind == "definition")
    defined: dict[str, tuple[tuple[str, ...], Term]] = {}
    for equation in theory.equations:
        head, parameters = equation.lhs.head, tuple(a.head for a in equation.lhs.args)
        known = {t.head for t in equation.rhs.distinct() if not t.is_variable}
        if (
            equation.kind == "definition"
            and not equation.lhs.is_variable
            and heads[head] == 1
            and all(a.is_variable for a in equation.lhs.args)
            and len(set(parameters)) == len(parameters)
            and set(equation.rhs.variables()) <= set(parameters)
            and all(f in defined or heads[f] == 0 for f in known)
        ):
            defined[head] = parameters, _unfolded(equation.rhs, defined)
    return defined


def _unfolded(term: Term, defined: _Definitions) -> Term:
    def combine(t: Term, args: tuple[Term, ...]) -> Term:
        if t.is_variable or t.head not in defined:
            return Term(t.head, args) if args else t
        parameters, body = defined[t.head]
        return body.substitute(dict(zip(parameters, args, strict=True)))

    return term.fold(combine) if defined else term


def _check_order(symbols: Mapping[str, int], order: Order) -> None:
    """Whether it is a reduction order on the terms of these symbols."""
    weights = order.weights
    places = Counter(order.precedence)
    if weights.keys() != symbols.keys() or places != Counter(symbols.keys()):
        raise NotConvergent(f"expected a weight and a place for each of: {', '.join(symbols)}")
    if any(type(weight) is not int or weight < 0 for weight in weights.values()):
        raise NotConvergent("a weight is a number, 0 or more")
    if type(order.variable) is not int or order.variable < 1:
        raise NotConvergent("variables weigh 1 or more")
    for symbol, arity in symbols.items():
        if arity == 0 and weights[symbol] < order.variable:
            raise NotConvergent(f"the constant {symbol} weighs less than a variable")
        if arity == 1 and weights[symbol] == 0 and order.precedence[-1] != symbol:
            raise NotConvergent(f"{symbol} weighs nothing but is not last in the precedence")


def _check_rule(theory: Theory, symbols: Mapping[str, int], order: Order, rule: Proof) -> Sides:
    """A theorem of this theory, of these symbols, whose left side is the greater one."""
    if type(rule) is not Proof:
        raise NotConvergent(f"a rule is a Proof, not a {type(rule).__name__}")
    name = rule.problem.name
    if rule.theory.digest != theory.digest:
        raise NotConvergent(f"the rule {name} belongs to another theory")
    try:
        left, right = _sides(rule)
    except NotAProof as error:
        raise NotConvergent(f"the rule {error}") from None
    _check_terms(symbols, name, left, right)
    if not order.greater(left, right):
        raise NotConvergent(f"the left side of the rule {name} is not the greater one")
    return left, right


def _check_terms(symbols: Mapping[str, int], name: str, *terms: Term) -> None:
    if any(term.size > LARGEST for term in terms):
        raise NotConvergent(f"a side of {name} has more than {LARGEST} nodes")
    for t in (t for term in terms for t in term.distinct()):
        if not t.is_variable and symbols.get(t.head) != len(t.args):
            raise NotConvergent(f"{name}: {t.head} with {len(t.args)} arguments is not a symbol")


def _sides(rule: Proof) -> Sides:
    equation = rule.equation()
    return equation.lhs, equation.rhs


class _Rewriting:
    """Normal forms under rules that terminate, and their critical pairs."""

    def __init__(self, rules: Sequence[Sides], effort: int) -> None:
        self._rules = rules
        self._by_head: dict[str, list[Sides]] = {}
        for rule in rules:
            self._by_head.setdefault(rule[0].head, []).append(rule)
        self._left = effort
        self._done: dict[Term, Term] = {}

    def joins(self, s: Term, t: Term) -> bool:
        return s == t or self.normal_form(s) == self.normal_form(t)

    def normal_form(self, term: Term) -> Term:
        """Innermost first, each different term once."""
        done = self._done
        smaller: dict[Term, Term] = {}  # what a term that waits was rewritten to
        stack = [term]
        while stack:
            t = stack[-1]
            if t in done:
                stack.pop()
            elif t in smaller:
                done[t] = done[smaller[t]]
            elif waiting := [a for a in t.args if a not in done]:
                stack.extend(waiting)
            else:
                inside = Term(t.head, [done[a] for a in t.args]) if t.args else t
                result = None if t.is_variable else self._rewritten(inside)
                if result is None:
                    done[t] = done[inside] = inside
                else:
                    smaller[t] = result
                    stack.append(result)
        return done[term]

    def _rewritten(self, term: Term) -> Term | None:
        """The result of the first rule that applies at the root."""
        for left, right in self._by_head.get(term.head, ()):
            values = match(left, term)
            if values is not None:
                self._spend()
                return right.substitute(values)
        return None

    def critical_pairs(self) -> Iterator[tuple[int, int, Sides]]:
        """(a rule, the one that is used inside, the two results)."""
        inner_rules = [_renamed(rule, "y") for rule in self._rules]
        for outer, rule in enumerate(self._rules):
            left, right = _renamed(rule, "x")
            for position, part in left.positions():
                if part.is_variable:
                    continue
                for inner, (other, result) in enumerate(inner_rules):
                    if other.head != part.head or (not position and inner >= outer):
                        continue  # at the root once for two rules, never for one
                    self._spend()
                    values = unify([(part, other)])
                    if values is not None:
                        pair = right, left.replace(position, result)
                        yield outer, inner, (pair[0].substitute(values), pair[1].substitute(values))

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise NotConvergent("too many overlaps and rewrites to check")


def _renamed(rule: Sides, mark: str) -> Sides:
    left, right = rule
    names = {name: var(f"{mark}{k}") for k, name in enumerate(left.variables())}
    return left.substitute(names), right.substitute(names)


_set: Callable[[object, str, object], None] = object.__setattr__
