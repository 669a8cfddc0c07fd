"""run.json: what a run trains, and which of its stages are done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import read_text, write_atomically
from threesil.files.json_record import json_record
from threesil.files.json_text import json_object

FORMAT = "threesil-run-4"
_HINT = "; put the file back from a copy, or start another run"


@dataclass(frozen=True)
class Facts:
    """What a run is, apart from its files."""

    theory: str  # its name
    method: str
    seed: int
    problems: str  # what people call them
    source: str  # the theory: its name if it is bundled, or theory/FILE; `:LEMMA` may follow
    digest: str  # of the theory
    problem_digest: str
    version: str  # of threesil, that began it
    stages: Mapping[str, bool]  # in their order; whether each is done
    config: Mapping[str, Any]
    start: str | None = None  # digest of the weights that it begins with
    lemmas: str | None = None  # digest of the theory with the lemmas, once these are chosen
    generated: bool = False  # whether theorems are made besides the problems that were given
    minutes: float = 0.0  # for the whole training; 0: no limit
    format: str = FORMAT

    @property
    def finished(self) -> bool:
        """Whether all stages are done."""
        return all(self.stages.values())


def read_facts(path: Path) -> Facts:
    """The facts in a file; what is damaged is named."""
    if not path.exists():
        raise InputError(f"{path.parent} is not a training run: it has no {path.name}")
    source = str(path)
    try:
        found = json_object(read_text(path))
    except (ValueError, InputError) as error:
        raise InputError(f"{path.name} can't be read: {error}{_HINT}", source=source) from None
    if found.get("format") != FORMAT:
        message = "of no training run, or of one in the format of another version: finish it there"
        raise InputError(f"{path.name} is {message}, or start another run", source=source)
    try:
        return json_record(Facts, found)
    except ValueError as error:
        raise InputError(f"{path.name}: {error}{_HINT}", source=source) from None


def write_facts(path: Path, facts: Facts) -> None:
    write_atomically(path, (json.dumps(asdict(facts), indent=2) + "\n").encode())
