"""Counter-models in TPTP: a finite interpretation, as model finders of that world write it.

    fof(groups_domain, fi_domain, ! [X] : ( X = "0" | X = "1" )).
    fof(groups_functors, fi_functors, ( e = "0" & mul("0","0") = "0" & … & c_x = "1" )).

The elements are distinct objects, in double quotes. The problem's variables are constants, as in
its denial, with the values for which it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.theory import Signature
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.model_parts import statement

_LEGAL = "[a-z][A-Za-z0-9_]*"


def write_tptp_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, each under a name of its own."""
    labels = Identifiers(_LEGAL)
    return "\n".join(
        _written(model, labels.of("model", f"model_{number}"))
        for number, model in enumerate(models, 1)
    )


def tptp_names(signature: Signature) -> Mapping[str, str]:
    """What the symbols are called."""
    names = Identifiers(_LEGAL)
    return {symbol: names.of("s", symbol) for symbol in signature.symbols}


def _written(model: Countermodel, label: str) -> str:
    symbols, n = tptp_names(model.theory.signature), model.tables.size
    names = Identifiers(_LEGAL, symbols.values())
    elements = " | ".join(f'X = "{k}"' for k in range(n))
    facts = []
    for symbol, arity in model.theory.signature.symbols.items():
        name = symbols[symbol]
        for place, value in zip(
            product(range(n), repeat=arity), model.tables.of[symbol], strict=True
        ):
            args = ",".join(f'"{k}"' for k in place)
            facts.append(f'{name}({args}) = "{value}"' if args else f'{name} = "{value}"')
    for variable, value in model.values.items():
        facts.append(f'{names.of("c", f"c_{variable}")} = "{value}"')
    said = statement(model)
    lines = [f"% refutes: {said}"] if model.problem else []
    lines += [
        f"fof({label}_domain, fi_domain, ! [X] : ( {elements} )).",
        f"fof({label}_functors, fi_functors, (",
        "  " + "\n  & ".join(facts),
        ")).",
    ]
    return "\n".join(lines) + "\n"
