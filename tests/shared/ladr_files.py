"""LADR files made at random, and what Prover9 itself reads in a file.

With `-p` Prover9 prints each formula of its input with all its brackets. A formula is a tree here:
a name, or a name with the trees of its arguments.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from threesil.kernel.terms import Term
from threesil.notations.document import Document

Tree = Any
"""a name, or a tuple of a name and trees"""
_TOKEN: Final = re.compile(r'(?:"[^"]*"|[\w$]+|[^\w\s"(),$]+)\(?|[(),]', re.ASCII)
_PLAIN: Final = re.compile(r"[A-Za-z0-9_$]+|[-+*/\\^<>=`~?@&|!#';:]+", re.ASCII)
_LIST: Final = re.compile(r"^formulas\((\w+)\)\.\n(.*?)^end_of_list\.$", re.DOTALL | re.MULTILINE)
_SIGNS: Final = ("=", "!=", "#=")
_AXIOMS: Final = ("assumptions", "sos", "usable")


@dataclass
class Read:
    """The equations of a file, in their order; variables are numbers."""

    axioms: list[Tree] = field(default_factory=list)
    goals: list[Tree] = field(default_factory=list)
    hints: list[Tree] = field(default_factory=list)


# What Prover9 reads


def prover9_reads(program: Path, text: str, postfix: frozenset[str]) -> Read | None:
    """What Prover9 reads in a file; None if it refuses it. `postfix` are operators of that kind."""
    command = [str(program), "-p", "-t", "1"]
    whole = f"{text}\nassign(max_given, 0).\n".encode()
    done = subprocess.run(command, input=whole, capture_output=True, timeout=600, check=False)
    said = done.stdout.decode(errors="replace")
    if "%%ERROR" in said or b"Fatal error" in done.stdout + done.stderr:
        return None
    prolog = re.search(r"^set\(prolog_style_variables\)", said, re.MULTILINE) is not None
    echo, _, rest = said.partition("= end of input =")
    read, open_axioms = Read(), list[Tree]()
    for name, formulas in _LIST.findall(echo):
        for line in filter(None, formulas.splitlines()):
            _take(read, open_axioms, name, _tree(line.removesuffix("."), postfix), prolog)
    if open_axioms and not read.goals:
        read.goals = open_axioms
    clauses = []
    for _, formulas in _LIST.findall(
        rest.partition("= PREDICATE")[0].partition("input processing:")[2]
    ):
        for line in formulas.splitlines():
            tree = _tree(line.partition(".  [")[0], postfix)
            tree = tree[1] if tree[0] == "#" else tree
            denied = tree[0] == "-" and tree[1][0] in _SIGNS
            sign, lhs, rhs = tree[1] if denied else tree if tree[0] in _SIGNS else ("=", "0", "0")
            if (sign == "=") != denied:  # Prover9 may have turned it round
                clauses += [_equation(("=", *sides), prolog) for sides in ((lhs, rhs), (rhs, lhs))]
    # What it takes for variables is only to be seen in the clauses that it makes.
    whole_axioms = [axiom for axiom in read.axioms if axiom is not None]
    unseen = [axiom for axiom in whole_axioms if axiom not in clauses]
    assert not unseen, (unseen, clauses)
    return read


def _take(read: Read, denied: list[Tree], name: str, tree: Tree, prolog: bool) -> None:
    equation = _equation(tree, prolog)
    if name == "goals":
        read.goals.append(equation)
    elif name == "hints":
        read.hints.append(equation)
    elif equation is not None and equation[0] == "!=":
        denied.append(("=", *equation[1:]))
    else:
        read.axioms.append(equation)


def _equation(tree: Tree, prolog: bool) -> Tree:
    """An equation or its denial; None for one that says that something exists."""
    bound, equal = set[str](), True
    while tree[0] in ("#", "all", "exists") or (tree[0] == "-" and tree[1][0] in _SIGNS):
        if tree[0] == "exists":
            return None
        if tree[0] == "all":
            bound.add(tree[1])
        equal ^= tree[0] == "-"
        tree = tree[1] if tree[0] in ("#", "-") else tree[2]
    head, lhs, rhs = tree
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if prolog else "uvwxyz"
    names: dict[str, int] = {}

    def numbered(one: Tree) -> Tree:
        if isinstance(one, tuple):
            return (one[0], *map(numbered, one[1:]))
        is_variable = one in bound or one[0] in letters
        return names.setdefault(one, len(names)) if is_variable else one

    return ("=" if (head == "=") == equal else "!=", numbered(lhs), numbered(rhs))


def _tree(text: str, postfix: frozenset[str]) -> Tree:
    """The tree of a formula with all its brackets."""
    tokens = _TOKEN.findall(text)
    value, end = _group(tokens, 0, postfix)
    assert end == len(tokens), text
    return value


def _group(tokens: list[str], at: int, postfix: frozenset[str]) -> tuple[Tree, int]:
    """What stands up to a closing bracket or a comma."""
    items: list[Tree] = []
    while at < len(tokens) and tokens[at] not in (")", ","):
        token = tokens[at]
        if token.endswith("(") and token != '"("':
            values: list[Tree] = []
            while tokens[at] != ")":
                value, at = _group(tokens, at + 1, postfix)
                values.append(value)
            items.append((token[:-1], *values) if token != "(" else values[0])
        else:
            items.append(token)
        at += 1
    return _joined(items, postfix), at


def _joined(items: list[Tree], postfix: frozenset[str]) -> Tree:
    """An operator among its arguments, or quantifiers before a formula."""
    if items[0] in ("all", "exists"):
        return (items[0], items[1], _joined(items[2:], postfix))
    if len(items) == 3:
        return (items[1], items[0], items[2])
    if len(items) == 2:
        behind = items[1] in postfix and (items[0] not in _PREFIX or items[0] in postfix)
        return (items[1], items[0]) if behind else (items[0], items[1])
    (item,) = items
    return item


def agree(ours: Read, theirs: Read) -> bool:
    """Whether two readings are the same, as far as both say what they are."""
    return all(
        len(one) == len(other)
        and all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))
        for one, other in zip(vars(ours).values(), vars(theirs).values(), strict=True)
    )


# What we read


def document_reads(document: Document) -> Read:
    """The same of a document; what says that something exists is None there too."""

    def equation(lhs: Term, rhs: Term | None) -> Tree:
        assert rhs is not None
        if any(name.startswith("sk_") for name in (*_heads(lhs), *_heads(rhs))):
            return None
        names: dict[str, int] = {}
        return ("=", _tree_of(lhs, names), _tree_of(rhs, names))

    return Read(
        [equation(one.lhs, one.rhs) for one in document.theory.equations],
        [None if p.exists else equation(p.start, p.target) for p in document.problems],
        [equation(one.lhs, one.rhs) for one in document.hints],
    )


def _heads(term: Term) -> list[str]:
    return [t.head for t in term.subterms()]


def _tree_of(term: Term, names: dict[str, int]) -> Tree:
    if term.is_variable:
        return names.setdefault(term.head, len(names))
    head = term.head
    if not _PLAIN.fullmatch(head) and not head.startswith('"'):
        head = f'"{head}"'
    return (head, *(_tree_of(t, names) for t in term.args)) if term.args else head


# Files


_MARKS: Final = ("++", "<>", "/\\", "\\/", "<+>", "~", "?", "**", ";")
_PREFIX: Final = ("-", *_MARKS)
_WORDS: Final = ("o", "i", "j", "of", "inv", "u")
_KINDS: Final = (
    "infix",
    "infix_left",
    "infix_right",
    "prefix",
    "prefix_paren",
    "postfix",
    "postfix_paren",
)


@dataclass
class Maker:
    """Makes the text of a file; `postfix` are its operators of that kind."""

    random: Random
    postfix: set[str] = field(default_factory=lambda: {"'"})

    def file(self) -> str:
        random = self.random
        self.infix = dict.fromkeys(("*", "+", "/", "\\", "^", "@", "v"), (500, 499, 499))
        self.prefix, self.functions = {"-": (350, 350)}, {"f": 1, "g": 2, "h": 3, '"my f"': 1}
        self.behind = {"'": (300, 300)}
        self.prolog = random.random() < 0.3
        self.variables = (
            ["X", "Y", "Z1", "U_2"] if self.prolog else ["x", "y", "z1", "u_2", "w", "v"]
        )
        self.constants = [
            "a",
            "b",
            "c",
            "0",
            "1",
            "e2",
            '"my c"',
            "$k",
            "B" if not self.prolog else "x",
        ]
        names = random.sample((*_MARKS, *_WORDS), random.randint(0, 4))
        levels = self.levels(len(names))
        head = [self.declaration(*one) for one in zip(names, levels, strict=True)]
        words = [name for name in self.infix if name.isalpha()]
        if words and random.random() < 0.3:  # an operator that is a name here
            del self.infix[words[-1]]
            self.constants += 3 * [words[-1]]
        if self.prolog:
            head.append("set(prolog_style_variables).")
        head += random.sample(_COMMANDS, random.randint(0, 3))
        random.shuffle(head)
        lists = [
            self.list(random.choice(_AXIOMS), random.randint(1, 5))
            for _ in range(random.randint(1, 2))
        ]
        if random.random() < 0.6:
            lists.append(self.list("goals", random.randint(1, 2)))
        elif random.random() < 0.5:
            lists.append(f"formulas(sos).\n{self.equation('!=')}.\nend_of_list.")
        if random.random() < 0.3:
            lists.append(self.list("hints", 2))
        if random.random() < 0.3:
            lists.append("list(weights).\nweight(x * y) = 3.\nend_of_list.")
        return "\n".join(f"{part}{self.comment()}" for part in (*head, *lists)) + "\n"

    def levels(self, count: int) -> list[int]:
        """Precedences of operators; those of different kinds must differ for Prover9."""
        return self.random.sample([n for n in range(310, 690) if n % 50], count)

    def declaration(self, name: str, level: int) -> str:
        random = self.random
        kind, less = random.choice(_KINDS), level - 1
        if kind.startswith("infix"):
            bounds = {
                "infix": (less, less),
                "infix_left": (level, less),
                "infix_right": (less, level),
            }
            self.infix[name] = (level, *bounds[kind])
        else:
            place = self.prefix if kind.startswith("prefix") else self.behind
            place[name] = (level, less if kind.endswith("paren") else level)
            self.postfix |= {name} if place is self.behind else set()
        quoted = name if name.isalpha() and random.random() < 0.5 else f'"{name}"'
        return f"op({level}, {kind}, {quoted})."

    def list(self, name: str, count: int) -> str:
        lines = [
            f"{self.formula(name != 'hints')}{self.label()}.{self.comment()}" for _ in range(count)
        ]
        return "\n".join((f"formulas({name}).", *lines, "end_of_list."))

    def label(self) -> str:
        return self.random.choice(("", "", "", " # label(one)", ' # label("a. b%c") # answer(a)'))

    def comment(self) -> str:
        return self.random.choice(("", "", "", ' % no end. "', "\n%BEGIN a = b. ' END%\n", "\n\n"))

    def formula(self, exists: bool) -> str:
        text, kind = self.equation("="), self.random.random()
        if kind < 0.1:
            return f"all {self.random.choice((*self.variables, 'a'))} ({text})"
        if kind < 0.15:
            return f"all {self.variables[0]} all {self.variables[1]} {text}"
        if kind < 0.2:
            return f"-({self.equation('!=')})"
        if exists and kind < 0.23:
            return f"exists {self.variables[0]} ({text})"
        return f"({text})" if kind < 0.3 else text

    def equation(self, sign: str) -> str:
        blank = self.random.choice(("", " ", " ", "\n "))
        return f"{self.term(3, 699)}{blank}{sign}{blank}{self.term(3, 699)}"

    def term(self, depth: int, most: int) -> str:
        """A term whose operator has at most a precedence, or that has brackets."""
        random = self.random
        if depth == 0 or random.random() < 0.25:
            return random.choice((*self.variables, *self.constants))
        kind = random.random()
        if kind < 0.3:
            name, arity = random.choice([*self.functions.items()])
            args = random.choice((",", ", ")).join(self.term(depth - 1, 998) for _ in range(arity))
            return f"{name}({args})"
        blank = random.choice(("", " ", " "))
        if kind < 0.7:
            name, (level, left, right) = random.choice([*self.infix.items()])
            blank = " " if name[0].isalpha() else blank
            text = f"{self.term(depth - 1, left)}{blank}{name}{blank}{self.term(depth - 1, right)}"
        elif kind < 0.87:
            name, (level, bound) = random.choice([*self.prefix.items()])
            text = f"{name}{' ' if name[0].isalpha() else blank}{self.term(depth - 1, bound)}"
        else:
            name, (level, bound) = random.choice([*self.behind.items()])
            text = f"{self.term(depth - 1, bound)}{' ' if name[0].isalpha() else blank}{name}"
        return f"({text})" if level > most or random.random() < 0.15 else text


_COMMANDS: Final = (
    "set(auto).",
    "clear(auto_denials).",
    "assign(order, kbo).",
    "assign(max_weight, 100).",
    "function_order([a, b, c]).",
    "if(Prover9). % ours\nset(breadth_first). end_if.",
    "if(Mace4).\nop(410, infix, o). if(Prover9). set(x). end_if. assign(domain_size, 3).\nend_if.",
    "if(prover9). op(420, infix, p). end_if.",
    'redeclare(negated_equality, "#=").',
)
