"""TSTP: proofs as E, Vampire and Twee (`--tstp`) print them, a list of annotated formulas.

    cnf(c_0_4, plain, (f(X1)=X1), inference(rw,[status(thm)],[c_0_2, c_0_3])).
    fof(f7, plain, ( ! [X0] : f(X0) = X0 ), inference(superposition,[],[f2,f3])).

A formula is an equation, a denied one, the contradiction `$false`, or one of these under
universal quantifiers. Formulas that have another shape are left aside, unless the proof of the
goal from its equations rests on them: E and Vampire normalise a conjecture in several steps, of
which only the last one, the denied equation, says what they worked with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from threesil.errors import InputError
from threesil.kernel.terms import Term
from threesil.notations.lines import Text
from threesil.notations.operators import Token
from threesil.provers.proofs.skeleton import Fact, Parent, Skeleton, UnreadableProof, needed
from threesil.provers.proofs.syntax import Tokens, read_term, unquoted

OTHER = "other"
"""The rule of a formula that is none of the three shapes."""
_BEGIN = re.compile(r"^(?:cnf|fof|tff)\(", re.M)
_BRACKET = re.compile(r"'(?:[^'\\]|\\.)*+'?|[()]", re.DOTALL)
_DEEPEST = 1000  # brackets around a formula
_OVERLAPS = frozenset({"spm", "pm", "superposition", "paramodulation", "er", "resolution"})


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a formula comes from: a name of the input, or a rule and the parents in order."""

    label: str = ""
    rule: str = ""
    parents: tuple[Parent, ...] = ()
    main: int = 1


def is_tstp(text: str) -> bool:
    """Whether there is an annotated formula with an inference."""
    return _BEGIN.search(text) is not None and "inference(" in text


def read(text: str, source: str = "<output>") -> Skeleton:
    """The skeleton of the refutation."""
    prover = _prover(text)
    text = re.sub(r"^[#%][^\n]*", lambda found: " " * len(found.group()), text, flags=re.M)
    facts: dict[str, Fact] = {}
    whole, end = Text(source, text), 0
    for start in _BEGIN.finditer(text):
        if start.start() < end:  # inside of another one
            continue
        end = _end(text, start.end())
        fact = _formula(whole, start.end(), end)
        facts.setdefault(fact.name, fact)
    return refutation(prover, facts, source)


def _prover(text: str) -> str:
    if re.search(r"Vampire|Thanks to ", text):
        return "vampire"
    return "e" if re.search(r"^# |inference\((?:rw|spm|pm|cn)\b", text, re.M) else "tstp"


def refutation(prover: str, facts: dict[str, Fact], source: str) -> Skeleton:
    """The skeleton of the facts, without what comes before the first denied equation."""
    last = next((f for f in facts.values() if f.sides is None and f.rule != OTHER), None)
    if last is None:
        raise UnreadableProof("the output has no line that derives $false", source=source)
    goal = None
    for fact in facts.values():
        if fact.denied and not any(facts[p.name].denied for p in fact.parents if p.name in facts):
            goal = goal or fact
    if goal is None:
        raise UnreadableProof("the output has no denied goal", source=source)
    kept: dict[str, Fact] = {}
    for name, fact in facts.items():
        if fact.rule == OTHER and name != goal.name:
            continue
        if name == goal.name:
            fact = replace(fact, parents=())
        elif fact.parents and all(_is_other(facts.get(p.name)) for p in fact.parents):
            # the clause of a quantified formula that is no clause yet: as good as an axiom
            fact = replace(fact, parents=(), label=_label(facts, fact))
        kept[name] = fact
    return needed(prover, kept, kept[goal.name], kept[last.name])


def _is_other(fact: Fact | None) -> bool:
    return fact is not None and fact.rule == OTHER


def _label(facts: dict[str, Fact], fact: Fact) -> str:
    """The label of the first fact that has one, going up from a fact by first parents."""
    passed: set[str] = set()
    while not fact.label and fact.parents and fact.name not in passed and len(passed) < _DEEPEST:
        passed.add(fact.name)
        fact = facts.get(fact.parents[0].name, fact)
    return fact.label


def _formula(text: Text, start: int, end: int) -> Fact:
    tokens = Tokens.of(text, start, end)
    name = unquoted(tokens.take())
    tokens.expect(",")
    role = tokens.take()
    tokens.expect(",")
    body = _skip(tokens)
    where = _Source()
    if tokens.peek() == ",":
        tokens.take()
        where = _origin(tokens, name)
    shape = clause(Tokens(text, [*body, Token("end", "", body[-1].offset + 1)]))
    if shape is None:
        return Fact(name, None, label=where.label, rule=OTHER, parents=where.parents)
    sides, denied = shape
    if role == "conjecture":
        return Fact(name, None, label=where.label, rule=OTHER, parents=where.parents)
    return Fact(name, sides, denied, where.label, where.rule, where.parents, where.main)


def _end(text: str, start: int) -> int:
    """Where the bracket that is open at `start` closes."""
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if depth == 0:
            return found.start()
    return len(text)


def _skip(tokens: Tokens) -> list[Token]:
    """The tokens up to the next comma outside brackets."""
    depth, begin = 0, tokens.next
    while (token := tokens.peek()) and not (token == "," and depth == 0):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
        tokens.take()
    if tokens.next == begin:
        raise tokens.error("expected a formula")
    return tokens.items[begin : tokens.next]


def clause(tokens: Tokens) -> tuple[tuple[Term, Term] | None, bool] | None:
    """The sides and whether they are denied; None if the formula is no such clause."""
    denied, brackets = False, 0
    while (token := tokens.peek()) in ("(", "~", "!"):
        if token == "(" and (brackets > _DEEPEST or not _encloses(tokens)):
            break
        tokens.take()
        if token == "(":
            brackets += 1
        elif token == "~":
            denied = not denied
        elif not _quantifier(tokens) or denied:
            return None
    if tokens.peek() == "$false" and not denied:
        return None, False
    try:
        lhs = read_term(tokens, _is_variable)
        sign = tokens.take()
        rhs = read_term(tokens, _is_variable)
    except InputError:
        return None
    if sign not in ("=", "!=") or any(t.text not in (")", "") for t in tokens.items[tokens.next :]):
        return None
    return (lhs, rhs), denied != (sign == "!=")


def _encloses(tokens: Tokens) -> bool:
    """Whether the bracket at the next token closes behind all that follows."""
    depth = 0
    for place in range(tokens.next, len(tokens.items)):
        depth += {"(": 1, ")": -1}.get(tokens.items[place].text, 0)
        if depth == 0:
            return all(token.text in (")", "") for token in tokens.items[place:])
    return False


def _quantifier(tokens: Tokens) -> bool:
    """Passes over `[X, Y] :`."""
    if tokens.take() != "[":
        return False
    while tokens.take() not in ("]", ""):
        pass
    return tokens.take() == ":"


def _origin(tokens: Tokens, name: str) -> _Source:
    """`file(f, label)`, `inference(rule, [...], [parents])`, a parent's name, or something else."""
    rule, label, main = "", "", 1
    parents: list[Parent] = []
    depth = 0
    while token := tokens.take():
        if token == "inference" and tokens.peek() == "(":
            tokens.take()
            depth += 1
            rule = tokens.take()  # the innermost rule comes last
            tokens.expect(",")
            _skip(tokens)
            if tokens.peek() != ",":
                return _Source(label, rule, tuple(parents), main)
            tokens.take()
        elif token == "file" and tokens.peek() == "(":
            tokens.take()
            tokens.take()
            if tokens.peek() == ",":
                tokens.take()
                label = unquoted(tokens.take())
            tokens.expect(")")
        elif token in ("introduced", "theory", "status") and tokens.peek() == "(":
            rule = rule or token
            _skip_brackets(tokens)
        elif token in "([":
            depth += 1
        elif token in ")]":
            depth -= 1
        elif token == "," and depth <= 0:
            break
        elif re.match(r"[\w']", token):
            parents.append(Parent(unquoted(token)))
    if rule in _OVERLAPS:
        main = 2
    return _Source(label, rule or ("copy" if parents else ""), tuple(parents), main)


def _skip_brackets(tokens: Tokens) -> None:
    depth = 0
    while token := tokens.take():
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token, 0)
        if depth == 0:
            return


def _is_variable(name: str) -> bool:
    return name[0].isupper()
