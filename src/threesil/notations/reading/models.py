"""Models in the notations of others: what Mace4 prints, and TPTP's finite interpretations.

    interpretation( 2, [number=1, seconds=0], [ function(e, [0]), function(*(_,_), [0,1,1,0]) ]).

    fof(domain, fi_domain, ! [X] : ( X = "0" | X = "1" )).
    fof(tables, fi_functors, ( e = "0" & mul("0","0") = "0" & mul("0","1") = "1" & … )).

Such a model does not say of which equations; the theory is given, and its symbols have the names
that threesil writes in that notation. What a definition says is computed, if it is not there. All
other functions are passed over: constants stand for the goal's variables there, and which values
refute it is computed anew. In what Mace4 prints, all around the models is passed over too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from threesil.errors import InputError
from threesil.files import limits
from threesil.kernel.countermodel import Countermodel, NotAModel, check, table_of
from threesil.kernel.tables import Tables
from threesil.kernel.theory import Problem, Signature, Theory
from threesil.notations.writing.ladr import mace4_names
from threesil.notations.writing.tptp import tptp_names

_Function = tuple[str, int]  # name and arity


@dataclass(frozen=True)
class StoredTables:
    """A model without its theory, as a file has it; `names` are those of a signature's symbols."""

    source: str
    size: int
    functions: Mapping[_Function, tuple[int, ...]]
    names: Callable[[Signature], Mapping[str, str]]

    def checked(
        self,
        theory: Theory,
        problem: Problem | None = None,
        values: Mapping[str, int] | None = None,
    ) -> Countermodel:
        """The counter-model in a theory; `NotAModel` if the kernel refuses it."""
        return check(theory, problem, self.tables(theory), values)

    def tables(self, theory: Theory) -> Tables:
        """The tables of the theory's symbols."""
        symbols, written = theory.signature.symbols, self.names(theory.signature)
        of: dict[str, tuple[int, ...]] = {}
        for symbol, arity in symbols.items():
            for name in (written[symbol], symbol):
                if symbol not in of and (name, arity) in self.functions:
                    of[symbol] = self.functions[name, arity]
        self._define(theory, of)
        if missing := [_shown(symbol, symbols[symbol]) for symbol in symbols if symbol not in of]:
            there = ", ".join(_shown(*function) for function in self.functions) or "none"
            message = f"there is no table for {', '.join(missing)}; tables: {there}"
            raise NotAModel(f"{message}; is it a model of {theory.name}?")
        return Tables(self.size, of)

    def _define(self, theory: Theory, of: dict[str, tuple[int, ...]]) -> None:
        """Adds the tables of symbols that are not there but have a definition."""
        for e in theory.equations:
            names = [arg.head for arg in e.lhs.args]
            used = {t.head for t in e.rhs.distinct() if not t.is_variable}
            if e.kind != "definition" or e.lhs.head in of or not used <= of.keys():
                continue
            try:
                table = table_of(e.rhs, theory, Tables(self.size, of), names, {})
            except IndexError:
                raise NotAModel("a table has too few values, or larger ones") from None
            of[e.lhs.head] = tuple(table)


def _shown(name: str, arity: int) -> str:
    return f"{name}({','.join('_' * arity)})" if arity else name


def is_model(text: str) -> bool:
    """Whether there is a model in one of these notations."""
    return bool(_MACE4.search(text) or _DOMAIN.search(text))


def read_models(text: str, source: str) -> list[StoredTables]:
    """All models of a text that has one."""
    read = _mace4 if _MACE4.search(text) else _tptp
    return list(read(text, source))


# Mace4

_MACE4 = re.compile(r"^[ \t]*interpretation\(", re.M)
_HEAD = re.compile(r"\s*([0-9]+)\s*,\s*\[[^\]]*\]\s*,\s*\[")
_ENTRY = re.compile(
    r"\s*(?P<kind>function|relation)\(\s*(?P<name>\"[^\"\n]+\"|[^\s\"]+?)"
    r"(?:\((?P<args>\s*_(?:\s*,\s*_)*\s*)\))?\s*,\s*\[(?P<values>[\s0-9,]*)\]\s*\)\s*,?"
)
_END = re.compile(r"\s*\]\s*\)\s*\.")


def _mace4(text: str, source: str) -> Iterator[StoredTables]:
    for begin in _MACE4.finditer(text):
        head = _HEAD.match(text, begin.end())
        if head is None or _number(head[1]) > limits.ELEMENTS:
            message = "expected interpretation( size, [number=1], [ functions ])."
            if head is not None:
                message = f"at most {limits.ELEMENTS:,} elements are read"
            raise InputError(message, source=source, line=_line(text, begin.start()))
        size, functions = _number(head[1]), dict[_Function, tuple[int, ...]]()
        at = head.end()
        while entry := _ENTRY.match(text, at):
            arity = entry["args"].count("_") if entry["args"] else 0
            values = tuple(map(_number, re.findall("[0-9]+", entry["values"])))
            if entry["kind"] == "function":
                functions[entry["name"].strip('"'), arity] = values
            at = entry.end()
        if _END.match(text, at) is None:
            message = "expected function(f(_,_), [values]), or ]). at the end"
            raise InputError(message, source=source, line=_line(text, at))
        yield StoredTables(f"{source}:{_line(text, begin.start())}", size, functions, mace4_names)


def _number(digits: str) -> int:
    """The number, or one that is larger than all elements."""
    return int(digits[-9:]) if not digits[:-9].strip("0") else limits.ELEMENTS + 1


def _line(text: str, at: int) -> int:
    """The line of the next character that is no blank."""
    while at < len(text) and text[at].isspace():
        at += 1
    return text.count("\n", 0, at) + 1


# TPTP

_OBJECT = r"\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_$]+"
_DOMAIN = re.compile(r"^[ \t]*fof\(\s*[^,\n]+,\s*fi_domain\s*,", re.M)
_FORMULA = re.compile(r"^[ \t]*fof\(\s*[^,\n]+,\s*fi_(\w+)\s*,", re.M)
_CLOSE = re.compile(r"\)\s*\.\s*$", re.M)
_EQUAL = re.compile(rf"(?P<name>{_OBJECT})(?:\(\s*(?P<args>[^()]*)\))?\s*=\s*(?P<value>{_OBJECT})")


@dataclass
class _Domain:
    """A model that is being read: its elements, and the values of its functions."""

    line: int
    elements: dict[str, int]
    values: dict[_Function, dict[tuple[int, ...], int]]

    def tables(self) -> dict[_Function, tuple[int, ...]]:
        """The tables; `KeyError` names a function that lacks a value."""
        found, n = {}, len(self.elements)
        for (name, arity), values in self.values.items():
            if arity > limits.ARITY:
                raise KeyError(f"{name[:40]} has more than {limits.ARITY} arguments")
            if len(values) < n**arity:
                raise KeyError(f"the table of {_shown(name, arity)} needs {n}^{arity} values")
            found[name, arity] = tuple(values[at] for at in product(range(n), repeat=arity))
        return found


def _tptp(text: str, source: str) -> Iterator[StoredTables]:
    text = re.sub(r"^%.*$", "", text, flags=re.M)
    models: list[_Domain] = []
    for start, role, body in _formulas(text):
        line = _line(text, start)
        try:
            if role == "domain":
                models.append(_Domain(line, _elements(body), {}))
            elif role == "functors":
                if not models:
                    raise ValueError("expected a formula of the role fi_domain before the values")
                _take(body, models[-1])
        except ValueError as error:
            raise InputError(str(error), source=source, line=line) from None
    if not models:
        raise InputError("the formula of the role fi_domain has no end", source=source)
    for model in models:
        where = f"{source}:{model.line}"
        try:
            yield StoredTables(where, len(model.elements), model.tables(), tptp_names)
        except KeyError as error:
            raise InputError(error.args[0], source=where) from None


def _formulas(text: str) -> Iterator[tuple[int, str, str]]:
    """(place, role, body) of each formula up to one that has no end."""
    at = 0
    while (head := _FORMULA.search(text, at)) and (close := _CLOSE.search(text, head.end())):
        yield head.start(), head[1], text[head.end() : close.start()]
        at = close.end()


def _elements(formula: str) -> dict[str, int]:
    found = [equal["value"] for equal in _equations(formula.partition(":")[2], "|")]
    if len(found) > limits.ELEMENTS:
        raise ValueError(f"at most {limits.ELEMENTS:,} elements are read")
    return {element: number for number, element in enumerate(dict.fromkeys(found))}


def _take(formula: str, into: _Domain) -> None:
    """The values that a conjunction of equations states."""
    for equal in _equations(formula, "&"):
        args = re.findall(_OBJECT, equal["args"] or "")
        try:
            place = tuple(into.elements[arg] for arg in args)
            value = into.elements[equal["value"]]
        except KeyError as error:
            raise ValueError(f"{error.args[0]} is no element of the domain") from None
        values = into.values.setdefault((equal["name"].strip("'"), len(args)), {})
        if values.setdefault(place, value) != value:
            raise ValueError(f"{equal[0]} contradicts an earlier value")


def _equations(formula: str, mark: str) -> Iterator[re.Match[str]]:
    for part in formula.split(mark):
        plain = part.strip()
        plain = plain.lstrip("( \t\r\n")
        equal = _EQUAL.match(plain)
        if equal is None or plain[equal.end() :].strip(") \t\r\n"):
            raise ValueError(f'expected f("0","1") = "2", found {plain[:40]!r}')
        yield equal
