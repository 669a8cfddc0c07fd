"""Terms in JSON: a list of all subterms, each once.

    ["x", "y", ["T", 1, 0], ["*", 0, 2]]

A variable is its name, any other term its symbol and the numbers of its arguments, which stand
before it. All other terms of the file are numbers in this list, so that it grows with what is
different.
"""

from __future__ import annotations

from typing import Any

from threesil.errors import InputError
from threesil.terms import Term


class TermTable:
    """The different subterms of what is written."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._numbers: dict[object, int] = {}
        self._objects: dict[int, int] = {}
        self._kept: list[Term] = []  # so that no two terms ever have the same id

    def number(self, term: Term) -> int:
        self._kept.append(term)
        stack = [term]
        while stack:
            t = stack[-1]
            if id(t) in self._objects:
                stack.pop()
                continue
            waiting = [a for a in t.args if id(a) not in self._objects]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            args = [self._objects[id(a)] for a in t.args]
            key = t.head if t.is_variable else (t.head, *args)
            if key not in self._numbers:
                self._numbers[key] = len(self.nodes)
                self.nodes.append(t.head if t.is_variable else [t.head, *args])
            self._objects[id(t)] = self._numbers[key]
        return self._objects[id(term)]


class ReadTerms:
    """The same list, read."""

    def __init__(self, nodes: list[Any], source: str) -> None:
        self._source = source
        self._terms: list[Term] = []
        for number, node in enumerate(nodes):
            what = f"entry {number} of terms"
            if isinstance(node, str):
                self._terms.append(Term(node, is_variable=True))
            elif isinstance(node, list) and node and isinstance(node[0], str):
                args = [self.term(index, what) for index in node[1:]]
                self._terms.append(Term(node[0], args))
            else:
                message = "should be a variable or [symbol, argument, ...]"
                raise InputError(f"{what} {message}", source=source)

    def term(self, value: object, what: str) -> Term:
        if type(value) is not int or not 0 <= value < len(self._terms):
            message = f"{what} should be the number of an earlier entry of terms"
            raise InputError(message, source=self._source)
        return self._terms[value]
