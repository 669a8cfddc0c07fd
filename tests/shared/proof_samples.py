"""Certified proofs of many kinds that several tests share."""

from __future__ import annotations

from functools import cache
from random import Random

from samples import random_chain
from threesil.kernel.proof import Derivation, Proof, Step, certify
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import (
    LEFT_TO_RIGHT,
    Direction,
    Equation,
    Goal,
    Problem,
    Signature,
    Theory,
    moves_of,
    rewrites_of,
)
from threesil.notations.infix import parse_equation, parse_term
from threesil.problems.generate import random_walk
from threesil.problems.theorems import random_theorems
from threesil.proofs.factoring import factored
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON


def theory_of(name: str, symbols: dict[str, int], **equations: str) -> Theory:
    """A theory of these equations, `*` and `+` infix."""
    signature = Signature(symbols, {s: 1 for s in "*+" if s in symbols})
    made = [Equation(n, *parse_equation(text, signature)) for n, text in equations.items()]
    actions = (*moves_of(signature), *rewrites_of(made, Goal.EQUATION))
    return Theory(name, name, signature, tuple(made), actions, Goal.EQUATION)


GROUPS = theory_of(
    "groups",
    {"*": 2, "i": 1, "e": 0},
    unit="e * x = x",
    inv="i(x) * x = e",
    assoc="(x*y)*z = x*(y*z)",
)
# The same as a file.
GROUPS_FILE = """\
Theory groups: Groups.
Constants e.
Axiom unit: e * x = x.
Axiom inv: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
"""
# Names that mean something elsewhere, names that differ in nothing but case, and worse.
NASTY = theory_of(
    "end",
    {"fun": 2, "Type": 1, "type": 1, "forall": 0, "z": 0, "M": 1, "U": 1, "eq_trans": 2, "x'": 0},
    theorem="fun(x,Type(x)) = forall",
    Eq="type(x) = Type(x)",
    z="M(U(x)) = eq_trans(x,z)",
    fun='eq_trans(at,z) = "x\'"',
)
# No constant, so that nobody knows an element.
BANDS = theory_of("bands", {"*": 2}, idem="x * x = x", assoc="(x*y)*z = x*(y*z)")


def parsed(theory: Theory, text: str) -> Term:
    return parse_term(text, theory.signature)


def proof(
    theory: Theory,
    statement: str,
    *steps: tuple[str, str, str, dict[str, str]],
    name: str = "p",
    lemmas: tuple[Proof, ...] = (),
    witnesses: dict[str, str] | None = None,
) -> Proof:
    """A proof from rewrites written (equation, direction, position, values)."""
    values = {v: parsed(theory, text) for v, text in (witnesses or {}).items()}
    start, target = parse_equation(statement, theory.signature)
    term, made = start.substitute(values), list[Step]()
    cited = {
        one.problem.name: Equation(one.problem.name, one.problem.start, one.derivation.end)
        for one in lemmas
    }
    for equation, direction, place, given in steps:
        position = tuple(int(c) for c in place)
        found = {v: parsed(theory, text) for v, text in given.items()}
        way = Direction(direction)
        _, result = (theory.by_name.get(equation) or cited[equation]).sides(way)
        term = term.replace(position, result.substitute(found))
        made.append(Step(position, equation, way, found, term))
    problem = Problem(name, start, target, exists=tuple(values))
    derivation = Derivation(start.substitute(values), tuple(made), values)
    return certify(theory, problem, derivation, lemmas)


@cache
def left_inverses() -> Proof:
    """x * i(x) = e, with two lemmas, one of which cites the other."""
    first = proof(
        GROUPS,
        "i(x) * (x * y) = y",
        ("assoc", "<-", "", {"x": "i(x)", "y": "x", "z": "y"}),
        ("inv", "->", "0", {"x": "x"}),
        ("unit", "->", "", {"x": "y"}),
        name="cancel",
    )
    second = proof(
        GROUPS,
        "i(i(x)) * e = x",
        ("inv", "<-", "1", {"x": "x"}),
        ("cancel", "->", "", {"x": "i(x)", "y": "x"}),
        name="twice",
        lemmas=(first,),
    )
    return proof(
        GROUPS,
        "x * i(x) = e",
        ("twice", "<-", "0", {"x": "x"}),
        ("assoc", "->", "", {"x": "i(i(x))", "y": "e", "z": "i(x)"}),
        ("unit", "->", "1", {"x": "i(x)"}),
        ("inv", "->", "", {"x": "i(x)"}),
        name="right inverse",
        lemmas=(first, second),
    )


@cache
def walk(length: int, seed: int = 0, largest: int = 60) -> Proof:
    """A random walk in AIM, `length` rewrites if it finds as many."""
    start = parsed(AIM, "T(x,y) * K(y,z)")
    chain = random_walk(AIM, start, length, Random(seed), largest)
    return certify(AIM, Problem(f"walk {length} {seed}", chain.start, chain.end), chain)


@cache
def tower(levels: int, width: int, seed: int = 0) -> Proof:
    """A product of `width` instances of a lemma, which is one of such products, `levels` high."""
    random = Random(seed)
    last = walk(5, seed)
    last = certify(
        AIM, Problem("level 0", last.derivation.start, last.derivation.end), last.derivation
    )
    for level in range(1, levels + 1):
        name, steps = last.problem.name, list[Step]()
        assert last.problem.target is not None
        chosen = [{v: random.choice(_VALUES) for v in last.problem.variables} for _ in range(width)]
        factors = [last.problem.start.substitute(values) for values in chosen]
        start = _product(factors)
        for k, values in enumerate(chosen):
            factors[k] = last.problem.target.substitute(values)
            position = (0,) * (width - 1 - max(k, 0)) + ((1,) if k else ())
            steps.append(Step(position, name, LEFT_TO_RIGHT, values, _product(factors)))
        chain = Derivation(start, tuple(steps))
        last = certify(AIM, Problem(f"level {level}", start, chain.end), chain, [last])
    return last


def ladder(height: int) -> Proof:
    """e * (e * ... (e * x)) = x by as many lemmas, each of which cites the one before."""
    last = proof(GROUPS, "e * x = x", ("unit", "->", "", {"x": "x"}), name="rung 1")
    for rung in range(2, height + 2):
        text = "e * (" * (rung - 1) + "e * x" + ")" * (rung - 1)
        steps = [("unit", "->", "", {"x": text[5:-1]}), (last.problem.name, "->", "", {"x": "x"})]
        last = proof(GROUPS, f"{text} = x", *steps, name=f"rung {rung}", lemmas=(last,))
    return last


_VALUES = (var("x"), var("y"), app("*", var("y"), var("z")))


def _product(factors: list[Term]) -> Term:
    product, *others = factors
    for factor in others:
        product = app("*", product, factor)
    return product


@cache
def varied(count: int = 100) -> tuple[Proof, ...]:
    """At least `count` proofs in six theories, some with lemmas, some of existential goals."""
    made = [left_inverses(), *existential(), *nasty(), *trivial()]
    made += [tower(2, 3, seed) for seed in range(3)] + [walk(80, seed) for seed in range(3)]
    made += [factored(walk(200, 7))]
    for theory in (ROBINSON, POLYNOMIAL):
        for seed in range(10):
            chain = random_chain(theory, Random(seed), 5, size=40)
            problem = Problem(f"{theory.name} {seed}", chain.start, chain.end)
            made.append(certify(theory, problem, chain))
    return (*made, *random_theorems(AIM, steps=6, count=max(0, count - len(made)), seed=1))


def existential() -> list[Proof]:
    return [
        proof(
            GROUPS,
            "x * a = b",
            ("assoc", "->", "", {"x": "b", "y": "i(a)", "z": "a"}),
            ("inv", "->", "1", {"x": "a"}),
            ("right unit", "->", "", {"x": "b"}),
            name="division",
            lemmas=(right_unit(),),
            witnesses={"x": "b * i(a)"},
        ),
        proof(
            GROUPS,
            "x * (y * a) = a",
            ("unit", "->", "", {"x": "e * a"}),
            ("unit", "->", "", {"x": "a"}),
            name="two witnesses",
            witnesses={"x": "e", "y": "e"},
        ),
        proof(
            GROUPS,
            "x * x = x",
            ("unit", "->", "", {"x": "e"}),
            name="idempotent",
            witnesses={"x": "e"},
        ),
        proof(
            BANDS, "x * y = y", ("idem", "->", "", {"x": "y"}), name="band", witnesses={"x": "y"}
        ),
    ]


@cache
def right_unit() -> Proof:
    cancel = left_inverses().lemmas[0].lemmas[0]
    twice = left_inverses().lemmas[0]
    return proof(
        GROUPS,
        "x * e = x",
        ("twice", "<-", "0", {"x": "x"}),
        ("assoc", "->", "", {"x": "i(i(x))", "y": "e", "z": "e"}),
        ("unit", "->", "1", {"x": "e"}),
        ("twice", "->", "", {"x": "x"}),
        name="right unit",
        lemmas=(cancel, twice),
    )


def nasty() -> list[Proof]:
    """Proofs whose names no language takes as they are."""
    steps = (
        ("Eq", "<-", "1", {"x": "fun_1"}),
        ("Eq", "->", "1", {"x": "fun_1"}),
        ("theorem", "->", "", {"x": "fun_1"}),
    )
    lemma = proof(NASTY, "fun(fun_1,Type(fun_1)) = forall", *steps, name='λ "quoted" \n lemma')
    return [
        lemma,
        proof(
            NASTY,
            'M(U(at)) = "x\'"',
            ("z", "->", "", {"x": "at"}),
            ("fun", "->", "", {"at": "at"}),
            name="Definition.",
        ),
        proof(
            NASTY,
            "type(fun(y,Type(y))) = Type(forall)",
            (lemma.problem.name, "->", "0", {"fun_1": "y"}),
            ("Eq", "->", "", {"x": "forall"}),
            name="end",
            lemmas=(lemma,),
        ),
    ]


def trivial() -> list[Proof]:
    """Proofs without a step, of a statement without a symbol, and without a variable."""
    return [
        proof(BANDS, "x = x", name="nothing"),
        proof(BANDS, "x * y = x * y", name="the same"),
        proof(GROUPS, "e * e = e", ("unit", "->", "", {"x": "e"}), name="no variable"),
    ]
