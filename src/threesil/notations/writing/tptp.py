"""Writing TPTP, which E, Vampire, Twee and many others read: problems, proofs and models.

    cnf(lid, axiom, mul(e,X) = X).
    cnf(goal, negated_conjecture, mul(c_x,t(c_y,c_x)) != mul(c_y,c_x)).

Names that begin with a capital letter are variables. For a prover the goal is denied, so that its
variables become constants, but for those that it says exist. In a document it stays as it is:
`fof(goal, conjecture, ! [X] : ? [Y] : mul(X,Y) = e).`

Proofs are in TSTP, its language for solutions: every step is a formula with its status.

    % SZS status Theorem for p1
    % SZS output start Proof for p1
    fof(b2, axiom, ! [X,Y] : mul(X,ld(X,Y)) = Y, file(aim, b2)).
    fof(p1_1, plain, ! [X,Y] : mul(X,t(Y,X)) = mul(X,ld(X,mul(Y,X))),
        inference(rewrite, [status(thm)], [f_T])).
    fof(p1, conjecture, ! [X,Y] : mul(X,t(Y,X)) = mul(Y,X),
        inference(rewrite, [status(thm)], [p1_1, b2])).
    % SZS output end Proof for p1

A step's formula says that the first term of its chain equals the step's, and names its parents:
the step before, and the equation or the lemma. Each proof stands for itself. It ends with the
conjecture; where the file denies its goal, or where functions were made for variables of the
conjecture, with `$false`, from what is proved and the denial. The step in which functions are made
for variables (Skolem) has the status esa and names them.

A counter-model is a finite interpretation, as model finders of that world write it.

    fof(groups_domain, fi_domain, ! [X] : ( X = "0" | X = "1" )).
    fof(groups_functors, fi_functors, ( e = "0" & mul("0","0") = "0" & … & c_x = "1" )).

The elements are distinct objects, in double quotes. The problem's variables are constants, as in
its denial, with the values for which it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Final

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term, var
from threesil.kernel.theory import Equation, Problem, Signature, Theory
from threesil.notations.document import Document, Origin
from threesil.notations.names import title
from threesil.notations.renaming import (
    Identifiers,
    Language,
    Renaming,
    equation_of,
    rename,
    statements,
)
from threesil.notations.writing.parts import Part, arguments, occurring, parts, statement

LANGUAGE = Language(
    symbol="[a-z][A-Za-z0-9_]*", variable="[A-Z][A-Za-z0-9_]*", variable_prefix="X_"
)
_QUOTING = replace(LANGUAGE, symbol=r"[a-z][A-Za-z0-9_]*|(?=.*[A-Za-z0-9])[ -~]+")
_ROLES: Final = {"axiom": "axiom", "definition": "definition", "known": "lemma"}


def write_problem(theory: Theory, problem: Problem, *, lemmas: Iterable[Equation] = ()) -> str:
    """The input for a proof attempt."""
    given = statements(LANGUAGE, theory, problem, lemmas)
    renaming, goal = given.renaming, given.goal
    lines = []
    for label, equation in given.assumptions:
        sides = (renaming.text(renaming.to(term)) for term in (equation.lhs, equation.rhs))
        name = label if LANGUAGE.takes_symbol(label) else f"'{label}'"
        lines.append(f"cnf({name}, axiom, {' = '.join(sides)}).")
    sides = (renaming.text(renaming.freeze(term)) for term in (goal.lhs, goal.rhs))
    lines.append(f"cnf(goal, negated_conjecture, {' != '.join(sides)}).")
    return "\n".join(lines) + "\n"


def write_document(document: Document) -> str:
    """A whole document; names that the language lacks are quoted, operators get words."""
    equations = (*document.theory.equations, *document.hints)
    goals = tuple(map(equation_of, document.problems))
    renaming = rename(_QUOTING, document.theory.signature, (*equations, *goals))
    lines = [f"% {note}" for note in _comments(document)]
    for equation in document.theory.equations:
        role = _ROLES[equation.kind]
        lines.append(f"cnf({_quoted(equation.name)}, {role}, {_sides(equation, renaming)}).")
    for problem, goal in zip(document.problems, goals, strict=True):
        formula = _quantified(problem, renaming.variables) + _sides(goal, renaming)
        name = _quoted(problem.name)
        if document.any_goal:
            lines.append(f"fof({name}, negated_conjecture, ~ ( {formula} )).")
        else:
            lines.append(f"fof({name}, conjecture, {formula}).")
    return "\n".join(lines) + "\n"


def _comments(document: Document) -> list[str]:
    if not document.hints:
        return []
    return [f"{len(document.hints)} hints are left out: TPTP has no place for them"]


def _sides(equation: Equation, renaming: Renaming) -> str:
    return f"{_text(renaming.to(equation.lhs))} = {_text(renaming.to(equation.rhs))}"


def _quantified(problem: Problem, names: Mapping[str, str]) -> str:
    universal = [names[name] for name in problem.variables if name not in problem.exists]
    existential = [names[name] for name in problem.exists]
    parts = [("!", universal), ("?", existential)]
    return "".join(f"{mark} [{','.join(group)}] : " for mark, group in parts if group)


def _text(term: Term) -> str:
    """`f(s,t)`, with quotes where they are needed."""
    return _spelled(term, lambda t: t.head if t.is_variable else _quoted(t.head))


def _spelled(term: Term, name: Callable[[Term], str]) -> str:
    """`f(s,t)`, a name for the head of each subterm."""
    parts: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(name(item))
        if item.args:
            parts.append("(")
            stack.append(")")
            for index in range(len(item.args) - 1, -1, -1):
                stack.append(item.args[index])
                if index:
                    stack.append(",")
    return "".join(parts)


def _quoted(name: str) -> str:
    """A name of a symbol or a formula; what can't stand in quotes is left out."""
    if LANGUAGE.takes_symbol(name):
        return name
    printable = "".join(c if " " <= c <= "~" else "_" for c in name) or "_"
    return "'" + printable.replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_tstp(
    proofs: Iterable[Proof], origins: Mapping[int, Origin] = MappingProxyType({})
) -> str:
    """One solution after the other; `origins` by the numbers of the proofs' objects."""
    plain = Origin()
    return "\n".join(
        _Solution(parts([proof])[0], origins.get(id(proof), plain)).text() for proof in proofs
    )


class _Solution:
    """The names of one proof, and what is written under them."""

    def __init__(self, part: Part, origin: Origin) -> None:
        self._part, self._origin = part, origin
        self._skolemized: dict[str, str] = {}  # axioms for which functions were made
        self._denied = ""  # the last denial of what is proved
        self._formulas = Identifiers(LANGUAGE.symbol)
        self._symbols = Identifiers(LANGUAGE.symbol)
        self._variables = Identifiers(LANGUAGE.variable)

    def text(self) -> str:
        name = title(self._part.chains[-1].name)
        formulas = [line for axiom in self._part.axioms for line in self._axiom(axiom)]
        *lemmas, last = self._part.chains
        made = self._made(last.proof.problem.start, last.proof.problem.target)
        refutes = self._origin.denied or bool(made)
        if refutes:
            formulas += self._denial(last, made)
        for chain in lemmas:
            formulas += self._chain(chain, "plain")
        formulas += self._chain(last, "plain" if refutes else "conjecture")
        if refutes:
            parents = self._formula(last.name), self._denied
            formulas.append(_derived(self._formula("false"), "$false", "contradiction", parents))
        lines = (
            f"% SZS status {'Unsatisfiable' if self._origin.denied else 'Theorem'} for {name}",
            f"% SZS output start Proof for {name}",
            *formulas,
            f"% SZS output end Proof for {name}",
        )
        return "".join(f"{line}\n" for line in lines)

    def _axiom(self, axiom: Equation) -> Iterator[str]:
        """The axiom as the file has it, and with the functions that were made for it."""
        variables, sides = occurring(axiom), (axiom.lhs, axiom.rhs)
        said, made = self._said(variables, (), *sides), self._made(*sides)
        role = "definition" if axiom.kind == "definition" else "axiom"
        leaf = self._formula(axiom.name)
        original = self._original("", variables, "!?", made, *sides) if made else said
        yield self._leaf(leaf, role, original, axiom.name)
        if made:
            self._skolemized[axiom.name] = new = self._formula(f"{leaf}_skolem")
            yield _derived(new, said, "skolemize", [leaf], "plain", self._new(made))

    def _denial(self, chain: Chain, made: Sequence[Term]) -> Iterator[str]:
        """What the file denies, or the denial of its conjecture: it contradicts what is proved."""
        problem, proved = chain.proof.problem, self._formula(chain.name)
        sides = problem.start, problem.target or chain.end
        said = self._said(arguments(chain), problem.exists, *sides)
        first = self._said(arguments(chain), (), *sides).partition(" : ")[0] + " : "
        first = first if arguments(chain) else ""
        original = self._original(first, problem.exists, "?!", made, *sides) if made else said
        denial = self._formula(f"{proved}_denied")
        if self._origin.denied:
            yield self._leaf(denial, "negated_conjecture", f"~ ( {original} )", chain.name)
        else:
            goal = self._formula(f"{proved}_conjecture")
            yield self._leaf(goal, "conjecture", original, chain.name)
            parts = denial, f"~ ( {original} )", "negate_conjecture", [goal]
            yield _derived(*parts, "negated_conjecture", "status(cth)")
        if made:
            before, denial = denial, self._formula(f"{proved}_skolem")
            parts = denial, f"~ ( {said} )", "skolemize", [before]
            yield _derived(*parts, "negated_conjecture", self._new(made))
        self._denied = denial

    def _leaf(self, name: str, role: str, said: str, called: str) -> str:
        return f"fof({name}, {role}, {said}, file({_quoted(self._part.name)}, {_quoted(called)}))."

    def _made(self, *sides: Term | None) -> list[Term]:
        """The terms that stand for variables of the formula as it was, inner ones last."""
        terms = (t for side in sides if side is not None for t in side.distinct())
        found = dict.fromkeys(t for t in terms if t.head in self._origin.functions)
        return sorted(found, key=lambda t: len(t.args))

    def _new(self, made: Sequence[Term]) -> str:
        symbols = ",".join(dict.fromkeys(self._symbols.of("s", t.head) for t in made))
        return f"status(esa), new_symbols(skolem,[{symbols}])"

    def _original(
        self,
        first: str,
        outer: Sequence[str],
        marks: str,
        made: Sequence[Term],
        left: Term,
        right: Term,
    ) -> str:
        """The formula with variables for the terms that were made, each behind its arguments."""
        inner = {term: var(term.head) for term in made}
        placed, prefix = list[str](), list[tuple[str, list[str]]]()
        for term, variable in inner.items():
            before = [a.head for a in term.args if a.head not in placed]
            prefix += [(marks[0], before), (marks[1], [variable.head])]
            placed += before
        prefix.append((marks[0], [name for name in outer if name not in placed]))
        words = "".join(
            f"{mark} [{','.join(map(self._variable, names))}] : " for mark, names in prefix if names
        )

        def back(t: Term, args: tuple[Term, ...]) -> Term:
            return inner.get(t) or (t if t.is_variable else Term(t.head, args))

        sides = (self._term(side.fold(back)) for side in (left, right))
        return first + words + " = ".join(sides)

    def _chain(self, chain: Chain, role: str) -> Iterator[str]:
        """The formulas of a chain; the last one has its name and the role."""
        problem, derivation = chain.proof.problem, chain.proof.derivation
        variables = arguments(chain)
        own = self._formula(chain.name)
        last = len(derivation.steps) - (not problem.exists)
        before: list[str] = []
        for number, step in enumerate(derivation.steps):
            said = self._said(variables, (), derivation.start, step.result)
            name = own if number == last else self._formula(f"{own}_{number + 1}")
            cited = chain.cited[step.equation].name
            parents = [*before, self._skolemized.get(cited) or self._formula(cited)]
            yield _derived(name, said, "rewrite", parents, role if number == last else "plain")
            before = [name]
        if not derivation.steps or problem.exists:
            target = problem.target or chain.end
            said = self._said(variables, problem.exists, problem.start, target)
            yield _derived(own, said, "instance" if before else "reflexivity", before, role)

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
        return _spelled(term, self._head)

    def _head(self, term: Term) -> str:
        return self._variable(term.head) if term.is_variable else self._symbols.of("s", term.head)


def _derived(
    name: str,
    said: str,
    rule: str,
    parents: Sequence[str],
    role: str = "plain",
    useful: str = "status(thm)",
) -> str:
    source = f"inference({rule}, [{useful}], [{', '.join(parents)}])"
    return f"fof({name}, {role}, {said},\n    {source})."


def write_tptp_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, each under a name of its own."""
    labels = Identifiers(LANGUAGE.symbol)
    return "\n".join(
        _written(model, labels.of("model", f"model_{number}"))
        for number, model in enumerate(models, 1)
    )


def tptp_names(signature: Signature) -> Mapping[str, str]:
    """What the symbols are called."""
    names = Identifiers(LANGUAGE.symbol)
    return {symbol: names.of("s", symbol) for symbol in signature.symbols}


def _written(model: Countermodel, label: str) -> str:
    symbols, n = tptp_names(model.theory.signature), model.tables.size
    names = Identifiers(LANGUAGE.symbol, symbols.values())
    elements = " | ".join(f'X = "{k}"' for k in range(n))
    facts = []
    for symbol, arity in model.theory.signature.symbols.items():
        name = symbols[symbol]
        for place, value in zip(
            product(range(n), repeat=arity), model.tables.of[symbol], strict=True
        ):
            args = ",".join(f'"{k}"' for k in place)
            facts.append(f'{name}({args}) = "{value}"' if args else f'{name} = "{value}"')
    for variable, value in model.values.items():
        facts.append(f'{names.of("c", f"c_{variable}")} = "{value}"')
    said = statement(model)
    name = title(model.problem.name if model.problem else model.theory.name)
    lines = [f"% refutes: {said}"] if model.problem else []
    lines += [
        f"% SZS output start FiniteModel for {name}",
        f"fof({label}_domain, fi_domain, ! [X] : ( {elements} )).",
        f"fof({label}_functors, fi_functors, (",
        "  " + "\n  & ".join(facts),
        ")).",
        f"% SZS output end FiniteModel for {name}",
    ]
    return "\n".join(lines) + "\n"
