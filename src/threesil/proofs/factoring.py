"""Long chains made short: what a chain does again and again becomes a lemma.

The *shape* of a stretch of a chain is what it does, not what it does it to: the equations in
their directions, and where they are used relative to the innermost subterm that holds all of it.
A shape proves a most general equation, found by unification: start with a variable, and let each
rewrite ask for no more structure than it needs. Wherever the shape occurs, read in either
direction, is an instance of that equation, so the stretch can be replaced by one citation.

Which shapes become lemmas is decided as in grammar compression (Re-Pair): neighbours that occur
most often are joined, over and over; afterwards a lemma that does not save lines is put back.
Chains that are still long then lose stretches that stay inside one subterm, as long as the text
has no more lines than it had.

Nothing here is trusted: lemmas and proof go through `certify`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice, pairwise

from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import Derivation, Proof, Step, certify, close
from threesil.kernel.terms import Position, Term, app, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    Direction,
    Equation,
    Problem,
    Theory,
)

LONG = 30  # rewrites of a chain that is read at one go
_LARGEST = 20_000  # nodes of a term that somebody may want to read
_SHORTEST = 4  # rewrites of a stretch inside one subterm that makes a lemma of its own

Path = tuple[tuple[str, int], ...]  # from the root: symbol, and which of its arguments


@dataclass(frozen=True, slots=True)
class _Use:
    """Something used at a place: an equation or a given lemma by name, a new lemma by number."""

    path: Path
    what: str | int
    direction: Direction

    def backwards(self) -> _Use:
        return replace(self, direction=self.direction.reverse)

    def inside(self, depth: int) -> _Use:
        """The same, seen from `depth` levels further down its path."""
        return replace(self, path=self.path[depth:])

    def under(self, path: Path) -> _Use:
        return replace(self, path=path + self.path)


Shape = tuple[_Use, ...]


def lines(proofs: Iterable[Proof]) -> int:
    """Lines that proofs take as text: a term, a mark and a reason a step; a heading a lemma."""
    lengths = [len(proof.derivation.steps) for proof in proofs]
    return sum(_lines(length) for length in lengths)


def _lines(steps: int) -> int:
    return 3 * steps + 3


def factored(proof: Proof) -> Proof:
    """A proof of the same in fewer lines, with lemmas for what repeats; or the proof itself."""
    given = in_order(proof)
    own = [one for one in given if one.theory is proof.theory]
    if any(term.size > _LARGEST for one in own for term in one.derivation.terms):
        return proof
    derivations = [drop_loops(gathered(one.derivation)) for one in own]
    bodies = [_uses(derivation) for derivation in derivations]
    shapes = _joined(bodies)
    _put_back(bodies, shapes)
    _cut(bodies, shapes, lines(given))
    builder = _Builder(proof, given, shapes)
    for one, derivation, body in zip(own, derivations, bodies, strict=True):
        builder.add(one, derivation, body)
    made = builder.proof(proof)
    return made if lines(in_order(made)) < lines(given) else proof


def gathered(derivation: Derivation) -> Derivation:
    """The chain with each step moved up to the last one before it that it depends on.

    Steps whose positions lie side by side can change places, so what happens inside one subterm
    comes together, and what is undone later stands beside what undoes it.
    """
    moved: list[Step] = []
    for step in derivation.steps:
        at = len(moved)
        while at and _apart(moved[at - 1].position, step.position):
            at -= 1
        moved.insert(at, step)
    steps, term = [], derivation.start
    for step in moved:
        term = term.replace(step.position, step.result.at(step.position))
        steps.append(replace(step, result=term))
    return Derivation(derivation.start, tuple(steps), derivation.witnesses)


def _apart(p: Position, q: Position) -> bool:
    """Whether neither position is below the other."""
    return any(a != b for a, b in zip(p, q, strict=False))


def readable(proof: Proof) -> Proof:
    """The proof itself, if none of its chains is long; else with lemmas for what repeats."""
    while max(len(one.derivation.steps) for one in in_order(proof)) > LONG:
        shorter = factored(proof)
        if shorter is proof:
            break
        proof = shorter
    return proof


def stretches(proof: Proof, longest: int) -> Iterator[tuple[Term, Term]]:
    """What each stretch of so many steps of the proof's chain shows, as generally as it does."""
    known = dict(proof.theory.by_name)
    known |= {one.problem.name: one.equation() for one in proof.lemmas}
    uses, terms = _uses(proof.derivation), proof.derivation.terms
    for first in range(len(uses)):
        for last in range(first + 1, min(first + longest, len(uses))):
            stretch = uses[first : last + 1]
            depth = _common([use.path for use in stretch])
            shape = tuple(use.inside(depth) for use in stretch)
            shown = _general(proof.theory, shape, lambda name: known[str(name)])
            yield shown.start, shown.end
            place = proof.derivation.steps[first].position[:depth]
            yield terms[first].at(place), terms[last + 1].at(place)


def drop_loops(derivation: Derivation) -> Derivation:
    """The chain without the stretches that lead from a term back to it."""
    terms = derivation.terms
    last = {term: number for number, term in enumerate(terms)}
    steps = []
    at = last[derivation.start]
    while at < len(derivation.steps):
        steps.append(derivation.steps[at])
        at = last[terms[at + 1]]
    return Derivation(derivation.start, tuple(steps), derivation.witnesses)


def _uses(derivation: Derivation) -> list[_Use]:
    return [
        _Use(_path(before, step.position), step.equation, step.direction)
        for step, before in zip(derivation.steps, derivation.terms, strict=False)
    ]


def _path(term: Term, position: Position) -> Path:
    path = []
    for index in position:
        path.append((term.head, index))
        term = term.args[index]
    return tuple(path)


def _common(paths: Sequence[Path]) -> int:
    """How far the paths go together."""
    first, last = min(paths), max(paths)
    pairs = enumerate(zip(first, last, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(first), len(last)))


def _reverse(shape: Shape) -> Shape:
    return tuple(use.backwards() for use in reversed(shape))


def _joined(bodies: list[list[_Use]]) -> dict[int, Shape]:
    """Joins neighbours that occur most often to new lemmas, until no two occur twice."""
    pairs: list[Shape] = []
    shapes: dict[int, Shape] = {}
    numbers: dict[Shape, tuple[int, Direction]] = {}  # which pair a shape is, read how

    def number(a: _Use, b: _Use) -> tuple[int, Direction]:
        depth = _common((a.path, b.path))
        shape = a.inside(depth), b.inside(depth)
        if shape not in numbers:
            numbers[_reverse(shape)] = len(pairs), RIGHT_TO_LEFT
            numbers[shape] = len(pairs), LEFT_TO_RIGHT
            pairs.append(shape)
        return numbers[shape]

    while True:
        pairs_of = [[number(a, b) for a, b in pairwise(body)] for body in bodies]
        found = Counter(new for body in pairs_of for new, _ in body)
        most = max(found.values(), default=0)
        if most < 2:
            return shapes
        wanted = {new for new, times in found.items() if 2 * times >= most and times > 1}
        shapes |= {new: pairs[new] for new in wanted}
        for body, listed in zip(bodies, pairs_of, strict=True):
            # The commonest first, so that a stretch is cut up in the same way wherever it occurs.
            places = [at for at, (new, _) in enumerate(listed) if new in wanted]
            places.sort(key=lambda at: (-found[listed[at][0]], listed[at][0]))
            _join(body, listed, places)


def _join(body: list[_Use], pairs: Sequence[tuple[int, Direction]], places: Iterable[int]) -> None:
    """Puts a new lemma for the pairs at these places, but for those that overlap an earlier one."""
    free = [True] * (len(body) + 1)
    chosen = set()
    for at in places:
        if free[at] and free[at + 1]:
            free[at] = free[at + 1] = False
            chosen.add(at)
    joined = []
    for at, use in enumerate(body):
        if at in chosen:
            depth = _common((use.path, body[at + 1].path))
            joined.append(_Use(use.path[:depth], *pairs[at]))
        elif at - 1 not in chosen:
            joined.append(use)
    body[:] = joined


def _put_back(bodies: list[list[_Use]], shapes: dict[int, Shape]) -> None:
    """Puts the steps of a new lemma back in its places where it saves no lines."""
    while True:
        uses = Counter(use.what for use in chain(*bodies, *shapes.values()))
        poor = set()
        for new, shape in shapes.items():
            saved = uses[new] * 3 * (len(shape) - 1)
            if saved <= _lines(len(shape)):
                poor.add(new)
        if not poor:
            return
        # From below: with more steps the lemmas above may become worth their lines.
        lowest = {new for new in poor if not any(use.what in poor for use in shapes[new])}
        opened = {new: shapes.pop(new) for new in lowest}
        for new in shapes:
            shapes[new] = tuple(_opened(shapes[new], opened))
        for body in bodies:
            body[:] = _opened(body, opened)


def _opened(body: Iterable[_Use], shapes: Mapping[int, Shape]) -> Iterator[_Use]:
    for use in tuple(body):
        if use.what not in shapes:
            yield use
            continue
        assert isinstance(use.what, int)
        shape = shapes[use.what]
        inner = shape if use.direction is LEFT_TO_RIGHT else _reverse(shape)
        yield from (deeper.under(use.path) for deeper in inner)


def _cut(bodies: list[list[_Use]], shapes: dict[int, Shape], most: int) -> None:
    """Makes lemmas of stretches inside one subterm of what is long, within `most` lines in all."""
    new = count(max(shapes, default=0) + 1)
    spare = most - sum(_lines(len(body)) for body in (*bodies, *shapes.values()))
    cost = _lines(1)  # a heading, and one more step and term
    for body in bodies:
        while len(body) > LONG and spare > cost and (stretch := _stretch(body)):
            start, end, depth = stretch
            spare -= cost
            lemma = next(new)
            shapes[lemma] = tuple(use.inside(depth) for use in body[start:end])
            body[start:end] = [_Use(body[start].path[:depth], lemma, LEFT_TO_RIGHT)]


def _stretch(body: Sequence[_Use]) -> tuple[int, int, int] | None:
    """The longest stretch inside one subterm: where it starts and ends, and how deep that is."""
    best: tuple[int, int, int] | None = None
    for start in range(len(body)):
        depth = len(body[start].path)
        for end in range(start + 1, min(len(body), start + LONG) + 1):
            depth = min(depth, _common((body[start].path, body[end - 1].path)))
            if depth == 0:
                break
            if end - start >= _SHORTEST and (best is None or end - start > best[1] - best[0]):
                best = start, end, depth
    return best


class _Builder:
    """Turns shapes back into proofs: the new lemmas that are needed, then whatever cites them."""

    def __init__(self, proof: Proof, given: Sequence[Proof], shapes: Mapping[int, Shape]) -> None:
        self.theory = proof.theory
        self.shapes = shapes
        self.sizes: dict[int, int] = {}
        self.lemmas = {one.problem.name: one for one in given if one is not proof}
        self.equations = dict(self.theory.by_name)
        for name, lemma in self.lemmas.items():
            self.equations[name] = Equation(name, lemma.problem.start, lemma.derivation.end)
        self.made: dict[int, str] = {}
        self.last: Proof | None = None
        taken = {*self.equations, *(one.problem.name for one in given)}
        self.names = (name for k in count(1) if (name := f"lemma {k}") not in taken)

    def add(self, one: Proof, derivation: Derivation, body: Sequence[_Use]) -> None:
        """Certifies a given proof again, with the uses in `body` for its steps."""
        steps = []
        at = 0
        for use in body:
            if isinstance(use.what, str):
                steps.append(derivation.steps[at])
                at += 1
                continue
            equation = self.equation(use.what)
            before, after = derivation.terms[at], derivation.terms[at + self.size(use.what)]
            position = tuple(index for _, index in use.path)
            ends = before.at(position), after.at(position)
            if use.direction is RIGHT_TO_LEFT:
                ends = ends[1], ends[0]
            values = _values(equation, *ends)
            steps.append(Step(position, equation.name, use.direction, values, after))
            at += self.size(use.what)
        self.last = self.certified(one.problem, replace(derivation, steps=tuple(steps)))
        if one.problem.name in self.lemmas:
            self.lemmas[one.problem.name] = self.last

    def proof(self, proof: Proof) -> Proof:
        assert self.last is not None and self.last.problem is proof.problem
        return self.last

    def certified(self, problem: Problem, derivation: Derivation) -> Proof:
        names = dict.fromkeys(step.equation for step in derivation.steps)
        lemmas = [self.lemmas[name] for name in names if name in self.lemmas]
        return certify(self.theory, problem, derivation, lemmas)

    def size(self, new: int) -> int:
        """Steps of the given chain that a new lemma stands for."""
        for number in self.below(new, self.sizes):
            inner = (use.what for use in self.shapes[number])
            self.sizes[number] = sum(self.sizes[w] if isinstance(w, int) else 1 for w in inner)
        return self.sizes[new]

    def equation(self, new: int) -> Equation:
        """What a new lemma says; it is proved first, if it has not been."""
        for number in self.below(new, self.made):
            derivation = _general(self.theory, self.shapes[number], self.named)
            problem = Problem(next(self.names), derivation.start, derivation.end)
            self.lemmas[problem.name] = self.certified(problem, derivation)
            self.equations[problem.name] = Equation(problem.name, problem.start, derivation.end)
            self.made[number] = problem.name
        return self.named(new)

    def named(self, what: str | int) -> Equation:
        return self.equations[what if isinstance(what, str) else self.made[what]]

    def below(self, new: int, done: Mapping[int, object]) -> Iterator[int]:
        """This new lemma after those that it uses, without the ones that are done."""
        stack = [new]
        while stack:
            waiting = [
                use.what
                for use in self.shapes[stack[-1]]
                if isinstance(use.what, int) and use.what not in done
            ]
            if waiting and stack[-1] not in done:
                stack.extend(waiting)
            elif (number := stack.pop()) not in done:
                yield number


def _values(equation: Equation, left: Term, right: Term) -> dict[str, Term]:
    """The substitution under which the sides of the equation are these terms."""
    values: dict[str, Term] = {}
    for side, term in ((equation.lhs, left), (equation.rhs, right)):
        for position, subterm in side.positions():
            if subterm.is_variable and subterm.head not in values:
                values[subterm.head] = term.at(position)
    return values


def _general(
    theory: Theory, shape: Shape, equation_of: Callable[[str | int], Equation]
) -> Derivation:
    """The chain of this shape that asks for the least; its variables are named x, y, z, ..."""
    solver = _Solver(theory.signature.symbols)
    start = term = solver.fresh()
    steps = []
    for use in shape:
        equation = equation_of(use.what)
        values = {name: solver.fresh() for name in equation.variables}
        source, result = (side.substitute(values) for side in equation.sides(use.direction))
        position = tuple(index for _, index in use.path)
        solver.unify(solver.at(term, use.path), source)
        term = solver.replaced(term, position, result)
        steps.append(Step(position, equation.name, use.direction, values, term))
    solved = [
        replace(
            step,
            substitution={name: solver.value(term) for name, term in step.substitution.items()},
            result=solver.value(step.result),
        )
        for step in steps
    ]
    return _named(theory, Derivation(solver.value(start), tuple(solved)))


def _named(theory: Theory, derivation: Derivation) -> Derivation:
    """The chain with the usual names for the variables of its ends.

    A variable that is in neither end stands for anything: it becomes one that is there.
    """
    ends = dict.fromkeys((*derivation.start.variables(), *derivation.end.variables()))
    usual = chain("xyzuvw", (f"x{k}" for k in count(1)))
    names = (name for name in usual if name not in theory.signature.symbols)
    values = {old: var(new) for old, new in zip(ends, islice(names, len(ends)), strict=True)}
    constants = (app(name) for name, arity in theory.signature.symbols.items() if arity == 0)
    anything = next(chain(values.values(), constants))
    for step in derivation.steps:
        for value in step.substitution.values():
            for name in value.variables():
                values.setdefault(name, anything)
    return close(derivation, values)


class _Solver:
    """Unification of terms that are known to have a common instance, so that it can't fail."""

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self._symbols = symbols
        self._bound: dict[str, Term] = {}
        self._numbers = count()
        self._values: dict[Term, Term] = {}

    def fresh(self) -> Term:
        return var(f"?{next(self._numbers)}")

    def _walk(self, term: Term) -> Term:
        while term.is_variable and term.head in self._bound:
            term = self._bound[term.head]
        return term

    def at(self, term: Term, path: Path) -> Term:
        """The subterm at the end of a path, which the term is made to have."""
        for head, index in path:
            term = self._walk(term)
            if term.is_variable:
                args = [self.fresh() for _ in range(self._symbols[head])]
                self._bound[term.head] = app(head, *args)
                term = self._bound[term.head]
            term = term.args[index]
        return term

    def replaced(self, term: Term, position: Position, new: Term) -> Term:
        spine = [self._walk(term)]
        for index in position:
            spine.append(self._walk(spine[-1].args[index]))
        for parent, index in zip(reversed(spine[:-1]), reversed(position), strict=True):
            new = Term(parent.head, (*parent.args[:index], new, *parent.args[index + 1 :]))
        return new

    def unify(self, left: Term, right: Term) -> None:
        stack = [(left, right)]
        while stack:
            a, b = map(self._walk, stack.pop())
            if a is b or (a.is_variable and b.is_variable and a.head == b.head):
                continue
            if a.is_variable:
                self._bound[a.head] = b
            elif b.is_variable:
                self._bound[b.head] = a
            else:
                stack.extend(zip(a.args, b.args, strict=True))

    def value(self, term: Term) -> Term:
        """The term with all that was found out about its variables; no more is added then."""
        done = self._values
        stack = [term]
        while stack:
            t = stack[-1]
            parts = (self._bound.get(t.head, t),) if t.is_variable else t.args
            waiting = [part for part in parts if part not in done and part is not t]
            if t not in done and waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if t.is_variable:
                done[t] = done.get(parts[0], t)
            elif t not in done:
                done[t] = Term(t.head, [done[part] for part in parts])
        return done[term]
