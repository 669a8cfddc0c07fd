"""Documents up to names, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from strategies import terms
from threesil.kernel.terms import Term, app
from threesil.kernel.theory import Equation, Problem
from threesil.notations.document import Document, theory_of

OPERATORS = ["*", "/", "\\", "+", "-", "^", "@", "<=", "o", "v", "**", "·"]
UNARY = ["'", "⁻¹", "-", "~", "--", "!"]
SYMBOLS = ["f", "F", "x", "X", "all", "exists", "mul", "my f", "it's", 'a"b', "back\\slash", "é"]
SYMBOLS += ["e", "1", "007", "Axiom", "a:b", "a.b", "a#b", "a,b", "(", "cnf", "$x", "_", "%", "=x"]
VARIABLES = ["x", "X", "v", "u1", "_x", "c_x", "e", "Name", "é", "a'", "exists", "all"]
LABELS = ["a", "a name", "it's", 'q"q', "x:y", "dot.", "1", "#", "goal_1", "Ünï", "_"]


def key(document: Document) -> object:
    """The same for documents that differ in names of symbols, variables and statements only."""
    symbols: dict[str, int] = {}

    def canonical(*sides: Term) -> tuple[tuple[Term, ...], dict[str, int]]:
        variables: dict[str, int] = {}
        for t in (t for side in sides for t in side.subterms()):
            names = variables if t.is_variable else symbols
            names.setdefault(t.head, len(names))

        def combine(t: Term, args: tuple[Term, ...]) -> Term:
            if t.is_variable:
                return app(f"v{variables[t.head]}")
            return Term(f"s{symbols[t.head]}", args)

        return tuple(side.fold(combine) for side in sides), variables

    found: list[object] = []
    for e in document.theory.equations:
        found.append((e.kind, canonical(e.lhs, e.rhs)[0]))
    for problem in document.problems:
        assert problem.target is not None
        sides, variables = canonical(problem.start, problem.target)
        found.append((sides, tuple(variables[name] for name in problem.exists)))
    hints = [canonical(e.lhs, e.rhs)[0] for e in document.hints]
    return found, hints, document.any_goal, document.theory.goal


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Theories, goals and hints with names that no notation likes."""
    infix = draw(st.lists(st.sampled_from(OPERATORS), max_size=4, unique=True))
    unary = draw(st.lists(st.sampled_from(UNARY), max_size=3, unique=True))
    plain = draw(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=8, unique=True))
    symbols = {name: draw(st.integers(0, 3)) for name in plain} | {"c0": 0}
    symbols |= dict.fromkeys(unary, 1) | dict.fromkeys(infix, 2)
    between = [name for name in infix if draw(st.booleans())]
    ranks = {name: draw(st.integers(1, 3)) for name in between}
    term = terms(symbols, VARIABLES, max_leaves=6)
    sides = st.tuples(term, term)
    kinds = st.sampled_from(["axiom", "known"])
    names = draw(st.lists(st.sampled_from(LABELS), max_size=6, unique=True))
    equations = [Equation(name, *draw(sides), draw(kinds)) for name in names]
    definition = (app("c0"), draw(terms(symbols, [], max_leaves=3)))
    equations.append(Equation("definition", *definition, "definition"))
    problems = []
    for number in range(draw(st.integers(0, 3))):
        problem = Problem(f"p{number}", *draw(sides))
        exists = [name for name in problem.variables if draw(st.booleans())]
        problems.append(Problem(problem.name, problem.start, problem.target, exists=tuple(exists)))
    any_goal = len(problems) > 1 and draw(st.booleans())
    hints = tuple(Equation(f"h{n}", *draw(sides)) for n in range(draw(st.integers(0, 2))))
    theory = theory_of("odd", "Odd", symbols, ranks, equations)
    return Document(theory, tuple(problems), "theory", hints, (), any_goal)
