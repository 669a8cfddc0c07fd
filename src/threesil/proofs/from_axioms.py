"""Proofs from the axioms alone: known equations are cited no longer, but their proofs are.

A theory's *known* equations follow from its axioms and definitions; a proof that cites one takes
that on trust. For the bundled theories, proofs of them are bundled too: a file of JSON
lines beside the theory, one for each known equation, each in the theory as it stands before that
equation. A proof becomes one *from the axioms* when it cites these proofs as lemmas, and they cite
each other.

What a file says is not trusted: a proof is certified when it is first asked for, and so are those
that it cites.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from threesil.errors import InputError
from threesil.kernel.certificate import shows
from threesil.kernel.lemmas import in_order
from threesil.kernel.proof import NotAProof, Proof, certify
from threesil.kernel.theory import Equation, Problem, Theory
from threesil.notations.proof_json import StoredProof, proof_from_json
from threesil.notations.reading.certificates import stored_proofs
from threesil.theories import all_theories


def without_known(theory: Theory) -> Theory:
    """The theory of the axioms and definitions alone, `NAME:FIRST` where FIRST is known first."""
    if not theory.lemmas:
        return theory
    alone = theory.before(theory.lemmas[0].name)
    base = theory.base
    if base is not None and base.lemmas:
        whole = base.before(base.lemmas[0].name)
        if whole.digest == alone.digest:
            return whole
    return alone


def proofs_of_known(theory: Theory) -> Mapping[str, Proof]:
    """The bundled proofs of this theory's known equations, by their names.

    Each is certified, in the theory of the axioms alone, when it is first asked for.
    """
    return _KnownProofs(theory)


def from_axioms(proof: Proof) -> Proof:
    """A proof of the same that cites no known equation, in the theory of the axioms alone.

    `InputError` if it rests on a known equation that there is no bundled proof of.
    """
    alone = without_known(proof.theory)
    if alone is proof.theory:
        return proof
    done: dict[int, Proof] = {}
    for one in in_order(proof):
        given = proofs_of_known(one.theory)
        cited = dict.fromkeys(step.equation for step in one.derivation.steps)
        equations = (one.theory.by_name[name] for name in cited if name in one.theory.by_name)
        lacking = (e for e in equations if alone.by_name.get(e.name) != e)
        lemmas = [given[e.name] for e in lacking if e.kind == "known"]
        lemmas += [done[id(lemma)] for lemma in one.lemmas]
        done[id(one)] = certify(alone, one.problem, one.derivation, lemmas)
    return done[id(proof)]


class _KnownProofs(Mapping[str, Proof]):
    """Those of a theory's known equations that a theory with a file of proofs knows too."""

    def __init__(self, theory: Theory) -> None:
        self._theory = theory
        self._files: dict[str, _File] = {}
        for source in all_theories():
            shared = [e for e in theory.lemmas if source.by_name.get(e.name) == e]
            if shared and (found := _file_of(source)) is not None:
                self._files |= {e.name: found for e in shared if e.name not in self._files}

    def __getitem__(self, name: str) -> Proof:
        if name not in self._files:
            message = f"no proof of the known equation {name} of {self._theory.name} is bundled"
            raise _NoProof(f"{message}; `known` equations of a theory file are taken on trust")
        proof = self._files[name].proof(name)
        by_name = self._theory.by_name
        lacking = [axiom.name for axiom in proof.axioms if by_name.get(axiom.name) != axiom]
        if lacking:
            message = f"the bundled proof of {name} rests on {', '.join(lacking)}"
            raise _NoProof(f"{message}, which {self._theory.name} lacks")
        return proof

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class _NoProof(InputError, KeyError):
    """There is no proof of that name, as a mapping says it and as people read it."""

    __str__ = InputError.__str__


class _File:
    """The proofs of one theory's known equations, some of them certified already."""

    def __init__(self, theory: Theory, content: bytes, source: str) -> None:
        self._theory, self._source = theory, source
        self._alone = without_known(theory)
        self._certified: dict[str, Proof] = {}
        try:
            text = gzip.decompress(content).decode()
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise self._damaged(str(error)) from None
        self._stored: dict[str, StoredProof] = {}
        for stored in stored_proofs(text, source):
            self._stored[stored.name] = stored

    def proof(self, name: str) -> Proof:
        """The proof of a known equation, certified with all that it cites."""
        stack = [name]
        while stack:
            if stack[-1] in self._certified:
                stack.pop()
                continue
            if stack[-1] not in self._stored:
                raise self._damaged(f"there is no proof of {stack[-1]}")
            waiting = [k for k in self._cites(stack[-1]) if k not in self._certified]
            if waiting:
                stack += waiting
            else:
                self._certified[stack[-1]] = self._certify(self._theory.by_name[stack[-1]])
        return self._certified[name]

    def _cites(self, name: str) -> list[str]:
        """The known equations before this one that the steps of its proof name."""
        before = [equation.name for equation in self._theory.lemmas]
        value = self._stored[name].value
        named, waiting = set[str](), [value.get("steps"), value.get("lemmas")]
        while waiting:
            part = waiting.pop()
            if isinstance(part, list):
                waiting += part
            elif isinstance(part, dict):
                named.add(str(part.get("equation")))
                waiting.append(part.get("steps"))
        return [other for other in before[: before.index(name)] if other in named]

    def _certify(self, equation: Equation) -> Proof:
        stored, name = self._stored[equation.name], equation.name
        lemmas = {k: self._certified[k] for k in self._cites(name)}
        try:
            proof = proof_from_json(stored.value, self._alone, stored.source, lemmas)
        except (InputError, NotAProof) as error:
            raise self._damaged(f"{name}: {error}") from None
        if not shows(proof, self._alone, Problem(name, equation.lhs, equation.rhs)):
            raise self._damaged(f"what is called {name} is a proof of something else")
        return proof

    def _damaged(self, reason: str) -> InputError:
        message = "the bundled proofs are damaged: install threesil again"
        return InputError(f"{message}: {reason}", source=self._source)


@cache
def _file_of(theory: Theory) -> _File | None:
    """The file of proofs that comes with a theory, if there is one."""
    resource = files("threesil.theories") / "proofs" / f"{theory.name}.jsonl.gz"
    if not resource.is_file():
        return None
    return _File(theory, resource.read_bytes(), resource.name)
