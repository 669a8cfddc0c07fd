"""Terms drawn as trees."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

from threesil.envs import TheoryEnv, TheoryVectorEnv
from threesil.envs.picture import layout, parents
from threesil.errors import MissingTool
from threesil.notations.infix import parse_term
from threesil.notations.writing.tree import draw_tree
from threesil.notations.writing.view import draw
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


@pytest.mark.parametrize("theory", ["aim", "quandles", "robinson"])
def test_pictures(theory: str) -> None:
    env = TheoryEnv(theory, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert (first.shape, first.dtype) == ((450, 600, 3), np.uint8)
    assert not np.array_equal(first, np.full_like(first, 255))
    env.step(int(env.action_masks().argmax()))
    assert not np.array_equal(env.render(), first)
    envs = TheoryVectorEnv(theory, 2, render_mode="rgb_array")
    envs.reset(seed=1)
    frames = envs.render()
    assert frames is not None
    assert np.array_equal(frames[0], first)


def test_names_are_no_formulas(tmp_path: Path) -> None:
    """Dollar signs make formulas elsewhere in matplotlib."""
    file = tmp_path / "money.p"
    file.write_text("cnf(a, axiom, '$_{x$'(X, '$^$') = X).")
    env = TheoryEnv(file, render_mode="rgb_array")
    env.reset(options={"problem": '"$_{x$"(x, "$_{x$"(y, "$^$")) = "$_{x$"(x, y)'})
    assert env.render() is not None


def test_layout() -> None:
    drawing = draw(TERM, SIGNATURE, [(0,)])
    assert drawing is not None
    x, y = layout(drawing)
    above = parents(drawing.arities)
    places = list(drawing.positions)
    for node, parent in enumerate(above):
        assert parent == (places.index(places[node][:-1]) if places[node] else -1)
        assert y[node] == -len(places[node])
    assert len(set(zip(x, y, strict=True))) == len(x)  # no two in one place
    inner = [n for n, arity in enumerate(drawing.arities) if arity]
    for node in inner:
        below = [x[n] for n, parent in enumerate(above) if parent == node]
        assert min(below) <= x[node] <= max(below)


def test_too_large_for_a_picture() -> None:
    env = TheoryEnv("groups", render_mode="rgb_array", max_tokens=600)
    env.reset(options={"problem": " * ".join(["x"] * 200) + " = x"})
    assert isinstance(env.render(), np.ndarray)


def test_people_without_a_screen_get_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("agg", None):
        with monkeypatch.context() as patch:
            if module is None:
                patch.setitem(sys.modules, "matplotlib", None)
            else:
                patch.setattr(pyplot, "get_backend", lambda: "agg")
            env = TheoryEnv("robinson", render_mode="human")
            env.reset(options={"problem": "1 + 0"})
            env.step(0)
            assert env.render() is None
            out = capsys.readouterr().out
            assert out.startswith("1 + 0    step 0\n+  ◀\n├─ 1\n└─ 0\n")
            assert out.endswith("1 + 0    step 1: solved\n1  ◀\n\n")


def test_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[float] = []
    monkeypatch.setattr(pyplot, "get_backend", lambda: "an interactive one")
    monkeypatch.setattr(pyplot, "pause", paused.append)
    pyplot.switch_backend("agg")
    env = TheoryEnv("robinson", render_mode="human")
    env.reset(options={"problem": "1 + 1"})
    env.step(1)
    (number,) = pyplot.get_fignums()
    (text,) = (t.get_text() for t in pyplot.figure(number).texts)
    assert text == "1 + 1    step 1"
    assert copy.deepcopy(env).get_state() == env.get_state()
    env.close()
    assert pyplot.get_fignums() == []
    assert paused == [0.25, 0.25]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    env = TheoryEnv("robinson", render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(MissingTool, match=r"threesil\[plots\]"):
        env.render()


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
