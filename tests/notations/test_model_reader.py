"""Models in the notations of others: read back, and believed only as far as the kernel goes."""

from __future__ import annotations

import pytest

from model_samples import large, model, some, theory, two
from threesil.errors import InputError
from threesil.kernel.countermodel import NotAModel
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.reading.models import StoredTables, read_models
from threesil.proofs.export import export_certificates


@pytest.mark.parametrize("form", ["mace4", "tstp"])
def test_what_is_written_is_read(form: str) -> None:
    models = [*some(), *large()]
    read = read_models(export_certificates(models, form), "file")
    assert len(read) == len(models)
    for stored, written in zip(read, models, strict=True):
        again = stored.checked(written.theory, written.problem, written.values)
        assert again.tables == written.tables


def test_names_that_get_in_each_others_way() -> None:
    """Here * is called mul, and mul something else."""
    odd = model("Axiom one: mul(x * y, s_mul) = y * x.\n", "x * y = y * x")
    for form in ("mace4", "tstp"):
        (stored,) = read_models(export_certificates([odd], form), "file")
        assert stored.tables(odd.theory) == odd.tables


def test_definitions_are_computed() -> None:
    defined = theory("Axiom a: x * y = y * x.\nDefinition d: s(x) := x * x.\n")
    text = "interpretation( 2, [number=1], [ function(*(_,_), [1,0,0,1]) ])."
    (stored,) = stored_certificates(text, "file")
    assert isinstance(stored, StoredTables)
    assert stored.checked(defined).tables.of["s"] == (1, 1)
    (stored,) = read_models(text.replace("1,0,0,1", "1,0"), "file")
    with pytest.raises(NotAModel, match="too few values"):
        stored.checked(defined)


TSTP = export_certificates([two()], "tstp")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interpretation( many, [], []).", "expected interpretation"),
        ("interpretation( 2, [number=1], [ function(f(_), [0,x]) ]).", r"expected function"),
        ("interpretation( 2, [number=1], [ function(f(_), [0,1])", r"\]\)\. at the end"),
        (TSTP.replace('e = "0"', 'e = "7"'), '"7" is no element'),
        (TSTP.replace('i("1") = "1"', 'i("0") = "1"'), "contradicts an earlier value"),
        (TSTP.replace('  & i("1") = "1"\n', ""), r"the table of i\(_\) needs 2\^1 values"),
        (TSTP.replace('i("1") = "1"', "p(X)"), "expected f"),
        (TSTP.replace("fi_domain, ! [X] : (", "fi_domain, ! [X] : ( p |"), "expected f"),
    ],
)
def test_what_is_no_model_is_said(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        stored_certificates(text, "file")
