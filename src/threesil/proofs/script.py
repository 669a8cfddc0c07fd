"""Scripts: a proof taken apart into its chains, so that they can be changed one by one.

A *script* is a list of chains with names, each of which cites equations of the theory and chains
before it; the last one proves the problem, the others are its lemmas. Its length is the number of
all rewrites. What is changed here never makes it longer; nothing is trusted, for a script becomes
a proof through `certify` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from threesil.kernel.lemmas import certified, chains, cited, inlined
from threesil.kernel.naming import Sides
from threesil.kernel.proof import Derivation, Proof, Step, certify
from threesil.kernel.terms import Term, app, match
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.proofs.factoring import drop_loops, gathered

_SHORT = 12  # rewrites of a lemma that is put in the one place where it is cited
_LONGEST = 1000  # rewrites of a chain whose steps are tried in another order
_LARGEST = 2000  # nodes of a term that a lemma is put in the middle of


@dataclass(frozen=True)
class Script:
    """A proof of `problem` as chains: the lemmas by name, each after those it cites, and the last.

    The name of a lemma is that of no equation of the theory.
    """

    theory: Theory
    problem: Problem
    lemmas: tuple[tuple[str, Derivation], ...]
    last: Derivation

    @classmethod
    def of(cls, proof: Proof) -> Script:
        """The proof with its lemmas, theirs, and so on."""
        *lemmas, last = chains([proof])
        named = [(c.name, _renamed(c.proof.derivation, c.cited)) for c in lemmas]
        own = _renamed(proof.derivation, last.cited)
        return cls(proof.theory, proof.problem, tuple(named), own)

    @property
    def rewrites(self) -> int:
        """The rewrites of all chains."""
        return len(self.last.steps) + sum(len(chain.steps) for _, chain in self.lemmas)

    @property
    def size(self) -> tuple[int, int]:
        """(rewrites, lemmas): of two scripts, the one where this is less is better."""
        return self.rewrites, len(self.lemmas)

    def proof(self) -> Proof:
        """The script certified."""
        stated = ((Problem(name, c.start, c.end), c) for name, c in self.lemmas)
        proofs = certified(self.theory, stated)
        return certify(self.theory, self.problem, self.last, cited(self.last, proofs))

    def chain(self, index: int) -> Derivation:
        """A lemma's chain, or the last one if there is no lemma of this number."""
        return self.lemmas[index][1] if index < len(self.lemmas) else self.last

    def with_chain(self, index: int, chain: Derivation) -> Script:
        """The script with another chain between the same terms in that place."""
        if index == len(self.lemmas):
            return replace(self, last=replace(chain, witnesses=self.last.witnesses))
        lemmas = list(self.lemmas)
        lemmas[index] = lemmas[index][0], chain
        return replace(self, lemmas=tuple(lemmas))

    def equations(self) -> tuple[Equation, ...]:
        """What the lemmas say."""
        return tuple(Equation(name, chain.start, chain.end) for name, chain in self.lemmas)

    def tidied(self) -> Script:
        """Without loops, lemmas that nothing cites, that say nothing new, or that do not pay."""
        while True:
            better = self._straightened()._needed()._merged()._needed()._inlined()
            if better.size >= self.size:
                return self
            self = better

    def _mapped(self, lemmas: tuple[tuple[str, Derivation], ...], last: Derivation) -> Script:
        return replace(self, lemmas=lemmas, last=last)

    def _straightened(self) -> Script:
        """Loops dropped, also those that show when steps side by side change places."""
        lemmas = tuple((name, _straight(chain)) for name, chain in self.lemmas)
        return self._mapped(lemmas, _straight(self.last))

    def _needed(self) -> Script:
        """Without the lemmas that the last chain does not rest on."""
        needed = {step.equation for step in self.last.steps}
        kept = []
        for name, chain in reversed(self.lemmas):
            if name in needed:
                kept.append((name, chain))
                needed |= {step.equation for step in chain.steps}
        return self._mapped(tuple(reversed(kept)), self.last)

    def _merged(self) -> Script:
        """Instances of an equation or of an earlier lemma are cited as such."""
        general = list(self.theory.equations)
        instead: dict[str, _Instance] = {}
        kept = []
        for name, chain in self.lemmas:
            chain = _cite_instead(chain, instead)
            found = _general((chain.start, chain.end), general)
            if found is not None:
                instead[name] = found
            else:
                kept.append((name, chain))
                general.append(Equation(name, chain.start, chain.end))
        return self._mapped(tuple(kept), _cite_instead(self.last, instead))

    def _inlined(self) -> Script:
        """The chains of lemmas that do not pay, in the places where they were cited.

        A lemma of n rewrites that is cited k times costs n + k; without it there are n k.
        """
        times = Counter(step.equation for step in self.last.steps)
        for _, chain in self.lemmas:
            times.update(step.equation for step in chain.steps)
        gone: dict[str, Derivation] = {}
        kept = []
        for name, chain in self.lemmas:
            if any(step.equation in gone for step in chain.steps):
                chain = inlined(chain, gone)
            n, k = len(chain.steps), times[name]
            if n * k <= n + k and (n <= 2 or (n <= _SHORT and self._small(name))):
                gone[name] = chain
                for step in chain.steps:  # cited so many times more, or once less
                    times[step.equation] += k - 1
            else:
                kept.append((name, chain))
        return self._mapped(tuple(kept), inlined(self.last, gone))

    def _small(self, name: str) -> bool:
        """Whether the terms are small in which a lemma is cited."""
        return all(
            step.result.size <= _LARGEST
            for chain in (self.last, *(chain for _, chain in self.lemmas))
            for step in chain.steps
            if step.equation == name
        )


@dataclass(frozen=True)
class _Instance:
    """An equation under a substitution, read in the other direction if `turned`."""

    name: str
    values: Mapping[str, Term]
    turned: bool


def _straight(chain: Derivation) -> Derivation:
    straight = drop_loops(chain)
    return drop_loops(gathered(straight)) if len(straight.steps) <= _LONGEST else straight


def _general(sides: Sides, equations: list[Equation]) -> _Instance | None:
    """The first of the equations that both sides are an instance of."""
    for equation in equations:
        for turned in (False, True):
            left, right = sides[::-1] if turned else sides
            if equation.lhs.size > left.size or equation.rhs.size > right.size:
                continue
            values = match(app("=", equation.lhs, equation.rhs), app("=", left, right))
            if values is not None:
                return _Instance(equation.name, values, turned)
    return None


def _cite_instead(chain: Derivation, instead: Mapping[str, _Instance]) -> Derivation:
    """The chain with other equations cited in the places of some."""

    def cited(step: Step) -> Step:
        found = instead.get(step.equation)
        if found is None:
            return step
        values = {v: term.substitute(step.substitution) for v, term in found.values.items()}
        direction = step.direction.reverse if found.turned else step.direction
        return Step(step.position, found.name, direction, values, step.result)

    return replace(chain, steps=tuple(cited(step) for step in chain.steps))


def _renamed(chain: Derivation, names: Mapping[str, Equation]) -> Derivation:
    steps = tuple(replace(step, equation=names[step.equation].name) for step in chain.steps)
    return replace(chain, steps=steps)
