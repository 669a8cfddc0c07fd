"""What other programs printed about a problem: proofs and models, turned into certificates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from threesil.errors import InputError
from threesil.kernel.countermodel import Countermodel, NotAModel
from threesil.kernel.proof import Proof
from threesil.notations.lines import read_text
from threesil.notations.reading.models import StoredTables, is_model, read_models
from threesil.problems.targets import Target
from threesil.provers.proofs import read_proof
from threesil.provers.reconstruct import NotReconstructed, reconstruct
from threesil.search.finite.task import failing


def followed(file: str, target: Target) -> Iterator[tuple[str, Proof | Countermodel | InputError]]:
    """A proof of ours that follows what a prover printed, or models in which goals fail."""
    text = read_text(Path(file)).content
    if is_model(text):
        for tables in read_models(text, file):
            for model in _failing(tables, target):
                yield tables.source, model
        return
    skeleton = read_proof("", text, file)
    reason = ""
    for problem in target.problems:
        try:
            yield file, reconstruct(target.theory, problem, skeleton)
            return
        except NotReconstructed as error:
            reason = reason or str(error)
    yield file, InputError(reason, source=file)


def _failing(tables: StoredTables, target: Target) -> list[Countermodel | InputError]:
    """A model with each of the goals that fail in it: one at least, or all if denied together."""
    try:
        model = tables.checked(target.theory)
        if target.no_goal:
            return [model]
        values = {p: failing(target.theory, p, model.tables) for p in target.problems}
        holding = [problem.name for problem, found in values.items() if found is None]
        if len(holding) == len(values) or (target.any_goal and holding):
            return [InputError(f"no value refutes {', '.join(holding)}", source=tables.source)]
        refuted = [(problem, found) for problem, found in values.items() if found is not None]
        return [tables.checked(target.theory, problem, found) for problem, found in refuted]
    except NotAModel as error:
        return [InputError(str(error), source=tables.source)]
