"""Terms, positions and substitutions.

A *term* is a variable, or a symbol applied to as many terms as its arity says; a constant is a
symbol of arity 0. A *position* is the path of argument indices (from 0) that leads from the root
to a subterm; the root has the empty position. A *substitution* maps names of variables to terms.

Terms are immutable and compare by structure. Every function here walks an explicit stack, so a
term may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import is_
from typing import TypeVar, final

from threesil.kernel.display import Displayed

Position = tuple[int, ...]
R = TypeVar("R")


@final
class Term(Displayed):
    """A variable (`is_variable`, no arguments) or the symbol `head` applied to `args`.

    `size` is the number of nodes of the tree.
    """

    __slots__ = ("_hash", "args", "head", "is_variable", "size")

    head: str
    args: tuple[Term, ...]
    is_variable: bool
    size: int
    _hash: int

    def __init__(self, head: str, args: Iterable[Term] = (), *, is_variable: bool = False) -> None:
        args = tuple(args)
        if type(head) is not str:
            raise TypeError(f"the head of a term is a name, not {head!r}")
        if is_variable and args:
            raise ValueError(f"the variable {head} can't have arguments")
        set_ = object.__setattr__
        set_(self, "head", head)
        set_(self, "args", args)
        set_(self, "is_variable", is_variable)
        set_(self, "size", 1 + sum([a.size for a in args]))
        set_(self, "_hash", hash((head, is_variable, *[a._hash for a in args])))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("terms are immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("terms are immutable")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Term):
            return NotImplemented
        if self is other:
            return True
        if self._hash != other._hash:
            return False
        seen: set[tuple[int, int]] = set()
        stack = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if a._hash != b._hash or a.head != b.head or a.is_variable != b.is_variable:
                return False
            if len(a.args) != len(b.args):
                return False
            seen.add((id(a), id(b)))
            stack.extend(zip(a.args, b.args, strict=True))
        return True

    def __copy__(self) -> Term:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Term:
        return self

    def __reduce__(self) -> tuple[Callable[..., Term], tuple[object, ...]]:
        nodes: list[tuple[str, tuple[int, ...], bool]] = []

        def combine(t: Term, args: tuple[int, ...]) -> int:
            nodes.append((t.head, args, t.is_variable))
            return len(nodes) - 1

        self.fold(combine)
        return _from_table, (tuple(nodes),)

    def __repr__(self) -> str:
        parts: list[str] = []
        stack: list[Term | str] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                parts.append(item)
            elif not item.args:
                parts.append(f"?{item.head}" if item.is_variable else item.head)
            else:
                parts.append(f"{item.head}(")
                stack.append(")")
                for index in range(len(item.args) - 1, -1, -1):
                    stack.append(item.args[index])
                    if index:
                        stack.append(", ")
        return "".join(parts)

    def at(self, position: Position) -> Term:
        """The subterm at `position`; `IndexError` where there is none."""
        term = self
        for index in position:
            if not 0 <= index < len(term.args):
                raise IndexError(f"no position {list(position)} in a term with head {self.head}")
            term = term.args[index]
        return term

    def replace(self, position: Position, new: Term) -> Term:
        """This term with the subterm at `position` replaced by `new`."""
        spine = [self]
        for index in position:
            spine.append(spine[-1].at((index,)))
        for parent, index in zip(reversed(spine[:-1]), reversed(position), strict=True):
            new = Term(parent.head, (*parent.args[:index], new, *parent.args[index + 1 :]))
        return new

    def fold(self, combine: Callable[[Term, tuple[R, ...]], R]) -> R:
        """Bottom-up evaluation: `combine(subterm, values of its arguments)`.

        A subterm object that is shared is evaluated once.
        """
        done: dict[int, R] = {}
        stack = [self]
        while stack:
            term = stack[-1]
            if id(term) in done:
                stack.pop()
                continue
            waiting = [a for a in term.args if id(a) not in done]
            if waiting:
                stack.extend(waiting)
            else:
                stack.pop()
                done[id(term)] = combine(term, tuple(done[id(a)] for a in term.args))
        return done[id(self)]

    def substitute(self, substitution: Mapping[str, Term]) -> Term:
        """This term with its variables replaced, all at once, as `substitution` says."""

        done: dict[int, Term] = {}
        stack = [self]
        while stack:
            term = stack[-1]
            if term.is_variable:
                done[id(stack.pop())] = substitution.get(term.head, term)
                continue
            new = [done[id(a)] for a in term.args if id(a) in done]
            if len(new) < len(term.args):
                stack.extend([a for a in term.args if id(a) not in done])
                continue
            same = all(map(is_, new, term.args))
            done[id(stack.pop())] = term if same else Term(term.head, new)
        return done[id(self)]

    def subterms(self) -> Iterator[Term]:
        """All subterms in preorder, the term itself first, repeated where they occur again."""
        stack = [self]
        while stack:
            term = stack.pop()
            yield term
            stack.extend(reversed(term.args))

    def positions(self) -> Iterator[tuple[Position, Term]]:
        """All (position, subterm) pairs in preorder."""
        stack: list[tuple[Position, Term]] = [((), self)]
        while stack:
            position, term = stack.pop()
            yield position, term
            for index in range(len(term.args) - 1, -1, -1):
                stack.append(((*position, index), term.args[index]))

    def distinct(self) -> Iterator[Term]:
        """All subterm objects in preorder, each once: as many as are in memory, not in the tree."""
        seen: set[int] = set()
        stack = [self]
        while stack:
            term = stack.pop()
            if id(term) not in seen:
                seen.add(id(term))
                yield term
                stack.extend(reversed(term.args))

    def variables(self) -> tuple[str, ...]:
        """Names of the variables in order of first occurrence."""
        return tuple(dict.fromkeys(t.head for t in self.distinct() if t.is_variable))

    @property
    def depth(self) -> int:
        """Length of the longest path to a leaf, counted in nodes."""
        return self.fold(lambda _, depths: 1 + max(depths, default=0))


def _from_table(nodes: tuple[tuple[str, tuple[int, ...], bool], ...]) -> Term:
    """Rebuilds a pickled term, shared subterms once; pickle would recurse."""
    terms: list[Term] = []
    for head, args, is_variable in nodes:
        terms.append(Term(head, [terms[a] for a in args], is_variable=is_variable))
    return terms[-1]


def var(name: str) -> Term:
    """The variable `name`."""
    return Term(name, is_variable=True)


def app(head: str, *args: Term) -> Term:
    """The symbol `head` applied to `args`."""
    return Term(head, args)


def match(pattern: Term, term: Term) -> dict[str, Term] | None:
    """The substitution under which `pattern` is `term`, or None if there is none."""
    substitution: dict[str, Term] = {}
    stack = [(pattern, term)]
    while stack:
        p, t = stack.pop()
        if p.is_variable:
            if substitution.setdefault(p.head, t) != t:
                return None
        elif t.is_variable or p.head != t.head or len(p.args) != len(t.args):
            return None
        else:
            stack.extend(zip(p.args, t.args, strict=True))
    return substitution


def unify(pairs: list[tuple[Term, Term]]) -> dict[str, Term] | None:
    """The most general unifier of all pairs, as an idempotent substitution; None if none."""
    bound: dict[str, Term] = {}
    stack = list(pairs)

    def walk(term: Term) -> Term:
        while term.is_variable and term.head in bound:
            term = bound[term.head]
        return term

    while stack:
        a, b = stack.pop()
        a, b = walk(a), walk(b)
        if a is b or a == b:
            continue
        if not a.is_variable and b.is_variable:
            a, b = b, a
        if a.is_variable:
            if _occurs(a.head, b, bound):
                return None
            bound[a.head] = b
        elif a.head != b.head or len(a.args) != len(b.args):
            return None
        else:
            stack.extend(zip(a.args, b.args, strict=True))
    return {name: _resolved(term, bound) for name, term in bound.items()}


def _occurs(name: str, term: Term, bound: dict[str, Term]) -> bool:
    seen: set[str] = set()
    stack = [term]
    while stack:
        for t in stack.pop().distinct():
            if t.is_variable and t.head == name:
                return True
            if t.is_variable and t.head in bound and t.head not in seen:
                seen.add(t.head)
                stack.append(bound[t.head])
    return False


def _resolved(term: Term, bound: dict[str, Term]) -> Term:
    while any(name in bound for name in term.variables()):
        term = term.substitute(bound)
    return term
