"""Names for large terms that a proof repeats: what they stand for is what was there."""

from __future__ import annotations

import pytest

from proof_samples import GROUPS, existential, left_inverses, proof, theory_of, walk
from threesil.kernel.lemmas import chains
from threesil.kernel.proof import Proof
from threesil.kernel.terms import Term, app
from threesil.notations.writing.latex import write_latex
from threesil.notations.writing.lets import Lets, lets
from threesil.notations.writing.text import TermLine, format_proof, proof_lines


def unfolded(term: Term, names: Lets) -> Term:
    for name, value in reversed(names.named):
        term = term.fold(lambda t, args, n=name, v=value: v if t == app(n) else _again(t, args))
    return term


def _again(term: Term, args: tuple[Term, ...]) -> Term:
    return term if term.is_variable else Term(term.head, args)


def large() -> Proof:
    """e * (s * (s * s)) = s * (s * s), where s is large, and a step inside of it follows."""
    s = "(x * (y * (i(x) * (z * (i(y) * (w * (e * w)))))))"
    whole = f"{s} * ({s} * {s})"
    inside = whole.replace("(e * w)", "w", 1)
    return proof(
        GROUPS,
        f"e * ({whole}) = {inside}",
        ("unit", "->", "", {"x": whole}),
        ("unit", "->", "01" + "1" * 5, {"x": "w"}),
    )


def test_a_large_term_is_named_once() -> None:
    lines = [line.text for line in proof_lines(large()) if isinstance(line, TermLine)]
    named = "x * (y * (i(x) * (z * (i(y) * (w * (e * w))))))"
    assert lines == [
        f"let t = {named}",
        "e * (t * (t * t))",
        f"({named}) * (t * t)",
        "(x * (y * (i(x) * (z * (i(y) * (w * w)))))) * (t * t)",
    ]
    text = write_latex([large()])
    assert r"& \text{let } t = x" in text and r"\underline{e \cdot (t \cdot (t \cdot t))}" in text


@pytest.mark.parametrize("number", range(8))
def test_names_stand_for_what_was_there(number: int) -> None:
    for chain in chains([walk(60, number, largest=200)]):
        names, signature = lets(chain), chain.proof.theory.signature
        derivation = chain.proof.derivation
        for step, before in zip(derivation.steps, derivation.terms, strict=False):
            short = names.of(before, step.position)
            assert unfolded(short, names) == before
            assert unfolded(short.at(step.position), names) == before.at(step.position)
        known = {**signature.symbols}
        for name, value in names.definitions:
            assert {t.head for t in value.distinct() if not t.is_variable} <= known.keys()
            assert name not in known
            known[name] = 0


def test_small_terms_have_no_names() -> None:
    assert all("let t" not in format_proof(one) for one in [left_inverses(), *existential()])


def test_a_name_is_that_of_nothing_else() -> None:
    """Neither of a symbol nor of a variable."""
    theory = theory_of("named", {"*": 2, "t": 0}, idem="x * x = x")
    big = "t1 * (t * (x * (t1 * (t * (x * (t1 * t))))))"
    whole = f"({big}) * (({big}) * ({big}))"
    steps = ("idem", "->", "1", {"x": big}), ("idem", "->", "", {"x": big})
    (chain,) = chains([proof(theory, f"{whole} = {big}", *steps)])
    assert [name for name, _ in lets(chain).named] == ["t2"]
