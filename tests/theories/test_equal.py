"""Theories that say the same under other names."""

from __future__ import annotations

from pathlib import Path
from random import Random

from samples import AIM, THEORIES, written
from threesil.formats.document import Document, theory_of
from threesil.formats.reading import parse
from threesil.formats.writing import write
from threesil.theories.equal import translated, translation
from threesil.theory import Equation, Goal, Theory


def renamed(theory: Theory, seed: int) -> Theory:
    """The theory with other names, its equations shuffled and some of them turned round."""
    random = Random(seed)
    symbols = list(theory.signature.symbols)
    names = {symbol: f"s{n}" for n, symbol in enumerate(random.sample(symbols, len(symbols)))}
    equations = [
        Equation(f"e{n}", *random.sample([translated(e.lhs, names), translated(e.rhs, names)], 2))
        for n, e in enumerate(random.sample(theory.equations, len(theory.equations)))
    ]
    arities = {names[symbol]: arity for symbol, arity in theory.signature.symbols.items()}
    return theory_of("other", "Other", arities, {}, equations)


def test_other_names() -> None:
    for theory in THEORIES:
        for seed in range(3):
            other = renamed(theory, seed)
            names = translation(other, theory)
            assert names is not None
            mine = {frozenset((translated(e.lhs, names).size, e.rhs.size)) for e in other.equations}
            assert mine
            assert translation(theory, other) is not None


def test_what_was_written_is_the_same_theory() -> None:
    back = parse(write(Document(AIM), "tptp")).theory
    names = translation(back, AIM)
    assert names is not None and names["mul"] == "*" and names["ld"] == "\\"
    assert AIM.goal is Goal.EQUATION


def test_different_theories(tmp_path: Path) -> None:
    left = written(tmp_path, "Constants e.", "Axiom a: e * x = x.")
    right = written(tmp_path, "Constants e.", "Axiom a: x * e = x.")
    more = written(tmp_path, "Constants e.", "Axiom a: e * x = x.", "Axiom b: x * e = x.")
    assert translation(left, left) == {"e": "e", "*": "*"}
    assert translation(left, right) is None
    assert translation(left, more) is None
    assert translation(more, left) is None


def test_symbols_that_look_alike(tmp_path: Path) -> None:
    """Two operations with the same laws, told apart only by a law about both."""
    laws = ["Axiom a: x + y = y + x.", "Axiom b: x * y = y * x.", "Axiom c: x * (x + y) = x."]
    one = written(tmp_path, *laws)
    swapped = [law.replace("+", "?").replace("*", "+").replace("?", "*") for law in laws]
    other = written(tmp_path, *swapped, name="other")
    assert translation(one, other) == {"*": "+", "+": "*"}
    both = written(tmp_path, *laws, "Axiom d: x + (x * y) = x.")
    assert translation(both, both) is not None
