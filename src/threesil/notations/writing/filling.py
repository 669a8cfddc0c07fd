"""Filling in the proofs that a Lean file lacks, in its own words; the rest of it stays as it is.

A proof takes the place of `sorry`. What is refuted keeps its `sorry` and gets a comment with the
model, which is replaced when the file is filled again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from threesil.kernel.lemmas import chains
from threesil.kernel.outcome import Outcome
from threesil.kernel.proof import Proof
from threesil.notations.reading.lean import LeanFile
from threesil.notations.reading.lean_statements import Gap
from threesil.notations.reading.lean_tokens import NAME
from threesil.notations.renaming import Identifiers
from threesil.notations.system_json import refuted
from threesil.notations.writing.calc import Calc, Cited
from threesil.notations.writing.lean import RESERVED
from threesil.notations.writing.parts import arguments, occurring
from threesil.notations.writing.text import format_model

_HEAD = "/- Refuted by threesil: "
_OLD = re.compile(rf"\s*{re.escape(_HEAD)}(?:(?!-/).)*-/", re.DOTALL)
_Edit = tuple[int, int, str]


def filled(file: LeanFile, outcomes: Iterable[Outcome]) -> str:
    """The text of the file with what came of its goals, in their order."""
    edits: list[_Edit] = []
    for goal, outcome in zip(file.goals, outcomes, strict=True):
        edits += _edits(file, goal.gap, outcome)
    content = file.text.content
    for start, end, new in sorted(edits, reverse=True):
        content = content[:start] + new + content[end:]
    return content.replace("\n", file.text.line_end)


def _edits(file: LeanFile, gap: Gap, outcome: Outcome) -> Iterator[_Edit]:
    content = file.text.content
    if outcome.proof is not None:
        by = gap.start if gap.by is None else gap.by
        if content[by + 2 : gap.start].strip():  # a comment, which stays
            yield len(content[:by].rstrip(" ")), by + 2, ""
            by = gap.start
        start = len(content[:by].rstrip(" "))
        proof = _proof(file, gap, outcome.proof)
        yield start, gap.end, proof if content[start - 1] == "\n" else f"\n{proof}"
    elif (comment := _refutation(outcome)) is not None:
        old = _OLD.match(content, gap.end)
        yield gap.end, old.end() if old else gap.end, f"\n{_HEAD}{comment} -/"


def _refutation(outcome: Outcome) -> str | None:
    """What refutes the statement, as text that a comment can hold."""
    if outcome.model is not None:
        model = format_model(outcome.model).removeprefix("\n")
        what = f"{outcome.model.tables.size} elements\n\n{model}"
    elif outcome.system is not None:
        what = f"the normal forms differ, {refuted(outcome.system)}"
    else:
        return None
    return what.replace("-/", "- /").replace("/-", "/ -")


def _proof(file: LeanFile, gap: Gap, proof: Proof) -> str:
    """The lemmas as `have`, then the proof itself, indented under the statement."""
    content = file.text.content
    line = content[content.rfind("\n", 0, gap.head) + 1 :]
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    used = [spelled.text for spelled in gap.symbols.values()]
    used += [cited.text for cited in gap.cited.values()]
    words = {*RESERVED, gap.kind, gap.filler, *(part for text in used for part in text.split("."))}
    own = [name for name in proof.problem.variables if name not in proof.problem.exists]
    *lemmas, last = chains([proof])
    names = Identifiers(NAME, {*words, *own, *file.names})
    called = {lemma.name: names.new("lemma", lemma.name) for lemma in lemmas}
    hole = names.new("hole", "t")
    others = Identifiers(NAME, {*words, *called.values(), hole})
    calc = Calc(
        gap.symbols,
        lambda name: name if name in own else others.of("var", name),
        lambda one: gap.cited.get(one.name) or Cited(called[one.name], occurring(one)),
        hole,
        gap.kind,
        gap.filler,
    )
    lines = [f"{indent}fun {' '.join(gap.bound)} =>"] if gap.bound else []
    for lemma in lemmas:
        variables = arguments(lemma)
        said = calc.for_all(variables) + calc.claim(lemma)
        head = f"{indent}have {called[lemma.name]} : {said} :="
        values = " ".join(map(calc.variable, variables))
        lines += [head, f"{indent}  fun {values} =>"] if values else [head]
        lines.append(f"{indent}  {calc.chain(lemma, indent + '    ')}")
    lines.append(f"{indent}{calc.chain(last, indent + '  ')}")
    return "\n".join(lines)
