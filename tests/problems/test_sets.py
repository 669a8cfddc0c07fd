"""Problem sets by name."""

from pathlib import Path

import pytest

from threesil.errors import InputError
from threesil.problems import DATA, open_set, set_sizes
from threesil.theories import AIM, POLYNOMIAL, ROBINSON


@pytest.mark.parametrize(("name", "theory"), [("aim-lemmas", None), ("lemmas", AIM)])
def test_lemmas_come_along(name: str, theory: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA, raising=False)
    lemmas = open_set(name, AIM if theory else None)
    assert lemmas.theory is AIM
    assert [problem.name for problem in lemmas.problems] == [e.name for e in AIM.lemmas]
    for problem in lemmas.problems:
        assert problem.name not in lemmas.theory_of(problem).by_name


def test_files_have_the_theory_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "problems.tsv"
    path.write_text("id1\tx * y = y * x\n")
    given = open_set(str(path), AIM)
    assert given.theory_of(given.problems[0]) is AIM
    with pytest.raises(InputError, match="which theory"):
        open_set(str(path))


@pytest.mark.parametrize("name", ["lemmas", "nothing", "robinson-lemmas"])
def test_unknown_sets_name_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="sets of robinson: train, dev, test"):
        open_set(name, ROBINSON)
    with pytest.raises(InputError, match="aim-lemmas"):
        open_set("nothing")


def test_sizes_without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DATA, raising=False)
    assert set_sizes(AIM) == {"train": None, "dev": None, "lemmas": 70}
    assert set_sizes(POLYNOMIAL) == {"train": None, "dev": None, "test": None}


@pytest.mark.data
def test_sizes(data: Path) -> None:
    del data
    assert set_sizes(AIM) == {"train": 2809, "dev": 312, "lemmas": 70}
    assert len(open_set("aim-dev").problems) == 312
