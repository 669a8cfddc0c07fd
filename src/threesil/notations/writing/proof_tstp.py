"""Proofs in TSTP, the TPTP's language for solutions: every step a formula with its status.

    % SZS status Theorem for p1
    % SZS output start Proof for p1
    fof(b2, axiom, ! [X,Y] : mul(X,ld(X,Y)) = Y, file(aim, b2)).
    fof(p1_1, plain, ! [X,Y] : mul(X,t(Y,X)) = mul(X,ld(X,mul(Y,X))),
        inference(rewrite, [status(thm)], [f_T])).
    fof(p1, plain, ! [X,Y] : mul(X,t(Y,X)) = mul(Y,X),
        inference(rewrite, [status(thm)], [p1_1, b2])).
    % SZS output end Proof for p1

A step's formula says that the first term of its chain equals the step's, and names its parents:
the step before, and the equation or the lemma. Each proof stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation
from threesil.notations.identifiers import Identifiers
from threesil.notations.names import title
from threesil.notations.writing.proof_parts import Part, arguments, occurring, parts

_SYMBOL = "[a-z][A-Za-z0-9_]*"
_VARIABLE = "[A-Z][A-Za-z0-9_]*"


def write_tstp(proofs: Iterable[Proof]) -> str:
    """One solution after the other."""
    return "\n".join(_Solution(parts([proof])[0]).text() for proof in proofs)


class _Solution:
    """The names of one proof, and what is written under them."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._formulas = Identifiers(_SYMBOL)
        self._symbols = Identifiers(_SYMBOL)
        self._variables = Identifiers(_VARIABLE)

    def text(self) -> str:
        name = title(self._part.chains[-1].name)
        formulas = [self._axiom(axiom) for axiom in self._part.axioms]
        for chain in self._part.chains:
            formulas += self._chain(chain)
        lines = (
            f"% SZS status Theorem for {name}",
            f"% SZS output start Proof for {name}",
            *formulas,
            f"% SZS output end Proof for {name}",
        )
        return "".join(f"{line}\n" for line in lines)

    def _axiom(self, axiom: Equation) -> str:
        said = self._said(occurring(axiom), (), axiom.lhs, axiom.rhs)
        role = "definition" if axiom.kind == "definition" else "axiom"
        source = f"file({_quoted(self._part.name)}, {_quoted(axiom.name)})"
        return f"fof({self._formula(axiom.name)}, {role}, {said}, {source})."

    def _chain(self, chain: Chain) -> Iterator[str]:
        """The formulas of a chain; the last one has its name."""
        problem, derivation = chain.proof.problem, chain.proof.derivation
        variables = arguments(chain)
        own = self._formula(chain.name)
        last = len(derivation.steps) - (not problem.exists)
        before: list[str] = []
        for number, step in enumerate(derivation.steps):
            said = self._said(variables, (), derivation.start, step.result)
            name = own if number == last else self._formula(f"{own}_{number + 1}")
            parents = [*before, self._formula(chain.cited[step.equation].name)]
            yield _derived(name, said, "rewrite", parents)
            before = [name]
        if not derivation.steps or problem.exists:
            target = problem.target or chain.end
            said = self._said(variables, problem.exists, problem.start, target)
            yield _derived(own, said, "instance" if before else "reflexivity", before)

    def _said(self, arbitrary: Sequence[str], exist: Sequence[str], left: Term, right: Term) -> str:
        quantifiers = "".join(
            f"{mark} [{','.join(map(self._variable, names))}] : "
            for mark, names in (("!", arbitrary), ("?", exist))
            if names
        )
        return f"{quantifiers}{self._term(left)} = {self._term(right)}"

    def _formula(self, name: str) -> str:
        return self._formulas.of("f", name)

    def _variable(self, name: str) -> str:
        return self._variables.of("X", name)

    def _term(self, term: Term) -> str:
        written: list[str] = []
        stack: list[Term | str] = [term]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                written.append(item)
                continue
            name = self._variable if item.is_variable else self._symbol
            written.append(name(item.head))
            if item.args:
                written.append("(")
                stack.append(")")
                for index in range(len(item.args) - 1, -1, -1):
                    stack.append(item.args[index])
                    if index:
                        stack.append(",")
        return "".join(written)

    def _symbol(self, name: str) -> str:
        return self._symbols.of("s", name)


def _derived(name: str, said: str, rule: str, parents: Sequence[str]) -> str:
    source = f"inference({rule}, [status(thm)], [{', '.join(parents)}])"
    return f"fof({name}, plain, {said},\n    {source})."


def _quoted(name: str) -> str:
    """The name as an atom of TPTP: printable ASCII, in quotes where it has to be."""
    plain = "".join(c if c.isascii() else "?" for c in _printable(name))
    if plain and plain[0].islower() and plain.replace("_", "a").isalnum():
        return plain
    return "'" + plain.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)
