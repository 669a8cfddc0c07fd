"""Proofs as JSON: everything that the kernel needs to certify them again.

    {"format": "threesil-proof-2", "theory": "aim", "digest": "3d5f...",
     "problem": "p1", "statement": "for all x, y: x * T(y,x) = y * x",
     "axioms": [{"name": "T", "kind": "definition", "equation": "T(u,x) := x \\ (u * x)",
                 "lhs": 8, "rhs": 11}, ...],
     "symbols": {"*": 2, "T": 2, ...}, "infix": {"*": 1, ...},
     "terms": ["x", "y", ["T", 1, 0], ["*", 0, 2], ["*", 1, 0], ...],
     "lemmas": [{"problem": "l1", "statement": "...", "start": 7, "target": 9, "steps": [...]}],
     "start": 3, "target": 4, "exists": [], "witnesses": {},
     "steps": [{"position": [1], "equation": "T", "direction": "->",
                "substitution": {"u": 1, "x": 0}, "result": 6}, ...]}

`terms` lists every subterm once: a variable as its name, a symbol's term as the symbol and the
numbers of its arguments, which stand before it; all other terms are numbers in this list, so that
a proof grows with what it shares. Positions count arguments from 0. A step may cite a lemma that
stands before it. `axioms` are the equations that the proof rests on: with `symbols` and `infix`
they are the theory, where nobody has its file. `statement`, and each `equation`, is there for
people: what the proof says is what `certify` finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from threesil.errors import InputError
from threesil.files import limits
from threesil.files.json_text import is_count
from threesil.kernel.lemmas import Chain, chains
from threesil.kernel.proof import Derivation, NotAProof, Proof, Step, certify
from threesil.kernel.terms import Term
from threesil.kernel.theory import Direction, Equation, Problem, Signature, Theory
from threesil.notations.document import theory_of
from threesil.notations.infix import format_equation
from threesil.notations.writing.parts import statement

FORMAT = "threesil-proof-2"
_LARGEST_INDEX = 2**31
_WIDEST = 64  # arguments of a symbol: a table of two elements would not fit into any memory


def proof_to_json(proof: Proof) -> dict[str, Any]:
    """A proof as a JSON object, linear in the number of its different subterms."""
    signature = proof.theory.signature
    table = TermTable()
    *lemmas, last = chains([proof])
    axioms = [
        {**table.equation(e), "equation": format_equation(e, signature)} for e in proof.axioms
    ]
    listed, chain = table.lemmas(lemmas), table.chain(last)
    witnesses = {v: table.number(term) for v, term in proof.derivation.witnesses.items()}
    value: dict[str, Any] = {
        "format": FORMAT,
        "theory": proof.theory.name,
        "digest": proof.theory.digest,
        "problem": proof.problem.name,
        "statement": statement(proof),
        "axioms": axioms,
        **table.signature(signature),
        "terms": table.nodes,
        "lemmas": listed,
        **chain,
    }
    if proof.problem.target is None:
        value["target"] = None
    value["exists"] = list(proof.problem.exists)
    value["witnesses"] = witnesses
    return value


class TermTable:
    """The different subterms of a proof, as they are written."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._numbers: dict[object, int] = {}
        self._objects: dict[int, int] = {}  # the terms are alive as long as the proof is

    def number(self, term: Term) -> int:
        stack = [term]
        while stack:
            t = stack[-1]
            if id(t) in self._objects:
                stack.pop()
                continue
            waiting = [a for a in t.args if id(a) not in self._objects]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            args = [self._objects[id(a)] for a in t.args]
            key = t.head if t.is_variable else (t.head, *args)
            if key not in self._numbers:
                self._numbers[key] = len(self.nodes)
                self.nodes.append(t.head if t.is_variable else [t.head, *args])
            self._objects[id(t)] = self._numbers[key]
        return self._objects[id(term)]

    def equation(self, equation: Equation) -> dict[str, Any]:
        sides = {"lhs": self.number(equation.lhs), "rhs": self.number(equation.rhs)}
        return {"name": equation.name, "kind": equation.kind, **sides}

    def signature(self, whole: Signature) -> dict[str, Any]:
        """What the terms so far have of a signature."""
        used = {node[0] for node in self.nodes if isinstance(node, list)}
        return {
            "symbols": {s: arity for s, arity in whole.symbols.items() if s in used},
            "infix": {s: priority for s, priority in whole.infix.items() if s in used},
        }

    def problem(self, problem: Problem | None) -> dict[str, Any] | None:
        """What is refuted; None if any model will do."""
        if problem is None or problem.target is None:
            return None
        sides = {"start": self.number(problem.start), "target": self.number(problem.target)}
        return {"name": problem.name, **sides, "exists": list(problem.exists)}

    def lemmas(self, chains: Iterable[Chain]) -> list[dict[str, Any]]:
        return [
            {"problem": chain.name, "statement": statement(chain.proof), **self.chain(chain)}
            for chain in chains
        ]

    def chain(self, chain: Chain) -> dict[str, Any]:
        problem, steps = chain.proof.problem, chain.proof.derivation.steps
        return {
            "start": self.number(problem.start),
            "target": self.number(problem.target or chain.end),
            "steps": [
                {
                    "position": list(step.position),
                    "equation": chain.cited[step.equation].name,
                    "direction": step.direction.value,
                    "substitution": {v: self.number(t) for v, t in step.substitution.items()},
                    "result": self.number(step.result),
                }
                for step in steps
            ],
        }


@dataclass(frozen=True)
class StoredJson:
    """A certificate as a file has it, before the kernel has seen it; `source` says where that was.

    `name` is that of its problem, "" if it has none.
    """

    source: str
    value: dict[str, Any]

    @property
    def theory(self) -> str:
        return self._text("theory")

    @property
    def digest(self) -> str:
        return self._text("digest")

    @property
    def name(self) -> str:
        problem = self.value.get("problem")
        return str(problem.get("name", "")) if isinstance(problem, dict) else ""

    def _text(self, key: str) -> str:
        return str(self._get(key, str, "a text"))

    def _get(self, key: str, kind: type, what: str) -> Any:
        return typed(self.value, key, kind, what, self.source)

    def _own_theory(self, key: str, terms: TermNumbers) -> Theory:
        """The theory whose equations the file has under a key."""
        equations, listed = [], self._get(key, list, "a list")
        for number, entry in enumerate(listed, 1):
            if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                raise self._fail(f"equation {number} should be an object with a name")
            sides = [terms.term(entry.get(k), f"equation {number}, {k}") for k in ("lhs", "rhs")]
            equations.append((entry["name"], *sides, entry.get("kind", "axiom")))
        symbols, infix = (self._get(key, dict, "an object") for key in ("symbols", "infix"))
        if not all(map(is_count, (*symbols.values(), *infix.values()))):
            raise self._fail("symbols and infix should have numbers")
        if max(symbols.values(), default=0) > _WIDEST:
            raise self._fail(f"a symbol should have at most {_WIDEST} arguments")
        try:
            made = [Equation(*e) for e in equations]
        except ValueError as error:
            raise self._fail(str(error)) from None
        return theory_of(self.theory, "", symbols, infix, made, source=self.source)

    @property
    def carries_theory(self) -> bool:
        """Whether it has the equations that it is about, or rests on."""
        return "symbols" in self.value

    def _of_another(self, theory: Theory) -> str:
        """Says that it is of another theory than this."""
        message = f"it was made in another theory {self.theory}: the digest is not that of"
        return f"{message} {theory.name}, {theory.digest[:12]}..."

    def _problem(self, terms: TermNumbers) -> Problem | None:
        """The problem, of a certificate that may be about none."""
        value = self.value.get("problem")
        if value is None:
            return None
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise self._fail("problem should be an object with a name, or null")
        return terms.problem(value["name"], value, "problem, ")

    def _fail(self, message: str) -> InputError:
        return InputError(message, source=self.source)


class StoredProof(StoredJson):
    """A proof, whose `problem` is a name."""

    @property
    def name(self) -> str:
        return self._text("problem")

    def certified(self, theory: Theory | None = None) -> Proof:
        """The proof in a theory, or from the equations in the file that it rests on.

        `NotAProof` if the kernel does not take it, or if it is of another theory.
        """
        if theory is None:
            theory = self._own_theory("axioms", TermNumbers(self.value, self.source))
        elif self.digest != theory.digest:
            raise NotAProof(self._of_another(theory))
        return proof_from_json(self.value, theory, self.source)


def proof_from_json(
    value: dict[str, Any], theory: Theory, source: str, lemmas: Mapping[str, Proof] | None = None
) -> Proof:
    """The proof that an object of JSON says, certified; `InputError` if it is none at all.

    Besides its own lemmas it may cite `lemmas`, by the names that these have here.
    """
    if value.get("format") != FORMAT:
        raise InputError(_unknown(value.get("format")), source=source)
    reader = ChainReader(value, theory, source, lemmas or {})
    return reader.proof(value, "")


def _unknown(version: object) -> str:
    if isinstance(version, str) and version.startswith("threesil-proof-"):
        return f"a proof in the unknown format {version}; this threesil reads {FORMAT}"
    return "not a proof of threesil"


def typed(value: dict[str, Any], key: str, kind: type, what: str, source: str) -> Any:
    found = value.get(key)
    if type(found) is not kind:
        raise InputError(f"{key} should be {what}", source=source)
    return found


class TermNumbers:
    """Terms as numbers in the list of all of them."""

    def __init__(self, value: dict[str, Any], source: str) -> None:
        self._source = source
        self._terms: list[Term] = []
        for number, node in enumerate(typed(value, "terms", list, "a list", source)):
            what = f"entry {number} of terms"
            if isinstance(node, str):
                self._terms.append(Term(node, is_variable=True))
            elif isinstance(node, list) and node and isinstance(node[0], str):
                args = [self.term(index, what) for index in node[1:]]
                self._terms.append(Term(node[0], args))
            else:
                message = "should be a variable or [symbol, argument, ...]"
                raise InputError(f"{what} {message}", source=source)
            if self._terms[-1].size > limits.NODES:
                message = f"{what} is too large: it has more than {limits.NODES:,} nodes"
                raise InputError(message, source=source)

    def term(self, value: object, what: str) -> Term:
        if type(value) is not int or not 0 <= value < len(self._terms):
            message = f"{what} should be the number of an earlier entry of terms"
            raise InputError(message, source=self._source)
        return self._terms[value]

    def problem(self, name: str, value: dict[str, Any], prefix: str) -> Problem:
        """The problem of this name whose sides an object has; messages begin with `prefix`."""
        start, target = self.term(value.get("start"), f"{prefix}start"), value.get("target")
        exists = value.get("exists", [])
        if not isinstance(exists, list) or not all(type(name) is str for name in exists):
            message = f"{prefix}exists should be a list of variables"
            raise InputError(message, source=self._source)
        end = None if target is None else self.term(target, f"{prefix}target")
        try:
            return Problem(name, start, end, exists=tuple(exists))
        except ValueError as error:
            raise InputError(str(error), source=self._source) from None


class ChainReader:
    """Chains of one file, each certified with the lemmas before it.

    `own` are the lemmas of the file; it may cite those of `others` too.
    """

    def __init__(
        self, value: dict[str, Any], theory: Theory, source: str, others: Mapping[str, Proof]
    ) -> None:
        self.theory, self.source = theory, source
        self.terms = TermNumbers(value, source)
        self.lemmas = dict(others)
        self.own: list[Proof] = []
        for number, entry in enumerate(typed(value, "lemmas", list, "a list", source), 1):
            if not isinstance(entry, dict):
                raise self.fail(f"lemma {number} should be an object")
            lemma = self.proof(entry, f"lemma {number}, ")
            if lemma.problem.name in self.lemmas:
                raise self.fail(f"two lemmas are called {lemma.problem.name}")
            self.lemmas[lemma.problem.name] = lemma
            self.own.append(lemma)

    def fail(self, message: str) -> InputError:
        return InputError(message, source=self.source)

    def proof(self, value: dict[str, Any], prefix: str) -> Proof:
        name = typed(value, "problem", str, "a text", self.source)
        problem = self.terms.problem(name, value, prefix)
        witnesses = self.values(value.get("witnesses", {}), f"{prefix}witnesses")
        listed = typed(value, "steps", list, "a list", self.source)
        steps = [self.step(entry, f"{prefix}step {k}") for k, entry in enumerate(listed, 1)]
        cited = dict.fromkeys(step.equation for step in steps)
        lemmas = [self.lemmas[name] for name in cited if name in self.lemmas]
        first = problem.start.substitute(witnesses)
        try:
            return certify(self.theory, problem, Derivation(first, tuple(steps), witnesses), lemmas)
        except NotAProof as error:
            raise NotAProof(f"{prefix}{error}") from None

    def step(self, entry: object, where: str) -> Step:
        if not isinstance(entry, dict):
            raise self.fail(f"{where} is not a rewrite: it should be an object")
        position = typed(entry, "position", list, "a list", f"{self.source} ({where})")
        if not all(type(k) is int and 0 <= k < _LARGEST_INDEX for k in position):
            raise self.fail(f"{where}: {_shortly(position)} is no position")
        equation = typed(entry, "equation", str, "a text", f"{self.source} ({where})")
        if entry.get("direction") not in ("->", "<-"):
            raise self.fail(f"{where}: the direction should be -> or <-")
        values = self.values(entry.get("substitution"), f"{where}, substitution")
        result = self.terms.term(entry.get("result"), f"{where}, result")
        return Step(tuple(position), equation, Direction(entry["direction"]), values, result)

    def values(self, entry: object, what: str) -> dict[str, Term]:
        if not isinstance(entry, dict):
            raise self.fail(f"{what} should be an object")
        return {name: self.terms.term(term, f"{what}, {name}") for name, term in entry.items()}


def _shortly(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
