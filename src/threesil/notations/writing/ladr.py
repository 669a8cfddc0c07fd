r"""Writing LADR, the language of Prover9 and Mace4.

    assign(max_seconds, 60).
    formulas(assumptions).
    (e * x) = x # label("lid").
    end_of_list.
    formulas(goals).
    (x * T(y,x)) = (y * x) # label("goal").
    end_of_list.

Names that begin with u to z are variables, all others are symbols; a bare `v` is an operator. A
goal's variables are universally quantified, unless it says `exists`. The operators `* / \ + ^` are
kept, because the prover orders symbols by their names.

Counter-models are in the notation of Mace4 (McCune 2010):

    interpretation( 3, [number=1, seconds=0], [
        function(e, [0]),
        function(*(_,_), [0,1,2,1,2,0,2,0,1]),
        function(c1, [1])
    ]).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.terms import Term
from threesil.kernel.theory import Equation, Problem, Signature, Theory
from threesil.notations.document import Document
from threesil.notations.renaming import Language, Renaming, equation_of, rename, statements
from threesil.notations.writing.parts import statement

LANGUAGE = Language(
    symbol="[a-tA-Z][A-Za-z0-9_]*|[0-9]+",
    variable="[u-z][A-Za-z0-9_]*",
    variable_prefix="x_",
    reserved=frozenset({"v", "all", "exists", "if", "end_if", "end_of_list", "formulas", "list"}),
    infix=frozenset({"*", "/", "\\", "+", "^"}),
)
_QUOTING = replace(
    LANGUAGE,
    symbol=rf"{LANGUAGE.symbol}|(?=.*[A-Za-z0-9])(?=.*[^A-Za-z0-9_$])[ !#-\[\]-~]+",
    infix=LANGUAGE.infix | {"@", "v"},
    unary=frozenset({"'", "-"}),
)


def write_problem(
    theory: Theory,
    problem: Problem,
    *,
    lemmas: Iterable[Equation] = (),
    hints: Iterable[Equation] = (),
    seconds: float,
    megabytes: int,
    settings: Sequence[str] = (),
) -> str:
    """The input for a proof attempt; `settings` are commands such as `assign(order,kbo)`."""
    given = statements(LANGUAGE, theory, problem, lemmas, hints)
    lines = [f"assign(max_seconds, {math.ceil(seconds)}).", f"assign(max_megs, {megabytes})."]
    lines += [f"{setting}." for setting in settings]
    names = given.renaming.variables
    goal = _quantified((), [names[name] for name in problem.exists], given.goal, given.renaming)
    parts = {
        "assumptions": [
            f'{_sides(equation, given.renaming)} # label("{label}").'
            for label, equation in given.assumptions
        ],
        "goals": [f'{goal} # label("goal").'],
        "hints": [
            f'{_sides(equation, given.renaming)} # label("{label}").'
            for label, equation in given.hints
        ],
    }
    return "\n".join([*lines, *_lists(parts)]) + "\n"


def write_document(document: Document) -> str:
    """A whole document; names that the language lacks are quoted."""
    equations = (*document.theory.equations, *document.hints)
    goals = tuple(map(equation_of, document.problems))
    renaming = rename(_QUOTING, document.theory.signature, (*equations, *goals))
    assumptions = [_line(e, renaming) for e in document.theory.equations]
    claims = []
    for problem, goal in zip(document.problems, goals, strict=True):
        names = renaming.variables
        universal = [names[name] for name in problem.variables if name not in problem.exists]
        existential = [names[name] for name in problem.exists]
        if document.any_goal:
            formula = _quantified(universal, existential, goal, renaming, denied=True)
        else:
            formula = _quantified((), existential, goal, renaming)
        claims.append(f"{formula} # label({_quoted(problem.name)}).")
    if document.any_goal:
        assumptions, claims = assumptions + claims, []
    hints = [_line(e, renaming) for e in document.hints]
    parts = {"assumptions": assumptions, "goals": claims, "hints": hints}
    return "\n".join(_lists(parts)) + "\n"


def _lists(parts: dict[str, list[str]]) -> Iterator[str]:
    """The lists of formulas; an empty one is left out, but for the assumptions."""
    for title, lines in parts.items():
        if lines or title == "assumptions":
            yield from (f"formulas({title}).", *lines, "end_of_list.")


def _line(equation: Equation, renaming: Renaming) -> str:
    kind = "" if equation.kind == "axiom" else f" # label({equation.kind})"
    return f"{_sides(equation, renaming)} # label({_quoted(equation.name)}){kind}."


def _quantified(
    universal: Sequence[str],
    existential: Sequence[str],
    goal: Equation,
    renaming: Renaming,
    *,
    denied: bool = False,
) -> str:
    """The goal or its denial; universal variables need no quantifier unless it is denied."""
    words = ("exists", "all") if denied else ("all", "exists")
    parts = [f"{words[0]} {name} " for name in universal]
    parts += [f"{words[1]} {name} " for name in existential]
    equation = _sides(goal, renaming, "!=" if denied else "=")
    return f"{''.join(parts)}({equation})" if parts else equation


def _sides(equation: Equation, renaming: Renaming, sign: str = "=") -> str:
    return f"{_side(equation.lhs, renaming)} {sign} {_side(equation.rhs, renaming)}"


def _quoted(name: str) -> str:
    """A label; what can't stand in quotes is left out."""
    return '"' + "".join(c if " " <= c <= "~" and c != '"' else "_" for c in name) + '"'


def _side(term: Term, renaming: Renaming) -> str:
    new = renaming.to(term)
    text = renaming.text(new)
    return f"({text})" if new.head in renaming.signature.infix else text


def write_mace4(models: Iterable[Countermodel]) -> str:
    """One file for all models; the variables of a problem are the constants c1, c2, …"""
    return "\n".join(_written(model, number) for number, model in enumerate(models, 1))


def mace4_names(signature: Signature) -> Mapping[str, str]:
    """What the symbols are called."""
    return rename(LANGUAGE, signature).symbols


def _written(model: Countermodel, number: int) -> str:
    symbols = mace4_names(model.theory.signature)
    entries, taken = [], set(symbols.values())
    for symbol, arity in model.theory.signature.symbols.items():
        args = f"({','.join('_' * arity)})" if arity else ""
        table = ",".join(map(str, model.tables.of[symbol]))
        entries.append(f"    function({symbols[symbol]}{args}, [{table}])")
    free = (f"c{k}" for k in range(1, 10**6) if f"c{k}" not in taken)
    for value in model.values.values():
        entries.append(f"    function({next(free)}, [{value}])")
    said = statement(model)
    head = f"% refutes: {said}\n" if model.problem else ""
    head += f"interpretation( {model.tables.size}, [number={number}, seconds=0], [\n"
    return head + ",\n".join(entries) + "\n]).\n"
