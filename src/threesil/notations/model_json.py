"""Counter-models as JSON: a file that says all that is needed to check it again.

    {"format": "threesil-model-1", "theory": "groups", "digest": "3d5f…",
     "symbols": {"*": 2, "e": 0}, "infix": {"*": 1},
     "terms": ["x", ["e"], ["*", 1, 0], "y", ["*", 0, 3], ["*", 3, 0]],
     "equations": [{"name": "unit", "kind": "axiom", "lhs": 2, "rhs": 0}],
     "problem": {"name": "p1", "start": 4, "target": 5, "exists": []},
     "statement": "for all x, y: x * y = y * x",
     "size": 2, "tables": {"*": [[0, 1], [1, 0]], "e": 0}, "values": {"x": 0, "y": 1}}

Terms are numbers in the list `terms`, as in proofs. A table is nested as deep as its symbol has
arguments. `problem` is null where any model will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from threesil.files import limits
from threesil.files.json_text import is_count
from threesil.kernel.certificate import shows
from threesil.kernel.countermodel import Countermodel, NotAModel, check
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Theory
from threesil.notations.proof_json import StoredJson, TermNumbers, TermTable
from threesil.notations.writing.parts import statement

FORMAT = "threesil-model-1"


def model_to_json(model: Countermodel) -> dict[str, Any]:
    """A counter-model as a JSON object."""
    theory, terms = model.theory, TermTable()
    arities = theory.signature.symbols
    equations = [terms.equation(e) for e in theory.equations]
    n = model.tables.size
    return {
        "format": FORMAT,
        "theory": theory.name,
        "digest": theory.digest,
        "symbols": dict(arities),
        "infix": dict(theory.signature.infix),
        "equations": equations,
        "problem": terms.problem(model.problem),
        "terms": terms.nodes,
        "statement": statement(model),
        "size": n,
        "tables": {s: _nested(t, n, arities[s]) for s, t in model.tables.of.items()},
        "values": dict(model.values),
    }


def _nested(table: Sequence[int], n: int, arity: int) -> Any:
    if arity == 0:
        return table[0]
    step = n ** (arity - 1)
    return [_nested(table[k * step : (k + 1) * step], n, arity - 1) for k in range(n)]


class StoredModel(StoredJson):
    """A counter-model."""

    def checked(self, theory: Theory | None = None) -> Countermodel:
        """The counter-model in a theory, or in the one that the file describes.

        `NotAModel` if the kernel refuses it, or if the theory is another one; `InputError` if this
        is no counter-model at all.
        """
        if self.value.get("format") != FORMAT:
            raise self._fail(f"a model in another format than {FORMAT}")
        terms = TermNumbers(self.value, self.source)
        own, problem = self._own_theory("equations", terms), self._problem(terms)
        tables, n = self.value.get("tables"), self.value.get("size")
        if not is_count(n, limits.ELEMENTS) or not isinstance(tables, dict):
            most = f"{limits.ELEMENTS:,} at the most"
            raise self._fail(f"size should be a number, {most}, and tables an object")
        arities = own.signature.symbols
        flat = {
            symbol: tuple(self._flat(table, n, arities.get(symbol, 0), symbol))
            for symbol, table in tables.items()
        }
        values = self.value.get("values", {})
        if not isinstance(values, dict):
            raise self._fail("values should be an object")
        model = check(theory or own, problem, Tables(n, flat), values)
        if not shows(model, own, problem):
            raise NotAModel(f"it was made in another theory {self.theory} than {model.theory.name}")
        return model

    def _flat(self, table: Any, n: int, depth: int, symbol: str) -> list[Any]:
        """The values of a table that is nested as deep as its symbol has arguments."""
        level = [table]
        for _ in range(depth):
            if not all(isinstance(row, list) and len(row) == n for row in level):
                raise self._fail(f"the table of {symbol} should be nested lists of {n}")
            if n * len(level) > limits.CELLS:
                raise self._fail(f"the table of {symbol} has more than {limits.CELLS:,} values")
            level = [item for row in level for item in row]
        return level
