"""Another prover as a solver: its program, started anew for each problem."""

from __future__ import annotations

import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Final

from threesil.engine import Budget
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.theory import Problem, Theory
from threesil.provers.registry import MEMORY, find
from threesil.search.solver import Facts, Solver

if TYPE_CHECKING:
    from threesil.provers.base import ExternalProver, Task

CLAIMED: Final = "claims: as the prover says"


class Outside(Solver):
    """An external prover for problems of a theory; `memory` is in megabytes.

    Where only its name is given, it is looked for when it is first needed.
    """

    in_process = False

    def __init__(self, program: str | ExternalProver, theory: Theory, memory: int = MEMORY) -> None:
        self._given = program
        self.name = program if isinstance(program, str) else program.name
        self.theory, self.memory = theory, memory

    @cached_property
    def program(self) -> ExternalProver:
        return find(self._given) if isinstance(self._given, str) else self._given

    def solve(self, problem: Problem, budget: Budget) -> Outcome:
        from threesil.provers.base import Task

        return self.run(Task(self.theory, problem), budget)

    def run(self, task: Task, budget: Budget) -> Outcome:
        """The prover on a task, which may hold more than the problem."""
        try:
            return self.program.run(task, budget.seconds, self.memory, budget.stop)
        except OSError as error:  # its program is gone, or there is no room for its files
            return Outcome(task.problem, SZS.ERROR, by=self.name, reason=str(error))

    def facts(self, seconds: float) -> Facts:
        program = self.program
        file = f"problem{program.suffix}"
        command = [program.path.name, *program.arguments(file, seconds, self.memory)]
        extra = [option for option in program.options if option not in command]
        inside = f" (in the file: {' '.join(extra)})" if extra else ""
        version = f"{program.program} {program.version()}"
        about = {"version": version, "command": shlex.join(command) + inside, "proofs": CLAIMED}
        return Facts({"program": version, "options": list(program.options)}, None, about)
