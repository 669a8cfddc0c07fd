"""How difficult problems are, as far as that has been measured.

With a file, a line for each problem as soon as it is measured, so that whoever resumes after an
interruption need not measure it again:

    {"problem": "3f1c…", "expansions": 120, "seconds": 4.2}

`problem` is a digest of what it says; `seconds` of the clock had passed since the beginning.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

from threesil.files import limits, read_text, write_atomically
from threesil.files.json_text import json_object
from threesil.kernel.theory import Problem


class Measured:
    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[str, int] = {}
        self._waiting: set[str] = set()  # known, and not asked for yet
        self.before = 0.0  # seconds that went by in earlier sessions
        self._begin = time.perf_counter()
        if path is not None and path.exists():
            self._read(path)

    @property
    def goes_on(self) -> bool:
        """Whether an earlier session knew more than what has been asked for so far."""
        return bool(self._waiting)

    @property
    def seconds(self) -> float:
        """That went by, now and before."""
        return self.before + time.perf_counter() - self._begin

    def get(self, problem: Problem) -> int | None:
        """The expansions that it takes; None if nobody has measured it."""
        key = _key(problem)
        self._waiting.discard(key)
        return self._known.get(key)

    def add(self, problem: Problem, expansions: int) -> None:
        key = _key(problem)
        self._known[key] = expansions
        if self._path is not None:
            row = {"problem": key, "expansions": expansions, "seconds": round(self.seconds, 3)}
            with self._path.open("a") as file:
                file.write(json.dumps(row) + "\n")

    def _read(self, path: Path) -> None:
        """What stands there, up to a line that was cut off."""
        kept = []
        try:
            for line in read_text(path, limits.CERTIFICATES).splitlines():
                row = json_object(line)
                self._known[str(row["problem"])] = int(row["expansions"])
                self.before = float(row["seconds"])
                kept.append(line + "\n")
        except (ValueError, KeyError, TypeError):
            pass
        self._waiting = set(self._known)
        write_atomically(path, "".join(kept).encode())


def _key(problem: Problem) -> str:
    text = f"{problem.start} = {problem.target} {problem.exists}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
