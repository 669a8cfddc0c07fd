"""What people and programs read about a certificate that was checked.

Everything in it comes from a file, but for what the kernels say. So a theory is shown with its
equations, unless it is a bundled one; and one that only has the name of such a theory is
said first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from threesil.cli.app import counted, visible
from threesil.kernel.certificate import Certificate
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import in_order, length
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Equation
from threesil.notations.infix import format_equation
from threesil.notations.names import label, quoted, title
from threesil.notations.system_json import refuted, shown_order, shown_rules
from threesil.notations.writing.parts import failure, statement
from threesil.notations.writing.parts import statement as said_to_hold
from threesil.proofs.stored import BUNDLED, is_bundled

_NONE: Final = "none"
_MOST: Final = 200  # equations of a theory that are listed

_Facts = list[tuple[str, str]]


def described(source: str, found: Certificate, origin: str, digest: str = "") -> list[str]:
    """The lines about a certificate of a file; `origin` and `digest` are said of its theory."""
    if isinstance(found, Countermodel):
        head, first, then = _of_model(found)
    elif isinstance(found, Convergent):
        head, first, then = _of_system(found)
    else:
        head, first, then = _of_proof(found)
    remark = f", digest {found.theory.digest[:16]} {digest}" if digest else ""
    warning, about = _theory(found, origin, remark)
    facts = [*warning, *first, *about, *then]
    marked = ((f"{what}:" if what else "", fact) for what, fact in facts)
    lines = [f"{source}: certified, {head}", *(f"  {what:20}{fact}" for what, fact in marked)]
    return list(map(visible, lines))


def _of_model(found: Countermodel) -> tuple[str, _Facts, _Facts]:
    size, count = f"{found.tables.size} elements", len(found.theory.equations)
    hold = f"all {count} equations hold" if count else "there is no equation to hold"
    model = ("model", f"{size}, {hold}")
    if found.problem is None:
        return f"{size}: a model", [], [model]
    refutes = ("refutes", said_to_hold(found))
    return f"{size}: {title(found.problem.name)}", [refutes], [model, ("fails", failure(found))]


def _of_system(found: Convergent) -> tuple[str, _Facts, _Facts]:
    what = f"{title(found.problem.name)} does not follow" if found.problem else "decides its theory"
    first = [("refutes", refuted(found))] if found.problem else []
    then = [("order", shown_order(found)), ("rules", "; ".join(shown_rules(found)))]
    return f"{len(found.rules)} convergent rules: {what}", first, then


def _of_proof(found: Proof) -> tuple[str, _Facts, _Facts]:
    size = counted(len(found.derivation.steps), "rewrite")
    if lemmas := len(in_order(found)) - 1:
        whole = counted(length(found), "rewrite")
        size += f" and {counted(lemmas, 'lemma')}, {whole} in all"
    others = [equation for equation in found.axioms if equation.kind != "known"]
    then = [
        ("proof", size),
        ("rests on", _names(others) or "no equation"),
        ("and takes as known", _names(found.known) or _NONE),
    ]
    return f"{size}: {title(found.problem.name)}", [("shows", statement(found))], then


def _names(equations: Sequence[Equation]) -> str:
    names = (equation.name for equation in equations)
    return ", ".join(quoted(name) if name == _NONE else label(name) for name in names)


def _theory(found: Certificate, origin: str, remark: str) -> tuple[_Facts, _Facts]:
    """(a warning if it only has the name of a bundled one, what it is)"""
    theory, equal = found.theory, is_bundled(found.theory)
    name = title(theory.name)
    where = ("theory", f"{name} ({origin}){remark}")
    if equal or origin == BUNDLED:
        return [], [where]
    warning = [("beware", f"this {name} is not the bundled theory of that name")]
    used = found.axioms if isinstance(found, Proof) else theory.equations
    shown = [f"{label(e.name)}: {format_equation(e, theory.signature)}" for e in used[:_MOST]]
    which = "it rests on" if isinstance(found, Proof) else "its equations"
    listed = [("" if k else which, line) for k, line in enumerate(shown or [_NONE])]
    more = [("", f"and {len(used) - _MOST} more")] if len(used) > _MOST else []
    return warning if equal is False else [], [where, *listed, *more]
