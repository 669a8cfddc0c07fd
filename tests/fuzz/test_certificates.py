"""A small part of the campaign; and that it finds a kernel or a reader which is too trusting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from fuzz import certificates
from fuzz.truth import Interpretation, counterexample, holds, refutes
from proof_samples import BANDS, GROUPS
from threesil.errors import InputError
from threesil.kernel import certificate, confluence, countermodel, proof
from threesil.kernel.theory import Equation
from threesil.notations.model_json import StoredModel
from threesil.problems.files import parse_problem

INPUTS = 200
Target = Callable[[Random], None]


def run(target: Target, inputs: int = INPUTS) -> None:
    for number in range(inputs):
        target(Random(f"{target.__name__}:0:{number}"))


@pytest.mark.parametrize("target", certificates.TARGETS, ids=lambda target: target.__name__)
def test_nothing_false_is_accepted(target: Target) -> None:
    run(target)


def trusting_step(term: Any, step: Any, equation: Any, terms: Any, where: str) -> Any:
    return terms.take(step.result, where)


def the_same_sides(one: Any, other: Any) -> bool:
    return (
        one is not None
        and other is not None
        and (one.start, one.target)
        == (
            other.start,
            other.target,
        )
    )


def an_equation(of: proof.Proof, kind: str = "known") -> Equation:
    return Equation(of.problem.name, of.problem.start, of.problem.target or of.derivation.end)


def no_pairs(of: Any) -> Any:
    return iter(())


SABOTAGE: list[tuple[Any, str, Any, Target]] = [
    (proof, "_rewritten", trusting_step, certificates.target_proof_values),
    (proof, "_rewritten", trusting_step, certificates.target_proof_json),
    (proof.Proof, "equation", an_equation, certificates.target_proof_values),
    (certificate, "_same", the_same_sides, certificates.target_proof_values),
    (certificate, "_has", lambda theory, equations: True, certificates.target_proof_values),
    (certificate, "_has", lambda theory, equations: True, certificates.target_model_values),
    (countermodel, "_elements", lambda values, n: True, certificates.target_model_values),
    (countermodel, "_elements", lambda values, n: True, certificates.target_model_json),
    (confluence._Rewriting, "critical_pairs", no_pairs, certificates.target_system_values),
    (confluence, "_check_rule", lambda t, s, o, rule: confluence._sides(rule),
     certificates.target_system_values),
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "name", "instead", "target"),
    SABOTAGE,
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_a_kernel_that_is_too_trusting_is_found_out(
    where: Any, name: str, instead: Any, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificates.proofs(), certificates.models(), certificates.systems()  # made by a good one
    monkeypatch.setattr(where, name, instead)
    with pytest.raises((AssertionError, KeyError, TypeError, IndexError)):
        run(target, 4000)


def test_the_evaluator_knows_groups() -> None:
    unit, _, _ = GROUPS.equations
    symbols = GROUPS.signature.symbols
    commutes = parse_problem("x * y = y * x", GROUPS)
    assert commutes.target is not None
    found = counterexample(symbols, GROUPS.equations, commutes.start, commutes.target)
    assert found is not None and found.size == 6
    assert refutes(found, GROUPS.equations, commutes, {"x": 1, "y": 3})
    assert not refutes(found, GROUPS.equations, commutes, {"x": 1, "y": 1})
    assert counterexample(symbols, GROUPS.equations, unit.lhs, unit.rhs) is None
    two = Interpretation(2, {"*": {(a, b): a for a in (0, 1) for b in (0, 1)}})
    problem = parse_problem("exists y: x * y = y", BANDS)
    assert problem.target is not None
    assert holds(problem.start, problem.target, two, ["y"])
    assert not holds(problem.start, problem.target, two)


def test_mutants_are_accepted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the campaign would look at nothing."""
    seen: list[object] = []
    for name in ("judge_proof", "judge_model", "judge_system"):
        judge = getattr(certificates, name)

        def noted(made: object, *rest: Any, judge: Any = judge) -> None:
            seen.append(made)
            judge(made, *rest)

        monkeypatch.setattr(certificates, name, noted)
    for target in certificates.TARGETS:
        before = len(seen)
        run(target)
        assert len(seen) > before, target.__name__


def test_a_counter_model_with_a_symbol_of_billions_of_arguments_is_refused() -> None:
    """It took all memory before anybody looked at its table."""
    _, value = certificates._written_models()[0]
    wide = {**value, "symbols": {**value["symbols"], "*": 2**40}}
    with pytest.raises(InputError, match="at most 64 arguments"):
        StoredModel("file", wide).checked()


def test_a_variable_that_is_to_exist_twice_exists_once() -> None:
    """The kernel of counter-models looked up values of other variables then, or none at all."""
    model = next(m for m in certificates.models() if m.problem is not None and m.problem.exists)
    assert model.problem is not None
    (name,) = model.problem.exists
    problem = replace(model.problem, exists=(name, name))
    assert problem == model.problem
    again = countermodel.check(model.theory, problem, model.tables, model.values)
    certificates.judge_model(again)
