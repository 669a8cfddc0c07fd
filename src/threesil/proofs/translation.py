"""Problems and proofs in the words of a theory that corresponds.

A correspondence from a `part` to a `whole` takes every equation of the part that has a counterpart
to it, and so every proof that rests on such equations: each step cites the counterpart, from right
to left instead of left to right where the sides are swapped, with the values given to the
counterpart's variables. A problem goes the other way, from the whole to the part. Constants of the
problem that the part lacks become variables: what holds for all values holds for these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from threesil.kernel.lemmas import in_order
from threesil.kernel.matching import Correspondence
from threesil.kernel.naming import fresh_name
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Problem


def translate_problem(problem: Problem, by: Correspondence) -> Problem | None:
    """A problem of the whole as one of the part; None if it has functions that the part lacks."""
    symbols = {image: symbol for symbol, image in by.symbols.items()}
    strange = _strange(problem, by)
    if any(term.args for term in strange):
        return None
    variables = {value.head: var(name) for name, value in _stand_ins(strange, problem).items()}

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.is_variable:
            return term
        return Term(symbols[term.head], args) if term.head in symbols else variables[term.head]

    return _restated(problem, problem.name, lambda side: side.fold(combine))


def translate_derivation(
    derivation: Derivation, problem: Problem, by: Correspondence
) -> Derivation:
    """A derivation of the part, as one for the problem of the whole that it was looked for."""
    return _Translator(by, _stand_ins(_strange(problem, by), problem)).derivation(derivation, {})


def translate_proof(proof: Proof, problem: Problem, by: Correspondence) -> Proof:
    """A proof of the part, certified as one of a problem of the whole; its lemmas first."""
    taken = set(by.whole.by_name)
    done: dict[int, Proof] = {}
    plain = _Translator(by, {})
    for lemma in in_order(proof)[:-1]:
        name = fresh_name(lemma.problem.name, taken)
        taken.add(name)
        theirs = _restated(lemma.problem, name, plain.term)
        done[id(lemma)] = plain.proof(lemma, theirs, done)
    return _Translator(by, _stand_ins(_strange(problem, by), problem)).proof(proof, problem, done)


def translate_theorem(proof: Proof, by: Correspondence) -> Proof:
    """A proof of the part as one of the whole: the same theorem in its words."""
    name = fresh_name(proof.problem.name, set(by.whole.by_name))
    theirs = _restated(proof.problem, name, _Translator(by, {}).term)
    return translate_proof(proof, theirs, by)


def _restated(problem: Problem, name: str, of: Callable[[Term], Term]) -> Problem:
    target = None if problem.target is None else of(problem.target)
    return Problem(name, of(problem.start), target, exists=problem.exists)


def _strange(problem: Problem, by: Correspondence) -> tuple[Term, ...]:
    """The problem's subterms with heads that the part lacks, in order of first occurrence."""
    known = set(by.symbols.values())
    sides = (problem.start,) if problem.target is None else (problem.start, problem.target)
    subterms = (t for side in sides for t in side.distinct())
    return tuple(dict.fromkeys(t for t in subterms if t.head not in known and not t.is_variable))


def _stand_ins(strange: Iterable[Term], problem: Problem) -> dict[str, Term]:
    """Constants that the part lacks, by the variables that stand for them."""
    taken = set(problem.variables)
    values: dict[str, Term] = {}
    for constant in strange:
        name = fresh_name(constant.head, taken)
        taken.add(name)
        values[name] = constant
    return values


class _Translator:
    """Takes terms and steps of the part to the whole; `values` are those of stand-ins."""

    def __init__(self, by: Correspondence, values: Mapping[str, Term]) -> None:
        self._by, self._values = by, values

    def proof(self, proof: Proof, problem: Problem, lemmas: Mapping[int, Proof]) -> Proof:
        cited = {lemma.problem.name: lemmas[id(lemma)] for lemma in proof.lemmas}
        derivation = self.derivation(proof.derivation, cited)
        return certify(self._by.whole, problem, derivation, cited.values())

    def derivation(self, derivation: Derivation, lemmas: Mapping[str, Proof]) -> Derivation:
        return Derivation(
            self.term(derivation.start),
            tuple(self._step(step, lemmas) for step in derivation.steps),
            {name: self.term(value) for name, value in derivation.witnesses.items()},
        )

    def _step(self, step: Step, lemmas: Mapping[str, Proof]) -> Step:
        values = {name: self.term(value) for name, value in step.substitution.items()}
        result = self.term(step.result)
        if step.equation in lemmas and step.equation not in self._by.part.by_name:
            name = lemmas[step.equation].problem.name
            return Step(step.position, name, step.direction, values, result)
        other = self._by.equations.get(step.equation)
        if other is None:
            raise NotAProof(f"{self._by.whole.name} has no equation like {step.equation}")
        direction = step.direction.reverse if other.swapped else step.direction
        values = {other.renaming[name]: value for name, value in values.items()}
        return Step(step.position, other.name, direction, values, result)

    def term(self, term: Term) -> Term:
        symbols, values = self._by.symbols, self._values

        def combine(t: Term, args: tuple[Term, ...]) -> Term:
            if t.is_variable:
                return values.get(t.head, t)
            return Term(symbols.get(t.head, t.head), args)

        return term.fold(combine)
