"""External classical provers behind one interface: `find("e").run(Task(theory, problem), 60)`."""

from threesil.provers.base import MEMORY, ExternalProver, Task, Verdict
from threesil.provers.registry import PROVERS, find, found

__all__ = ["MEMORY", "PROVERS", "ExternalProver", "Task", "Verdict", "find", "found"]
