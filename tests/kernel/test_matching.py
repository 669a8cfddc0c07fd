"""Correspondences: theories are recognized under other names, and only then."""

import copy
import pickle
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disguise import disguised, renamed, theory_of, with_commutativity
from samples import THEORIES
from strategies import terms
from threesil.kernel import matching
from threesil.kernel.matching import Correspondence, find_correspondence
from threesil.kernel.naming import equation_key
from threesil.kernel.terms import Term, app, var
from threesil.kernel.theory import Equation, Theory
from threesil.notations.reading import parse
from threesil.theories import all_theories
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON

SYMBOLS = {"f": 2, "g": 1, "a": 0, "b": 0}
X, Y, Z = var("x"), var("y"), var("z")
GROUPS = theory_of(
    [
        Equation("unit", app("*", app("e"), X), X),
        Equation("inverse", app("*", app("i", X), X), app("e")),
        Equation("assoc", app("*", app("*", X, Y), Z), app("*", X, app("*", Y, Z))),
    ],
    {"e": 0, "i": 1, "*": 2},
    "groups",
)


def says_the_same(by: Correspondence) -> None:
    """Each counterpart is the equation itself, in the other theory's words."""
    for name, other in by.equations.items():
        mine, theirs = by.part.by_name[name], by.whole.by_name[other.name]
        sides = [renamed(side, by.symbols, other.renaming) for side in (mine.lhs, mine.rhs)]
        assert sides[:: -1 if other.swapped else 1] == [theirs.lhs, theirs.rhs]
        assert set(other.renaming.values()) == set(theirs.variables)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.name)
def test_a_theory_is_recognized_under_other_names(theory: Theory, seed: int) -> None:
    other, _ = disguised(theory, seed)
    for by in (find_correspondence(theory, other), find_correspondence(other, theory)):
        assert by is not None
        assert by.exact
        assert len(by.equations) == len(theory.equations)
        says_the_same(by)
        says_the_same(by.inverse)


def test_one_more_equation_is_containment() -> None:
    other, symbols = disguised(AIM, 1)
    more = with_commutativity(other, symbols["*"], c=0)
    by = find_correspondence(AIM, more)
    assert by is not None
    assert by.total and not by.exact and not by.inverse.total
    assert by.symbols == symbols
    says_the_same(by)
    assert find_correspondence(more, AIM) is None


def test_a_part_is_contained() -> None:
    part, symbols = disguised(AIM.before("id1"), 2)
    by = find_correspondence(part, AIM)
    assert by is not None
    assert {image: symbol for symbol, image in by.symbols.items()} == symbols
    assert by.inverse.equations.keys() == AIM.before("id1").by_name.keys()
    says_the_same(by.inverse)


def test_other_theories_do_not_correspond() -> None:
    for one, other in permutations((AIM, GROUPS, ROBINSON, POLYNOMIAL), 2):
        by = find_correspondence(one, other)
        assert (by is not None) == (one is ROBINSON and other is POLYNOMIAL)


def flipped(term: Term, random: Random) -> Term:
    """With the arguments of a node in another order, if one has different arguments."""
    places = [(p, t) for p, t in term.positions() if len(set(t.args)) > 1]
    if not places:
        return term
    position, node = random.choice(places)
    return term.replace(position, Term(node.head, (*node.args[1:], node.args[0])))


def test_a_changed_equation_is_noticed() -> None:
    random = Random(3)
    changed = 0
    for number, old in enumerate(AIM.equations):
        new = Equation(old.name, flipped(old.lhs, random), flipped(old.rhs, random), old.kind)
        if equation_key(new.lhs, new.rhs) in {equation_key(e.lhs, e.rhs) for e in AIM.equations}:
            continue
        equations = (*AIM.equations[:number], new, *AIM.equations[number + 1 :])
        other, _ = disguised(theory_of(equations, AIM.signature.symbols), number)
        assert find_correspondence(AIM, other) is None
        assert find_correspondence(other, AIM) is None
        changed += 1
    assert changed > 60


@given(st.lists(st.tuples(*[terms(SYMBOLS, "xyz", 6)] * 2), max_size=6), st.integers(0, 99))
def test_random_theories_are_recognized(sides: list[tuple[Term, Term]], seed: int) -> None:
    theory = theory_of([Equation(f"e{k}", *pair) for k, pair in enumerate(sides)], SYMBOLS)
    other, _ = disguised(theory, seed)
    by = find_correspondence(theory, other)
    assert by is not None and by.exact
    says_the_same(by)
    if sides:
        less = theory_of(theory.equations[1:], SYMBOLS)
        contained = find_correspondence(less, other)
        assert contained is not None and contained.total
        says_the_same(contained)


def test_the_same_equation_may_stand_there_twice() -> None:
    again = Equation("again", var("u"), app("*", app("e"), var("u")))
    twice = theory_of([*GROUPS.equations, again], GROUPS.signature.symbols)
    for by in (find_correspondence(twice, GROUPS), find_correspondence(GROUPS, twice)):
        assert by is not None and by.exact
        says_the_same(by)


def test_symbols_that_no_equation_mentions_are_left_out() -> None:
    goals = theory_of(GROUPS.equations, {**GROUPS.signature.symbols, "c": 0, "h": 3})
    for by in (find_correspondence(goals, GROUPS), find_correspondence(GROUPS, goals)):
        assert by is not None and by.exact
        assert set(by.symbols) == set(GROUPS.signature.symbols)


def constants(*equations: tuple[str, ...], symbols: str = "fg") -> Theory:
    """f(c, d) = c for each word (f, c, d)."""
    listed = [
        Equation(f"e{k}", app(head, *map(app, args)), app(args[0]))
        for k, (head, *args) in enumerate(equations)
    ]
    names = {arg: 0 for _, *args in equations for arg in args}
    return theory_of(listed, {**names, **{s: len(equations[0]) - 1 for s in symbols}})


def test_different_symbols_stay_different() -> None:
    """Both constants of the one could only go to the single one of the other."""
    two = constants(("f", "a"), ("f", "b"), ("g", "a"))
    one = constants(("f", "a"), ("g", "a"), ("g", "b"), ("g", "c"))
    assert find_correspondence(two, one) is not None  # f to g
    assert find_correspondence(one, two) is None
    assert find_correspondence(constants(("f", "a"), ("g", "b")), constants(("f", "a"))) is None


def graph(edges: list[tuple[int, int]]) -> Theory:
    return constants(*[("f", f"c{i}", f"c{j}") for i, j in edges], symbols="f")


def test_theories_that_look_alike_everywhere() -> None:
    """Two graphs in which all vertices, and all pairs of them, look the same."""
    cells = list(product(range(4), repeat=2))
    numbers = {cell: number for number, cell in enumerate(cells)}
    steps = [(0, 1), (1, 0), (1, 1), (0, 3), (3, 0), (3, 3)]
    shrikhande = [
        (numbers[x, y], numbers[(x + dx) % 4, (y + dy) % 4]) for x, y in cells for dx, dy in steps
    ]
    rook = [
        (numbers[p], numbers[q])
        for p in cells
        for q in cells
        if p != q and (p[0] == q[0] or p[1] == q[1])
    ]
    assert len(rook) == len(shrikhande) == 96
    assert find_correspondence(graph(rook), graph(shrikhande)) is None
    for edges in (rook, shrikhande):
        by = find_correspondence(graph(edges), disguised(graph(edges), 4)[0])
        assert by is not None and by.exact


def interchangeable(left_out: int) -> Theory:
    """12 constants and 10 products; each constant is a unit of each product, but for some."""
    units = [
        Equation(f"u{c}_{p}", app(f"p{p}", app(f"c{c}"), X), X)
        for c, p in product(range(12), range(10))
    ]
    laws = [Equation(f"c{p}", app(f"p{p}", X, Y), app(f"p{p}", Y, X)) for p in range(10)]
    symbols = {f"c{c}": 0 for c in range(12)} | {f"p{p}": 2 for p in range(10)}
    return theory_of([*units[left_out:], *laws], symbols)


def test_interchangeable_symbols_do_not_take_forever() -> None:
    for left_out in (0, 1, 7):
        theory = interchangeable(left_out)
        by = find_correspondence(theory, disguised(theory, 5)[0])
        assert by is not None and by.exact
    assert find_correspondence(interchangeable(0), disguised(interchangeable(1), 6)[0]) is None
    clique = [(i, j) for i in range(12) for j in range(12) if i != j]
    parts = [(i, j) for i in range(44) for j in range(44) if i % 11 != j % 11]
    assert find_correspondence(graph(clique), graph(parts)) is None
    chain = [(i, i + 1) for i in range(3000)]
    find_correspondence(graph(chain), graph(chain[1:]))


def test_what_is_no_correspondence_is_refused() -> None:
    with pytest.raises(ValueError, match="can't correspond"):
        Correspondence(GROUPS, AIM, {"i": "e"})
    with pytest.raises(ValueError, match="can't correspond"):
        Correspondence(GROUPS, AIM, {"e": "nothing"})
    with pytest.raises(ValueError, match="the same one"):
        Correspondence(AIM, GROUPS, {"*": "*", "/": "*"})
    partial = Correspondence(GROUPS, AIM, {"*": "*", "e": "e"})
    assert list(partial.equations) == ["unit"]
    assert not partial.total


def test_values_can_be_copied_but_not_changed() -> None:
    by = find_correspondence(AIM, disguised(AIM, 7)[0])
    assert by is not None
    for other in (copy.deepcopy(by), pickle.loads(pickle.dumps(by))):
        assert (other.symbols, other.equations) == (by.symbols, by.equations)
    with pytest.raises(AttributeError):
        by.symbols = {}  # type: ignore[misc]
    with pytest.raises(TypeError):
        by.symbols["e"] = "*"  # type: ignore[index]


def test_a_theory_is_read_once_however_often_it_is_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large one is compared with all bundled theories before a search begins."""
    read, readings = [], matching._readings
    monkeypatch.setattr(matching, "_readings", lambda e: read.append(e) or readings(e))
    large = parse("".join(f"Axiom a{k}: f(x,g(y)) = f(y,x).\n" for k in range(50))).theory
    for other in all_theories():
        find_correspondence(other, large)
        find_correspondence(large, other)
    assert sum(equation in large.equations for equation in read) == 50
