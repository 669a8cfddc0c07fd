"""Proofs for papers."""

from __future__ import annotations

import re

from proof_samples import existential, left_inverses, parsed, varied
from threesil.kernel.proof import Derivation, certify
from threesil.kernel.theory import Problem
from threesil.notations.writing.latex import write_latex
from threesil.theories.polynomial import POLYNOMIAL


def body(text: str) -> str:
    return text[text.index("\\section*") : text.index("\\end{document}")]


def test_the_whole_text() -> None:
    assert body(write_latex([existential()[-1]])).splitlines() == [
        r"\section*{bands}",
        r"\begin{align*}",
        r"& x \cdot x = x && \mathrm{idem}",
        r"\end{align*}",
        r"\paragraph{Theorem band.} For all $y$ there exist $x$ with $x \cdot y = y$.",
        r"Take $x = y$.",
        r"\begin{align*}",
        r"& \underline{y \cdot y} \\",
        r"&= y && \text{by } \mathrm{idem}",
        r"\end{align*}",
    ]


def test_what_a_step_replaces_is_underlined() -> None:
    text = write_latex([left_inverses()])
    line = r"&= \underline{(i(x) \cdot x)} \cdot y && \text{by } \mathrm{assoc}\;(\leftarrow) \\"
    assert line in text.splitlines()
    assert text.count(r"\paragraph{Lemma ") == 2


def test_names_and_numbers() -> None:
    start = parsed(POLYNOMIAL, "x1 + 12")
    chain = Derivation(start)
    made = certify(POLYNOMIAL, Problem("50% of #1_\\input{x}", start, start), chain)
    text = body(write_latex([made]))
    assert "x_{1} + 12" in text
    assert r"""Theorem "50\% of \#1\_\textbackslash{}\textbackslash{}input\{x\}".""" in text


def test_the_marks_of_latex_are_balanced() -> None:
    text = write_latex(varied())
    plain = re.sub(r"\\[\\{}#$%&_]", "", text)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}")
    depth = 0
    for mark in re.findall("[{}]", plain):
        depth += 1 if mark == "{" else -1
        assert depth >= 0
