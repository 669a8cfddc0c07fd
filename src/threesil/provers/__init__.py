"""External classical provers behind one interface: `find("e").run(Task(theory, problem), 60)`."""

from threesil.provers.base import MEMORY, ExternalProver, Task
from threesil.provers.registry import PROVERS, find, found

__all__ = ["MEMORY", "PROVERS", "ExternalProver", "Task", "find", "found"]
