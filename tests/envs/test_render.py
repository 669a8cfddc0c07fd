"""Terms drawn as trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threesil.envs import TheoryEnv, TheoryVectorEnv
from threesil.formats.infix import parse_term
from threesil.formats.tree import draw_tree
from threesil.theories import get_theory

SIGNATURE = get_theory("robinson").signature
TERM = parse_term("2 * S(3 + 0) + 3 * (1 + 1)", SIGNATURE)


def test_render_of_an_episode() -> None:
    env = TheoryEnv("robinson", render_mode="ansi")
    env.reset(options={"problem": "2 * (S(1 * 1) + 0)"})
    env.step(8)
    assert env.render() == "\n".join(
        [
            "*",
            "├─ 2",
            "└─ +  ◀",
            "   ├─ S",
            "   │  └─ *",
            "   │     ├─ 1",
            "   │     └─ 1",
            "   └─ 0",
        ]
    )


def test_render_of_an_equation_and_of_a_vector() -> None:
    envs = TheoryVectorEnv("aim", 2, render_mode="ansi")
    envs.reset(options={"problem": "T(x,y) = e"})
    assert envs.render() == ("=  ◀\n├─ T\n│  ├─ x\n│  └─ y\n└─ e",) * 2
    assert TheoryVectorEnv("aim", 2).render() is None


def test_a_numeral_opens_where_the_cursor_enters_it() -> None:
    numeral = parse_term("3", SIGNATURE)
    assert draw_tree(numeral, SIGNATURE) == "3"
    assert draw_tree(numeral, SIGNATURE, ()) == "3  ◀"
    assert draw_tree(numeral, SIGNATURE, (0, 0)) == "S\n└─ S\n   └─ 1  ◀"


@given(st.sampled_from(list(TERM.positions())), st.integers(4, 20))
def test_cut_drawings(place: tuple[tuple[int, ...], object], max_lines: int) -> None:
    whole = draw_tree(TERM, SIGNATURE, place[0], 1000).splitlines()
    lines = draw_tree(TERM, SIGNATURE, place[0], max_lines).splitlines()
    kept = [line for line in lines if not line.startswith("…")]
    left_out = [int(line.split()[1]) for line in lines if line.startswith("…")]
    assert len(lines) <= max_lines
    assert lines[0] == whole[0]
    assert sum("◀" in line for line in kept) == 1
    assert len(kept) + sum(left_out) == len(whole)
    rest = iter(whole)
    assert all(line in rest for line in kept)  # in the same order


def test_deep_terms_and_bad_arguments() -> None:
    deep = parse_term("100000", SIGNATURE)
    drawn = draw_tree(deep, SIGNATURE, (0,) * 50, max_lines=6)
    assert drawn.splitlines()[0] == "S"
    assert drawn.endswith("99950  ◀")
    with pytest.raises(ValueError, match="max_lines"):
        draw_tree(deep, SIGNATURE, max_lines=3)
    with pytest.raises(IndexError):
        draw_tree(deep, SIGNATURE, (1,))
