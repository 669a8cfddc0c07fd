"""What follows from a theory's equations alone: the rules that completion makes of them.

Each rule is a certified proof, whose lemmas are the rules that it came from. They are where new
theorems start (`threesil.learn.growing`), and what a search may be given besides the axioms.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from threesil.engine import Budget, Completion, Status, Stop, Stopped
from threesil.errors import InputError
from threesil.kernel.naming import equation_key, variable_names
from threesil.kernel.proof import Derivation, Proof, certify
from threesil.kernel.terms import var
from threesil.kernel.theory import Goal, Problem, Theory

CONSIDERED = 3000  # critical pairs that completion takes
_RULES = 300  # at most, the smallest
_SECONDS = 20.0


def derived(
    theory: Theory, *, considered: int = CONSIDERED, stop: Stop | None = None
) -> list[Proof]:
    """The smallest rules besides the equations of the theory, each with its proof."""
    check_learnable(theory)
    x, y = islice(variable_names(theory.signature.symbols), 2)
    run = Completion(theory).begin(Problem("all are equal", var(x), var(y)))
    found = run.run(Budget(considered, _SECONDS, stop=stop))
    if found.status is Status.STOPPED:
        raise Stopped
    if found.status is Status.PROVED:
        raise InputError(
            f"in {theory.name} everything is equal: its equations prove {x} = {y}, so there is "
            "nothing to learn; look at them with: threesil show FILE"
        )
    known = {equation_key(equation.lhs, equation.rhs) for equation in theory.equations}
    rules = [
        rule
        for rule in run.rules(_RULES)
        if equation_key(rule.equation.start, rule.equation.target or rule.equation.start)
        not in known
    ]
    proofs: dict[str, Proof] = {}
    for lemma, derivation in run.lemmas(rules, stop) if rules else ():
        proofs[lemma.name] = certify(theory, lemma, derivation, cited(derivation, proofs))
    return [proofs[rule.equation.name] for rule in rules if rule.equation.name in proofs]


def check_learnable(theory: Theory) -> None:
    """Refuses a theory without equations to learn from."""
    if theory.goal is not Goal.EQUATION:
        message = f"the problems of {theory.name} are no equations: none can be derived from others"
        raise InputError(f"{message}; leave out `generated`, or --growing")
    if not theory.equations:
        raise InputError(
            f"{theory.name} has no equations, so nothing follows from them; goals alone are no "
            "theory: name the theory that they are about, and give the file as --problems"
        )


def cited(derivation: Derivation, proofs: Mapping[str, Proof]) -> list[Proof]:
    """Those of the proofs that a derivation cites."""
    names = dict.fromkeys(step.equation for step in derivation.steps)
    return [proofs[name] for name in names if name in proofs]
