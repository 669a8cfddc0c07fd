"""Problems compiled for the core, once for all that play or search them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from threesil import _native
from threesil.engine.compiled import compile_theory
from threesil.kernel.theory import Problem, Theory


class ProblemList(Sequence[Problem]):
    """Problems of a theory and their codes, which batches and stores of states share.

    A sequence of problems that never changes; `ProblemList.of` takes one as it is.
    """

    def __init__(self, theory: Theory, problems: Iterable[Problem]) -> None:
        self.theory = theory
        self._problems = tuple(problems)
        codec, rules = compile_theory(theory)
        self.native = _native.Problems(rules, [codec.problem(p) for p in self._problems])

    @classmethod
    def of(cls, theory: Theory, problems: Sequence[Problem]) -> ProblemList:
        """The problems compiled for a theory, or as they are if they have been."""
        if isinstance(problems, ProblemList) and problems.theory == theory:
            return problems
        return cls(theory, problems)

    def __len__(self) -> int:
        return len(self._problems)

    @overload
    def __getitem__(self, index: int) -> Problem: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Problem, ...]: ...
    def __getitem__(self, index: int | slice) -> Problem | tuple[Problem, ...]:
        return self._problems[index]
