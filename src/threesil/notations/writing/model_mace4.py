"""Counter-models in the notation of Mace4, which LADR's programs read (McCune 2010).

interpretation( 3, [number=1, seconds=0], [
    function(e, [0]),
    function(*(_,_), [0,1,2,1,2,0,2,0,1]),
    function(c1, [1])
]).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.theory import Signature
from threesil.notations.renaming import rename
from threesil.notations.writing.ladr import LANGUAGE
from threesil.notations.writing.model_parts import statement


def write_mace4(models: Iterable[Countermodel]) -> str:
    """One file for all models; the variables of a problem are the constants c1, c2, …"""
    return "\n".join(_written(model, number) for number, model in enumerate(models, 1))


def mace4_names(signature: Signature) -> Mapping[str, str]:
    """What the symbols are called."""
    return rename(LANGUAGE, signature).symbols


def _written(model: Countermodel, number: int) -> str:
    symbols = mace4_names(model.theory.signature)
    entries, taken = [], set(symbols.values())
    for symbol, arity in model.theory.signature.symbols.items():
        args = f"({','.join('_' * arity)})" if arity else ""
        table = ",".join(map(str, model.tables.of[symbol]))
        entries.append(f"    function({symbols[symbol]}{args}, [{table}])")
    free = (f"c{k}" for k in range(1, 10**6) if f"c{k}" not in taken)
    for value in model.values.values():
        entries.append(f"    function({next(free)}, [{value}])")
    said = statement(model)
    head = f"% refutes: {said}\n" if model.problem else ""
    head += f"interpretation( {model.tables.size}, [number={number}, seconds=0], [\n"
    return head + ",\n".join(entries) + "\n]).\n"
