"""Theories as values: the one before a lemma."""

import pytest

from threesil.engine import Episode
from threesil.errors import InputError
from threesil.kernel.theory import LEFT_TO_RIGHT, Equation, Move, Theory
from threesil.problems.files import parse_problem
from threesil.theories import get_theory
from threesil.theories.aim import AIM
from threesil.theories.robinson import ROBINSON


def test_the_lemmas_are_the_known_equations() -> None:
    assert len(AIM.lemmas) == 70
    assert AIM.lemmas[0].name == "id1"
    assert ROBINSON.lemmas == ()


@pytest.mark.parametrize("index", [0, 1, 35, 69])
def test_before_a_lemma(index: int) -> None:
    lemma = AIM.lemmas[index]
    theory = AIM.before(lemma.name)
    assert theory.name == f"aim:{lemma.name}"
    assert theory.equations == AIM.equations[: 17 + index]
    assert theory.actions == AIM.actions[: 3 + 2 * (17 + index)]
    assert lemma.name not in theory.by_name
    assert theory.digest != AIM.digest


def test_alternatives_of_an_action_go_one_by_one() -> None:
    polynomial = get_theory("polynomial")
    theory = polynomial.without({"add-comm"}, "less")
    assert len(theory.actions) == len(polynomial.actions)
    assert ("add-comm", LEFT_TO_RIGHT) not in theory.rewrites()
    assert ("mul-comm", LEFT_TO_RIGHT) in theory.rewrites()


def test_nothing_but_moves_may_be_left() -> None:
    known = Equation("k", AIM.equations[0].lhs, AIM.equations[0].rhs, "known")
    whole = Theory("one", "", AIM.signature, (known,), (Move(0),), AIM.goal)
    theory = whole.before("k")
    assert theory.equations == ()
    assert Episode(theory, parse_problem("x * y = y * x", theory)).legal() == [0]


def test_by_name() -> None:
    assert get_theory("aim:id3").digest == AIM.before("id3").digest
    with pytest.raises(ValueError, match="no lemma lid"):
        AIM.before("lid")
    for name in ("aim:lid", "aim:", "robinson:x"):
        with pytest.raises(InputError, match="has no lemma"):
            get_theory(name)
    with pytest.raises(InputError, match="unknown theory 'nothing:id3'"):
        get_theory("nothing:id3")
