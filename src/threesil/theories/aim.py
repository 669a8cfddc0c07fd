"""The AIM theory: loops whose inner mappings commute (paper, section 3, appendix 3).

Loop axioms, the definitions of the associator, the commutator and the inner mappings, the axioms
that make the inner mappings commute, and 70 known consequences. Actions 0 to 2 move the cursor;
equation k is action 2k + 3 from left to right and 2k + 4 from right to left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import product

from threesil.kernel.theory import Goal, Problem, Signature
from threesil.notations.infix import parse_equation
from threesil.theories.benchmark import Benchmark, Row
from threesil.theories.table import theory_from_table

_AXIOMS = [
    ("lid", "e * x = x"),
    ("rid", "x * e = x"),
    ("b1", r"x \ (x * y) = y"),
    ("b2", r"x * (x \ y) = y"),
    ("s1", "(x * y) / y = x"),
    ("s2", "(x / y) * y = x"),
]
_DEFINITIONS = [
    ("a", r"a(x,y,z) = (x * (y * z)) \ ((x * y) * z)"),
    ("K", r"K(x,y) = (y * x) \ (x * y)"),
    ("T", r"T(u,x) = x \ (u * x)"),
    ("L", r"L(u,x,y) = (y * x) \ (y * (x * u))"),
    ("R", "R(u,x,y) = ((u * x) * y) / (x * y)"),
]
_INNER_MAPPING_AXIOMS = [
    ("TT", "T(T(u,x),y) = T(T(u,y),x)"),
    ("TL", "T(L(u,x,y),z) = L(T(u,z),x,y)"),
    ("TR", "T(R(u,x,y),z) = R(T(u,z),x,y)"),
    ("LR", "L(R(u,x,y),z,w) = R(L(u,z,w),x,y)"),
    ("LL", "L(L(u,x,y),z,w) = L(L(u,z,w),x,y)"),
    ("RR", "R(R(u,x,y),z,w) = R(R(u,z,w),x,y)"),
]
_KNOWN = [
    ("id1", r"y / (x \ y) = x"),
    ("id2", r"(y / x) \ y = x"),
    ("id3", r"e \ x = x"),
    ("id4", "x / e = x"),
    ("id5", r"x \ x = e"),
    ("id6", "x / x = e"),
    ("prop_034cf5c5", "x * T(y,x) = y * x"),
    ("prop_66f8dd43", r"T(x / y,y) = y \ x"),
    ("prop_81894ca4", "(x * T(y,x)) / x = y"),
    ("prop_da4738e2", r"T(x,x \ y) = (x \ y) \ y"),
    ("prop_4a90a23f", "x * T(T(y,x),z) = T(y,z) * x"),
    ("prop_73fa4877", r"T(T(x / y,z),y) = T(y \ x,z)"),
    ("prop_d10a3b1a", "(x * y) * L(z,y,x) = x * (y * z)"),
    ("prop_293cbc16", r"L(x \ y,x,z) = (z * x) \ (z * y)"),
    ("prop_55464ec9", "R(x,y,z) * (y * z) = (x * y) * z"),
    ("prop_61fb8127", "R(x / y,y,z) = (x * z) / (y * z)"),
    ("prop_ddd1c86f", r"x * ((x \ e) * y) = L(y,x \ e,x)"),
    ("prop_0d7e7151", r"(x \ e) * y = x \ L(y,x \ e,x)"),
    ("prop_1aae4a83", "x * L(T(y,x),z,w) = L(y,z,w) * x"),
    ("prop_1db0183a", "x * R(T(y,x),z,w) = R(y,z,w) * x"),
    ("prop_a4abb1e0", r"T(R(x / y,z,w),y) = R(y \ x,z,w)"),
    ("prop_55842885", r"T(x / y,z) * y = y * T(y \ x,z)"),
    ("prop_1a725917", r"(x * y) \ (x * (z * y)) = L(T(z,y),y,x)"),
    ("prop_c626af2d", "T(x,x * y) = L(T(x,y),y,x)"),
    ("prop_526a359c", r"T((x * y) / (z * y),z) = R(z \ x,z,y)"),
    ("prop_deeac89a", "T(R(x,y,z),w) * (y * z) = (T(x,w) * y) * z"),
    ("prop_575d1ed9", r"R(x,x \ e,y) = y / ((x \ e) * y)"),
    ("prop_f338e359", "(e / x) * (x * y) = L(y,x,e / x)"),
    ("prop_5a914e30", r"R(x,y,y \ e) = (x * y) * (y \ e)"),
    ("prop_cc8a9ae6", "R(x,e / y,y) = (x * (e / y)) * y"),
    ("prop_c2aa8580", r"L(x \ (y \ z),x,y) = (y * x) \ z"),
    ("prop_b3890d2c", r"R(x / y,y,y \ e) = x * (y \ e)"),
    ("prop_f14899ed", r"T(L(x / y,z,w),y) = L(y \ x,z,w)"),
    ("prop_f2b7d0ab", r"L(x \ T(y,z),x,z) = (z * x) \ (y * z)"),
    ("prop_be6cad0a", "R((x / y) / z,z,y) = x / (z * y)"),
    ("prop_1e558562", r"L((x \ y) / z,z,x) = (z * ((x * z) \ y)) / z"),
    ("prop_e9eef609", r"K(x \ e,x) = (x \ e) * x"),
    ("prop_9ee87fb5", "K(x,e / x) = x * (e / x)"),
    ("prop_da958b3f", r"L(x \ e,x,y) = (y * x) \ y"),
    ("prop_c3fa51e8", "R(e / x,x,y) = y / (x * y)"),
    ("prop_ba6418d1", r"R(e / x,x,y) \ y = x * y"),
    ("prop_d7dd57dd", r"(x * y) \ ((z * x) * y) = R(T(z,x * y),x,y)"),
    ("prop_e1aa92db", "(x * y) * K(y,x) = y * x"),
    ("prop_19fcac9b2", r"R(x / y,z,w) * y = y * R(y \ x,z,w)"),
    ("prop_3d75df700", r"(x * y) * R((x * y) \ y,z,w) = (x * R(x \ e,z,w)) * y"),
    ("prop_acafcc6f0", r"L(R(x \ (y \ z),w,u),x,y) = R((y * x) \ z,w,u)"),
    ("prop_203fc9151", r"x * (y * R(y \ (x \ y),z,w)) = (x * R(x \ e,z,w)) * y"),
    ("prop_2e844a2a9", r"(x * y) * R((x * y) \ z,w,u) = x * (y * R(y \ (x \ z),w,u))"),
    ("prop_d9f457e09", r"(x \ y) * R((x \ y) \ y,z,w) = R(x,z,w) * (x \ y)"),
    ("prop_ce2987245", r"x \ R(x,y,z) = R(x,y,z) * (x \ e)"),
    ("prop_b7fe5fbfb", r"K(x \ e,x) = (e / x) \ (x \ e)"),
    ("prov9_7c96e347d4", "R(T(e / x,z),x,y) = T(y / (x * y),z)"),
    ("prov9_3e047dc57d", r"R(x,x \ e,y) \ y = (x \ e) * y"),
    ("prov9_ee78192c46", "R(x,y,x) * (y * x) = (y * x) * T(x,y)"),
    ("prov9_062c221162", "T(x,y) = R(T(x,y * x),y,x)"),
    ("prov9_d18167fcf7", r"x * (T(x,y) \ e) = T(x,y) \ x"),
    ("prov9_6385279d78", r"(x \ y) / (y / x) = (e / (y / x)) * (x \ y)"),
    ("prov9_b192646899", r"x * T(x \ e,y) = K(y \ (y / x),y)"),
    ("prov9_2e3bc568bd_alt1", r"K(x \ (x / (e / y)),x) * y = T(y,x)"),
    ("prov9_1ffb5e2572", r"L(T(x \ e,z),x,y) = T((y * x) \ y,z)"),
    ("prov9_7fed2c3e64", r"(x * y) * T((x * y) \ x,z) = x * (y * T(y \ e,z))"),
    ("prov9_47e1e09ded", r"(x * y) * T((x * y) \ y,z) = (x * T(x \ e,z)) * y"),
    ("prov9_a06014c62d_com", r"x * (x * T(x \ e,y)) = (x * T(x \ e,y)) * x"),
    ("prov9_a06014c62d", r"T(x,x * T(x \ e,y)) = x"),
    ("prov9_49726cdcf0", r"T(x,(x \ e) * x) = x"),
    ("prov9_a69214de59", r"R(x,x \ e,x) = T(x,x \ e)"),
    ("prov9_3a3c9a39ee", r"T(x,x \ e) \ e = T(x \ e,x)"),
    ("prov9_1cecad55d3", r"T(x,e / x) = (x \ e) \ e"),
    ("prov9_13e5c8ed0a", r"T(e / (e / x),x \ e) = x"),
    ("prov9_183b179b43", r"K(x,x \ e) * x = T(x,x \ e)"),
]

_EQUATIONS = [*_AXIOMS, *_DEFINITIONS, *_INNER_MAPPING_AXIOMS, *_KNOWN]

_DEV = 312
_FILES = ("aim/problems.tsv",)
_VARIABLE = re.compile(r"\b(?!e\b)[a-z]\b(?!\()")


def _by_hash(rows: Sequence[Row]) -> Sequence[Row]:
    """In the order of the hashes of their names."""
    return sorted(rows, key=lambda row: sha256(row.columns[0].encode()).hexdigest())


def _split(rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """(train, dev). What says the same as a dev theorem, or as one before it, is not trained on."""
    rows = _by_hash(rows)
    dev, others = rows[:_DEV], rows[_DEV:]
    seen = {_meaning(row) for row in dev}
    train = []
    for row in others:
        if (meaning := _meaning(row)) not in seen:
            seen.add(meaning)
            train.append(row)
    return train, dev


def _meaning(row: Row) -> str:
    """The same for equations that are equal up to names of variables and to swapping sides."""
    sides = [side.strip() for side in row.columns[1].split("=")]
    return min(map(_renamed, (" = ".join(sides), " = ".join(reversed(sides)))))


def _renamed(text: str) -> str:
    names: dict[str, str] = {}
    return _VARIABLE.sub(lambda found: names.setdefault(found[0], f"v{len(names)}"), text)


AIM = theory_from_table(
    "aim",
    Signature(
        {"e": 0, "*": 2, "\\": 2, "/": 2, "a": 3, "K": 2, "T": 2, "L": 3, "R": 3},
        infix={"*": 1, "\\": 1, "/": 1},
    ),
    [(name, text, 2 * k + 3, 2 * k + 4) for k, (name, text) in enumerate(_EQUATIONS)],
    moves={0: 0, 1: 1, 2: 2},
    kinds={
        **{name: "definition" for name, _ in _DEFINITIONS},
        **{name: "known" for name, _ in _KNOWN},
    },
    title="Loops whose inner mappings commute: prove an equation",
    goal=Goal.EQUATION,
    no_repeats=True,
    step_limit=30,
)

# The AIM conjecture: an AIM loop is an abelian group modulo its nucleus, a group modulo its center.
_CONJECTURE = {
    "Ka": "K(a(x,y,z),u)",
    "aK1": "a(K(x,y),z,u)",
    "aK2": "a(x,K(y,z),u)",
    "aK3": "a(x,y,K(z,u))",
    "aa1": "a(a(x,y,z),u,w)",
    "aa2": "a(x,a(y,z,u),w)",
    "aa3": "a(x,y,a(z,u,w))",
}
_PUT_INTO = {"K": "K({},{})", "a1": "a({},{},{})", "a2": "a({1},{0},{2})", "a3": "a({1},{2},{0})"}


def _open() -> Iterator[Problem]:
    """The conjecture, and the weaker question whether AIM loops have nilpotency class 3.

    That asks whether three K or a, each with the one before as an argument, always give e. There
    are 32 ways; the eight with K more than once have been proved by Prover9 (R. Veroff, AIM
    Project, February 2022), the 24 here follow from an argument of people's.
    """
    names = {f"conjecture_{name}": term for name, term in _CONJECTURE.items()}
    for outer, middle, inner in product(_PUT_INTO, _PUT_INTO, ("K", "a1")):
        if [outer, middle, inner].count("K") <= 1:
            term, variables = "x", iter(("y", "z", "u", "v", "w", "s"))
            for form in (inner, middle, outer):
                count = _PUT_INTO[form].count("{")
                term = _PUT_INTO[form].format(term, *(next(variables) for _ in range(count - 1)))
            names[f"class3_{outer}_{middle}_{inner}"] = term
    for name, term in names.items():
        yield Problem(name, *parse_equation(f"{term} = e", AIM.signature))


BENCHMARK = Benchmark(
    env_id="AIM-v0",
    open=tuple(_open()),
    sets={"train": _FILES, "dev": _FILES, "test": ("aim/test.tsv",)},
    splits={
        "train": lambda rows: _split(rows)[0],
        "dev": lambda rows: _split(rows)[1],
        "test": lambda rows: rows,
    },
)
