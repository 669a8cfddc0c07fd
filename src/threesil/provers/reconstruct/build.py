"""From a skeleton to a proof: every fact gets a chain, the goal's chain is made a `Proof`.

A denied equation s != t is handled as the equation `[s ? t] = no` with two symbols of its own:
what a prover does to a denied goal, rewriting its sides and overlapping into them, is then done to
an equation. The contradiction comes with sides that unify. Read backwards, from the two equal
sides to the goal, these rewrites are a direct proof, and the values of the goal's variables are
the witnesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from threesil.engine import Budget
from threesil.kernel.proof import Derivation, Proof, Step, close
from threesil.kernel.terms import Position, Term, app, match, unify, var
from threesil.kernel.theory import LEFT_TO_RIGHT, Equation, Problem, Theory
from threesil.provers.proofs import Fact, Parent, Skeleton
from threesil.provers.reconstruct.align import Alignment, NotReconstructed, align, freeze
from threesil.provers.reconstruct.assemble import assemble
from threesil.provers.reconstruct.derive import Clock, Ends, Pair, Use, derive, replay, search
from threesil.provers.reconstruct.rewriting import (
    WAYS,
    Substitution,
    apart,
    follow,
    instance,
    variables_of,
)

DENIED = "\N{SNOWFLAKE}?"
NO = app("\N{SNOWFLAKE}no")
_SECONDS = 60.0
_SHOWN = 8  # parents that a message names


def reconstruct(
    theory: Theory,
    problem: Problem,
    skeleton: Skeleton,
    budget: Budget | None = None,
    lemmas: Iterable[Proof] = (),
) -> Proof:
    """Proves the steps of a printed proof again and puts them together; certified.

    `lemmas` are proofs of equations that the prover was given besides the theory's. Raises
    `NotReconstructed` with the step that failed.
    """
    if problem.target is None:
        raise NotReconstructed(f"{problem.name} is no equation")
    proofs = {lemma.problem.name: lemma for lemma in lemmas}
    given = [proof.equation("axiom") for proof in proofs.values()]
    equations = (*theory.equations, *given)
    alignment = align(skeleton, equations, problem)
    seconds = budget.seconds if budget is not None else _SECONDS
    clock = Clock(seconds, budget.stop if budget is not None else None)
    facts = _Facts(theory, equations, problem, skeleton, alignment, clock)
    derivation = facts.goal()
    return assemble(theory, problem, derivation, facts.chains, proofs)


class _Facts:
    """The facts of a proof as equations under our names, and the chains that prove them.

    `rules` and `chains` go by the name under which a fact is cited.
    """

    def __init__(
        self,
        theory: Theory,
        given: tuple[Equation, ...],
        problem: Problem,
        skeleton: Skeleton,
        alignment: Alignment,
        clock: Clock,
    ) -> None:
        self._given = given
        self.problem = problem
        self.skeleton = skeleton
        self.alignment = alignment
        self.clock = clock
        self.rules: dict[str, Equation] = {}
        self.chains: dict[str, Derivation] = {}
        self._by_fact: dict[str, Equation] = {}
        self._facts = {fact.name: fact for fact in (*skeleton.axioms, *skeleton.steps)}
        self._values = _some_values(theory, problem)
        for fact in skeleton.axioms:
            self._add(fact, instance(alignment.axioms[fact.name], *self._sides(fact)))

    def goal(self) -> Derivation:
        """The chain between the problem's sides, frozen, which cites facts and axioms."""
        goal = self.skeleton.goal
        if not goal.denied:
            for fact in self.skeleton.steps:
                self._add(fact, self._followed(fact, self._sides(fact)))
            return self._direct(goal)
        self._add(goal, None)
        last = None
        for fact in self.skeleton.steps:
            if fact.sides is None:
                last = self._contradiction(fact)
                break
            self._add(fact, self._derived(fact))
        if last is None:
            raise NotReconstructed("the proof does not come to a contradiction")
        return self._read_backwards(last)

    def _sides(self, fact: Fact) -> Pair:
        """The sides of a fact under our names; of a denied one, those of its equation."""
        assert fact.sides is not None
        lhs, rhs = (self.alignment.term(side) for side in fact.sides)
        return (app(DENIED, lhs, rhs), NO) if fact.denied else (lhs, rhs)

    def _add(self, fact: Fact, chain: Derivation | None) -> None:
        name = f"\N{SNOWFLAKE}{fact.name}"
        sides = self._sides(fact) if chain is None else (chain.start, chain.end)
        self.rules[name] = self._by_fact[fact.name] = Equation(name, *sides)
        if chain is not None:
            self.chains[name] = chain

    def _followed(self, fact: Fact, sides: Pair) -> Derivation:
        start, end = sides
        links = tuple(
            type(link)(self.alignment.term(link.result), link.fact, link.direction)
            for link in fact.chain
        )
        found = follow(start, links, self._by_fact)
        if isinstance(found, int):
            raise NotReconstructed(f"{fact.name}: rewrite {found}, by {links[found - 1].fact}")
        if found.end != end:
            raise NotReconstructed(f"{fact.name}: the chain does not end with the right side")
        return found

    def _direct(self, goal: Fact) -> Derivation:
        """The chain of a goal that was not denied, at its witnesses."""
        assert goal.sides is not None
        names, skeleton = self.alignment.variables, self.skeleton
        if set(skeleton.witnesses) - set(names):
            raise NotReconstructed(f"{goal.name}: a witness for a variable that it has not")
        values = {name: self.alignment.term(term) for name, term in skeleton.witnesses.items()}
        inner = {self.alignment.variable(name): value for name, value in values.items()}
        lhs, rhs = self._sides(goal)
        chain = self._followed(goal, (lhs.substitute(inner), rhs.substitute(inner)))
        witnesses = {ours: values.get(theirs, var(theirs)) for theirs, ours in names.items()}
        return self._at_witnesses(chain, witnesses)

    def _at_witnesses(self, chain: Derivation, witnesses: Substitution) -> Derivation:
        """The chain between the problem's sides, turned if need be; no variable is left open."""
        if self.alignment.turned:
            chain = chain.backwards()
        chain = Derivation(chain.start, chain.steps, witnesses)
        opened = variables_of(chain)
        opened.update(v for value in witnesses.values() for v in value.variables())
        if opened:
            value = next(self._values, None)
            if value is None:
                raise NotReconstructed("a witness may be anything, and there is no constant")
            chain = close(chain, dict.fromkeys(opened, value))
        start, target = freeze(self.problem)
        if (chain.start, chain.end) != tuple(
            side.substitute(chain.witnesses) for side in (start, target)
        ):
            raise NotReconstructed("the chain is not between the problem's sides")
        return chain

    def _parents(self, fact: Fact) -> tuple[list[Use], list[Use]]:
        """The equations that were overlapped or taken, and those that simplified."""
        uses = []
        for parent in fact.parents:
            equation = self._by_fact.get(parent.name)
            if equation is None:
                message = f"its parent {parent.name} comes later or not at all"
                raise NotReconstructed(f"step {fact.name}: {message}")
            ways = (parent.way,) if parent.way is not None else WAYS
            uses.append(Use(equation, self._place(parent), ways))
        return uses[: fact.main], uses[fact.main :]

    def _place(self, parent: Parent) -> Position:
        """Where the parent was overlapped; the sides of a denied one are arguments."""
        fact = self._facts.get(parent.name, self.skeleton.goal)
        if parent.place is None or not fact.denied:
            return parent.place or ()
        turned = self._by_fact[fact.name].lhs != self._sides(fact)[0]
        return (0, 1 - parent.place[0] if turned else parent.place[0], *parent.place[1:])

    def _derived(self, fact: Fact) -> Derivation:
        main, simplifiers = self._parents(fact)
        target = self._sides(fact)
        targets = [target]
        if fact.denied:
            targets.append((app(DENIED, *target[0].args[::-1]), NO))
        parents = [use.equation for use in (*main, *simplifiers)]
        for first, then, nodes, seconds in _attempts(main, simplifiers):
            for goal in targets:
                found = derive(goal, first, then, nodes, self.clock.part(seconds))
                if found is not None:
                    return found
            found = search(target, parents, self.clock.part(0.5))
            if found is not None:
                return found
        for parents in self._wider(fact):
            found = search(target, parents, self.clock.part(1.0))
            if found is not None:
                return found
        raise self._failed(fact)

    def _wider(self, fact: Fact) -> Iterator[list[Equation]]:
        """The parents with their parents, then with all equations that there are."""
        direct = list(dict.fromkeys(parent.name for parent in fact.parents))
        above = [
            parent.name
            for name in direct
            if name in self._facts
            for parent in self._facts[name].parents
        ]
        names = [n for n in dict.fromkeys((*direct, *above)) if n in self._by_fact]
        equations = [self._by_fact[name] for name in names]
        yield equations
        yield [*equations, *self._given]

    def _contradiction(self, fact: Fact) -> Derivation:
        """A chain from `[u ? u]` to `no`."""
        main, simplifiers = self._parents(fact)
        parents = [use.equation for use in (*main, *simplifiers)]
        denied = next((e for e in parents if e.lhs.head == DENIED), None)
        if denied is None:
            raise NotReconstructed(f"step {fact.name}: no parent is denied")
        others = [use for use in simplifiers if use.equation is not denied]
        positive = [use for use in main if use.equation is not denied]
        for first, then, nodes, seconds in _attempts(main, simplifiers):
            found = replay(_equal_sides, first, then, nodes, self.clock.part(seconds))
            if found is not None:
                return found
        for first, then, nodes, seconds in _attempts(positive or others[:1], others):
            found = replay(_against(denied), first, then, nodes, self.clock.part(seconds))
            if found is not None:
                return _refuted(denied, found)
        for equations in (parents, *self._wider(fact)):
            found = self._searched(denied, equations)
            if found is not None:
                return found
        raise self._failed(fact)

    def _searched(self, denied: Equation, parents: list[Equation]) -> Derivation | None:
        """The contradiction by a search for a chain between the sides of the denied parent."""
        s, t = denied.lhs.args
        positive = [parent for parent in parents if parent.lhs.head != DENIED]
        found = search((s, t), positive, self.clock.part(1.0))
        return None if found is None else _refuted(denied, found)

    def _failed(self, fact: Fact) -> NotReconstructed:
        names = list(dict.fromkeys(parent.name for parent in fact.parents))
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        over = ", the budget is spent" if self.clock.over() else ""
        how = f"{fact.rule} of {shown}"
        return NotReconstructed(f"step {fact.name} ({how}) could not be proved{over}")

    def _read_backwards(self, chain: Derivation) -> Derivation:
        """The chain between the goal's sides: from `[u ? u]`, through the denied facts, to it."""
        start, steps = chain.start, list[Step]()
        goal = self._by_fact[self.skeleton.goal.name]
        while True:
            cut = next(k for k, step in enumerate(chain.steps) if self._denies(step))
            steps += chain.steps[:cut]
            by = chain.steps[cut]
            if by.equation == goal.name:
                break
            chain = close(self.chains[by.equation], by.substitution)
        ways: list[Derivation] = []
        for side in (0, 1):
            own = tuple(
                Step(step.position[1:], step.equation, step.direction, step.substitution,
                     step.result.args[side])
                for step in steps
                if step.position[0] == side
            )  # fmt: skip
            ways.append(Derivation(start.args[side], own))
        whole = ways[0].backwards().then(ways[1])
        names = self.alignment.variables
        witnesses = {
            ours: by.substitution[self.alignment.variable(theirs)] for theirs, ours in names.items()
        }
        return self._at_witnesses(whole, witnesses)

    def _denies(self, step: Step) -> bool:
        rule = self.rules.get(step.equation)
        return rule is not None and rule.lhs.head == DENIED


def _attempts(
    main: list[Use], simplifiers: list[Use]
) -> Iterator[tuple[list[Use], list[Use], int, float]]:
    """With what the output says, then without; pairs that an overlap may lead to, and seconds."""
    certain = any(use.place or len(use.ways) == 1 for use in (*main, *simplifiers))
    yield (
        main,
        simplifiers,
        (3000 if certain else 60) + 4 * len(simplifiers),
        2.0 if certain else 0.5,
    )
    yield [use.freely() for use in main], [use.freely() for use in simplifiers], 1500, 2.0


def _equal_sides(pair: Pair) -> tuple[Substitution, bool] | None:
    """Whether a pair is a denied equation whose sides unify."""
    for side in (0, 1):
        if pair[side].head == DENIED and pair[1 - side] == NO:
            values = unify([(pair[side].args[0], pair[side].args[1])])
            return None if values is None else (values, side == 1)
    return None


def _against(denied: Equation) -> Ends:
    """Whether a pair is an instance of what is denied, and so is the other way round."""
    s, t = denied.lhs.substitute(apart(denied, ".d")).args

    def ends(pair: Pair) -> tuple[Substitution, bool] | None:
        for turned in (False, True):
            u, v = pair[::-1] if turned else pair
            values = unify([(s, u), (t, v)])
            if values is not None:
                return values, turned
        return None

    return ends


def _refuted(denied: Equation, chain: Derivation) -> Derivation:
    """From `[t ? t]` to `no`, where the chain leads from s to t and `[s ? t]` is denied."""
    t = chain.end
    inner = tuple(
        Step((0, *step.position), step.equation, step.direction, step.substitution,
             app(DENIED, step.result, t))
        for step in chain.steps
    )  # fmt: skip
    whole = app(DENIED, chain.start, t)
    values = match(denied.lhs, whole)
    assert values is not None
    last = Step((), denied.name, LEFT_TO_RIGHT, values, NO)
    return Derivation(whole, inner).backwards().then(Derivation(whole, (last,)))


def _some_values(theory: Theory, problem: Problem) -> Iterator[Term]:
    """The same constant for ever: of the problem if it has one, else of the theory."""
    frozen_sides = freeze(problem)
    constants = [t for side in frozen_sides for t in side.distinct() if not t.args]
    constants = [t for t in constants if not t.is_variable]
    constants += [app(name) for name, arity in theory.signature.symbols.items() if arity == 0]
    while constants:
        yield constants[0]
