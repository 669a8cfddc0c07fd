"""Objects of the native core whose methods are called in any order, with arguments that are often
wrong: what comes of it is an answer or an exception of Python's, never the end of the process.

`python tests/fuzz/native.py CALLS [SEED]` makes so many calls in this process; `make fuzz` has this
target among its own.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, Final

if __name__ == "__main__":
    _TESTS = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(_TESTS), str(_TESTS / "shared")]

import numpy as np

from samples import AIM, THEORIES, problems
from threesil import _native
from threesil.engine import Shape
from threesil.engine.compiled import compile_theory
from threesil.engine.network import layout
from threesil.kernel.theory import Theory

CALLS: Final = 20  # of an input
_SECONDS: Final = 0.25  # by the clock, after which the input's searches are told to stop
_SHAPE: Final = Shape(16, 16, True)
_REFUSALS: Final = (ValueError, TypeError, IndexError, OverflowError, RuntimeError, MemoryError)
# What says how the core was made, not what was wrong with the call.
_INSIDE: Final = ("std::", "vector::", "basic_string", "self-check", "no single rewrite", "_M_")
_WILD: Final[tuple[Any, ...]] = (
    *(-1, 0, 1, 2, 7, 255, 256, 65535, 65536, 2**21, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**31), -(2**63), 2**100, 0.5, float("nan")),
    *(float("inf"), -float("inf"), 1e300, None, "x", b"x", (), [], {}, True, object()),
)
_TYPES: Final = (np.int8, np.uint8, np.uint16, np.int32, np.uint32, np.uint64, np.float32, np.int64)


@lru_cache
def _compiled(theory: Theory) -> tuple[Any, list[tuple[list[int], list[int]]]]:
    """A theory's rules, and the codes of some problems."""
    codec, rules = compile_theory(theory)
    return rules, [codec.problem(problem) for problem in problems(theory)]


def _parameters(theory: Theory) -> int:
    return sum(int(np.prod(shape)) for shape in layout(theory, _SHAPE).values())


class _Bench:
    """The objects of an input, and calls of their methods."""

    def __init__(self, random: Random, stop: Any) -> None:
        self.random, self.stop = random, stop
        self.calls, self.making = 0, set[str]()
        self.theory = random.choice(THEORIES) if random.random() < 0.3 else AIM
        self.rules, self.problems = _compiled(self.theory)
        self.actions = len(self.theory.actions)
        self.objects: dict[str, list[Any]] = {"rules": [self.rules], "stop": [stop]}
        symbols = random.randrange(1, 5)
        self.arity = [0, *(random.choice((0, 1, 1, 2, 2, 3)) for _ in range(symbols))]
        everything = [getattr(self, name) for name in dir(self) if name.startswith("do_")]
        # A few things again and again lead deeper than all of them once.
        uses = [name for name in everything if name.__name__.startswith("do_use_")]
        self.does: list[Callable[[], None]] = random.sample([*everything, *uses, *uses], 4)
        self.mistakes = random.choice((0.0, 0.3, 1.0, 3.0))

    def call(self, kind: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls it and keeps what it gives; None if the core refuses, as it should."""
        self.calls += 1
        try:
            made = function(*arguments)
        except _native.Stopped:
            return None
        except _REFUSALS as error:
            said = str(error)
            if not said and not isinstance(error, MemoryError):
                raise AssertionError(f"{function} refuses without a word") from error
            if any(word in said for word in _INSIDE) and not isinstance(error, MemoryError):
                raise AssertionError(f"{function.__name__}{arguments} says {said!r}") from error
            return None
        if kind:
            self.objects.setdefault(kind, []).append(made)
        return made

    def method(self, of: str, name: str, *arguments: Any, kind: str = "") -> Any:
        """Calls a method of some object of that kind, if there is one; now and then a wrong one."""
        mine = self.ensured(of)
        if not mine:
            return None
        arguments = tuple(self.wild() if self.wrong(0.01) else given for given in arguments)
        return self.call(kind, getattr(self.random.choice(mine), name), *arguments)

    def ensured(self, kind: str) -> Sequence[Any]:
        """The objects of the kind; there is one at least, unless it was refused."""
        if not self.objects.get(kind) and kind not in self.making:
            self.making.add(kind)
            getattr(self, "do_" + kind.replace(" ", "_"))()
            self.making.remove(kind)
        return self.objects.get(kind, ())

    def again(self, kind: str) -> bool:
        """Whether to make another object of the kind."""
        return not self.objects.get(kind) or self.random.random() < 0.2

    # Arguments

    def wrong(self, share: float) -> bool:
        """Whether to make a mistake, which some inputs do more often than others."""
        return self.random.random() < share * self.mistakes

    def wild(self) -> Any:
        """Anything: a number that is too large, or no number, or some object."""
        if self.wrong(0.2):
            return self.random.choice(self.random.choice([o for o in self.objects.values() if o]))
        return self.random.choice(_WILD)

    def number(self, *usual: Any) -> Any:
        return self.wild() if self.wrong(0.02) else self.random.choice(usual)

    def some(self, kind: str) -> Any:
        """An object of the kind if there is one, now and then another thing."""
        if kind == "rules" and not self.wrong(0.1):
            return self.rules
        mine = self.ensured(kind)
        return self.wild() if not mine or self.wrong(0.03) else self.random.choice(mine)

    def until(self) -> Any:
        return self.stop

    def seconds(self) -> Any:
        return self.number(0.0, 0.01, 0.05, float("inf"))

    def codes(self, variables: int = 3, arity: Sequence[int] | None = None) -> Any:
        """A term of the symbols; or what is none."""
        arity = self.arity if arity is None else arity
        found: list[Any] = []
        due = 1
        while due:
            leaf = len(found) > 12 or self.random.random() < 0.3
            fitting = [f for f, a in enumerate(arity) if a == 0 or not leaf]
            code = self.random.choice(fitting)
            if variables and self.random.random() < 0.4:
                code = ~self.random.randrange(variables)
            found.append(code)
            due += (arity[code] if code >= 0 else 0) - 1
        return self.spoiled(found)

    def spoiled(self, codes: Sequence[Any]) -> Any:
        """A list as it is, or with a mistake in it."""
        found = list(codes)
        if not self.wrong(0.01):
            return found
        mistakes = (
            lambda: found[:-1],
            lambda: [*found, 0],
            lambda: found[::-1],
            lambda: [],
            lambda: [*found[:-1], self.wild()],
            lambda: [1] * 100_000,
            lambda: self.wild(),
        )
        return self.random.choice(mistakes)()

    def goal(self) -> tuple[Any, Any]:
        start, target = self.random.choice(self.problems)
        return self.spoiled(start), self.spoiled(target) if target else []

    def pairs(self, least: int = 0) -> Any:
        many = range(self.random.randrange(least, 4))
        return self.spoiled([(self.codes(), self.codes()) for _ in many])

    def array(self, kind: Any, *shape: int, below: int = 2) -> Any:
        """An array of small numbers; or one of another kind or shape, or that can't be used."""
        if self.wrong(0.02):
            kind = self.random.choice(_TYPES)
        if self.wrong(0.02):
            shape = tuple(max(0, n + self.random.choice((-1, 0, 1, 40))) for n in shape)
        if self.wrong(0.01):
            shape = (*shape, 2)
        size = int(np.prod(shape))
        values = [self.random.randrange(max(1, below)) for _ in range(min(size, 64))]
        made = np.resize(np.array(values or [0]), shape).astype(kind)
        if self.wrong(0.01) and made.size:
            made.flat[-1] = np.iinfo(kind).max if np.issubdtype(kind, np.integer) else np.nan
        if self.wrong(0.01):
            made = made[..., ::2]
        if self.wrong(0.01):
            made.flags.writeable = False
        return made

    # What is done: objects are made, and used

    def do_any_method(self) -> None:
        """Any method of any object with any arguments."""
        kind = self.random.choice([kind for kind, made in self.objects.items() if made])
        made = self.random.choice(self.objects[kind])
        names = [n for n in dir(type(made)) if not n.startswith("__") or n in ("__len__",)]
        name = self.random.choice([*names, "__init__"])
        many = self.random.choice((0, 1, 2, 3, 5, 8, 12))
        self.call(
            "", lambda *given: self._used(made, name, given), *(self.wild() for _ in range(many))
        )

    def _used(self, made: Any, name: str, given: Sequence[Any]) -> Any:
        used = getattr(made, name)
        return used(*given) if callable(used) else used

    def do_empty_shell(self) -> None:
        """An object that was never made."""
        kind = self.random.choice([k for k in vars(_native).values() if isinstance(k, type)])
        if issubclass(kind, Exception):
            return
        made = self.call("", kind.__new__, kind)
        if made is None:
            return
        names = [n for n in dir(kind) if not n.startswith("_")]
        if names:
            self.call("", lambda: self._used(made, self.random.choice(names), ()))

    def do_stop(self) -> None:
        made = self.call("stop", _native.Stop)
        if self.random.random() < 0.2:
            self.method("stop", self.random.choice(("set", "is_set")))
            if made is not None:
                made.clear()

    def do_rules(self) -> None:
        arity = self.spoiled([2, *self.arity, 2, 1])
        rule = (self.codes(), self.codes(), self.number(0, 3, 4), self.number(0, 1), True)
        some = [(False, 0, [rule]), (True, self.number(0, 1), []), self.wild()]
        actions = self.spoiled([self.random.choice(some) for _ in range(self.random.randrange(3))])
        symbols = len(self.arity) + 3
        made = self.number(0, 1, 2), self.number(0, symbols - 2), self.number(True), True
        self.call("rules", _native.Rules, arity, self.spoiled([0] * symbols), actions, *made)

    def do_problems(self) -> None:
        goals = self.spoiled([self.goal() for _ in range(self.random.randrange(1, 4))])
        self.call("problems", _native.Problems, self.some("rules"), goals)
        self.method("problems", "__len__")

    def do_net(self) -> None:
        made = self.number(16), self.number(16), self.number(True)
        self.call("net", _native.TreeNet, self.some("rules"), *made)
        weights = self.array(np.float32, _parameters(self.theory), below=3)
        if self.random.random() < 0.7 and isinstance(weights, np.ndarray):
            weights = (weights - 1).astype(weights.dtype) * weights.dtype.type(
                self.random.choice((1, 1, 1, 0))
            )
        if self.wrong(0.1):
            weights = np.full(_parameters(self.theory), 3e38, np.float32)
        self.method("net", "load", weights)

    def do_term_search(self) -> None:
        if self.again("term search"):
            self.call("term search", _native.TermSearch, self.some("rules"), True)
        self._prove("term search")

    def do_saturation(self) -> None:
        if self.again("saturation"):
            self.call("saturation", _native.Saturation, self.some("rules"), True)
            self._prove("saturation")
        how = self.random.randrange(4)
        limits = self.number(0, 1, 30), self.seconds(), self.number(1, 100, 10_000)
        if how == 0:
            costs = self.spoiled([self.number(0.0, 1.0) for _ in range(self.random.choice((0, 9)))])
            for one in self.objects.get("saturation", ())[-1:]:
                self.call("", setattr, one, "rule_cost", costs)
        elif how == 1:
            self.method("saturation", "resume", *limits, self.until())
        elif how == 2:
            several = self.number(0, 5), self.number(1, 20), self.seconds()
            self.method("saturation", "equations", *several, self.until())
        else:
            self._prove("saturation")

    def _prove(self, of: str) -> None:
        limits = self.number(0, 1, 30), self.seconds(), self.number(0, 20), self.number(1, 6)
        more = self.number(1, 100, 10_000), self.number(0, 1, 2**32 - 1)
        self.method(of, "prove", self.goal()[0], *limits, *more, self.until())

    def do_levin(self) -> None:
        made = self.some("rules"), self.some("net"), True
        if self.again("levin"):
            self.call("levin", _native.LevinSearch, *made)
        limits = self.number(0, 10, 30), self.seconds(), self.number(1, 10_000), self.number(1, 20)
        draw = self.number(0, 1), self.number(0, 1)
        self.method("levin", "solve", *self.goal(), *limits, *draw, self.until())

    def do_guided(self) -> None:
        outputs = self.spoiled(range(self.actions))
        made = self.some("rules"), self.some("net"), outputs, True
        if self.again("guided"):
            self.call("guided", _native.GuidedSearch, *made)
        options = self.number(0.0, 0.5), self.number(0.0, 0.1), self.number(0, 4), self.number(20)
        self.method("guided", "set_options", *options)
        limits = self.number(0, 10, 30), self.seconds(), self.number(1, 10_000), self.number(0, 1)
        start = self.goal()[0]
        if self.random.random() < 0.5:
            self.method("guided", "solve", start, *limits, self.number(0), self.until())
        else:
            free = len(compile_theory(self.theory)[0].symbols) + 4
            several = self.number(0, 5), self.number(free)
            self.method("guided", "explore", start, *limits, *several, self.until())

    def do_batch(self) -> None:
        sizes = self.random.choice((1, 3)), self.random.choice((1, 2))
        if self.wrong(0.1):
            sizes = self.random.choice((0, -1, 2**20 + 1, 2**64, None)), sizes[1]
        limits = self.number(5, 20), self.number(60), self.number(20), self.number(4)
        made = self.some("rules"), *sizes, *limits, self.number(100, 5000), False, True
        self.call("batch", _native.Batch, *made)
        self.method("batch", "load", self.some("problems"))
        self.method("batch", "reset", 0, 0)

    def do_use_batch(self) -> None:
        slot, problem = self.number(0, 1, 2), self.number(0, 1)
        taken = self.array(np.uint16, self.random.choice((0, 1, 4)), below=self.actions)
        out = self.random.choice((1, 3)), self.actions
        name, *given = self.random.choice(
            (
                ("reset", slot, problem),
                ("reset", slot, problem),
                *((name, slot) for name in ("codes", "path", "end", "problem", "actions")),
                ("ends",),
                ("profile",),
                ("set_profiling", True),
                ("replace", problem, *self.goal()),
                ("step", self.array(np.int32, out[0], below=self.actions)),
                ("step", np.full(out[0], -1, np.int32)),
                ("masks", self.array(np.uint8, *out)),
                ("logits", self.some("net"), 0, 0, self.array(np.float32, *out)),
                ("chain", slot, problem, taken),
                ("side_chain", slot, problem, taken, self.number(0, 1), self.number(40)),
                (
                    "observe",
                    self.array(np.int32, out[0], self.random.choice((0, 1, 30))),
                    self.array(np.int32, out[0]),
                    self.array(np.int32, out[0]),
                    self.number(0, 4),
                ),
            )
        )
        self.method("batch", name, *given)

    def do_use_batch_at_play(self) -> None:
        chosen = self.array(np.uint32, self.random.choice((0, 1, 4)))
        draw = self.number(0, 1), self.number(0, 1), self.number(0, 1)
        how = self.random.randrange(3)
        if how == 0:
            self.method("batch", "play_random", chosen, *draw, self.until())
        elif how == 1:
            options = self.number(0.0, 0.5), self.number(True, False), self.number(True, False)
            given = self.some("net"), chosen, *draw, *options, self.until()
            self.method("batch", "play_guided", *given)
        else:
            taken = self.array(np.uint16, 4, below=self.actions)
            ends = np.array([0, *sorted(self.random.choices(range(5), k=chosen.shape[0]))])
            offsets = ends.astype(np.uint64)
            if self.wrong(0.1):
                offsets = self.array(np.uint64, chosen.shape[0] + 1, below=6)
            self.method("batch", "replay", chosen, taken, offsets, self.until())

    def do_states(self) -> None:
        self.call("states", _native.StateStore, self.some("rules"), False, True)
        self.method("states", "load", self.some("problems"))
        self.method("states", "add", 0, np.zeros(0, np.uint16), True)

    def do_use_states(self) -> None:
        taken = self.array(np.uint16, self.random.choice((0, 1, 4)), below=self.actions)
        many = self.random.choice((0, 1, 3))
        states, draws = self.array(np.uint32, many, below=3), self.array(np.uint64, many)
        name, *given = self.random.choice(
            (
                ("add", self.number(0, 1), taken, self.number(True, False)),
                ("add", 0, np.zeros(0, np.uint16), True),
                ("prune", self.number(0, 1), taken),
                ("codes", self.number(0, 1, 2)),
                ("masks", states, self.array(np.uint8, many, self.actions)),
                ("__len__",),
                ("forward", self.some("net"), states, draws, 0, 0, self.until()),
            )
        )
        self.method("states", name, *given, kind="pass" if name == "forward" else "")

    def do_pass(self) -> None:
        zero = np.zeros(1, np.uint32)
        given = self.some("net"), zero, zero.astype(np.uint64), 0, 0, self.until()
        self.method("states", "forward", *given, kind="pass")

    def do_use_pass(self) -> None:
        many = self.random.choice((0, 1, 3))
        logits = self.array(np.float32, many, self.actions)
        values = self.array(np.float32, many)
        gradient = np.zeros(_parameters(self.theory), np.float32)
        name, *given = self.random.choice(
            (
                ("outputs", logits, values),
                ("backward", logits, values, gradient, self.until()),
                ("schedule",),
            )
        )
        self.method("pass", name, *given)

    def _order(self) -> tuple[Any, Any, Any]:
        symbols = len(self.arity)
        ranks = list(range(symbols))
        self.random.shuffle(ranks)
        weights = [self.random.choice((1, 1, 1, 2)) for _ in range(symbols)]
        return tuple(self.spoiled(row) for row in (self.arity, weights, ranks))  # type: ignore[return-value]

    def do_pair_net(self) -> None:
        size, hidden = self.number(0, 16), self.number(16)
        many = 3 * _native.PAIR_FEATURES
        if isinstance(size, int) and isinstance(hidden, int) and 0 <= size <= hidden == 16:
            inputs = _native.PAIR_FEATURES + 5 * size
            many += (inputs + hidden + 3) * hidden + 1
            if size:
                many += (size + _native.PAIR_MARKS + 1) * size + 4 * size * size + size
        weights = np.resize(self.array(np.float32, 9, below=3), many).astype(np.float32)
        if self.wrong(0.1):
            weights[:] = self.random.choice((np.nan, 3e38, -3e38))
        self.call("pair net", _native.PairNet, size, hidden, self.number(weights))

    def do_selection(self) -> None:
        goal = self.codes(0), self.codes(0)
        scaffolding = self.spoiled([0] * len(self.arity))
        net = self.some("pair net") if self.random.random() < 0.7 else None
        how = scaffolding, self.number(-1), net, self.number(0, 1, 2), self.number(0, 1), True
        self.call("selection", _native.Selection, *self._order(), self.pairs(), goal, *how)

    def do_use_selection(self) -> None:
        many = self.random.choice((0, 1, 2))
        sides = [self.codes() for _ in range(2 * many)]
        whole = [side for side in sides if isinstance(side, list)]
        ints = [c for side in whole for c in side if isinstance(c, int) and -(2**31) <= c < 2**31]
        codes = np.array(ints, np.int32)
        ends = np.cumsum([len(side) for side in whole]).astype(np.uint64)
        if self.wrong(0.1):
            ends = self.array(np.uint64, 2 * many, below=9)
        pairs = codes, ends, self.array(np.uint32, many)
        width = _native.PAIR_FEATURES
        name, *given = self.random.choice(
            (
                ("features", *pairs, self.array(np.float32, many, width), np.zeros(many, np.uint8)),
                ("judge", *pairs, self.array(np.float32, many)),
                ("marks", self.array(np.float32, len(self.arity) + 1, _native.PAIR_MARKS)),
                ("vector", self.number(0, 1, -1)),
                ("recorded",),
            )
        )
        self.method("selection", name, *given)

    def do_completion(self) -> None:
        meaning: Any = {}
        equations = self.pairs(1)
        if self.wrong(0.2):
            constants = [f for f, arity in enumerate(self.arity) if arity == 0]
            meaning = {self.random.choice((*constants, *constants, -1, 99, 2**40)): self.codes(0)}
            meaning = self.number(meaning)
            if isinstance(equations, list):
                equations = [*equations, (self.codes(0), [constants[-1]])]
        goals = self.spoiled([(self.codes(0), self.codes(0))][: self.random.choice((0, 1, 1))])
        binary = [f for f, arity in enumerate(self.arity) if arity == 2]
        equals = self.number(-1, -1, *binary)
        scaffolding = self.spoiled([0] * len(self.arity))
        pairs = self.number(1, 10, 10_000)
        chosen = self.some("selection") if self.random.random() < 0.3 else None
        made = *self._order(), self.number(False, True), equations, goals, pairs, meaning
        fair = self.number(0, 0, 1, 3)
        hints = self.some("hints") if self.random.random() < 0.3 else None
        given = scaffolding, equals, chosen, fair, hints
        self.call("completion", _native.Completion, *made, *given)

    def do_hints(self) -> None:
        self.call("hints", _native.Hints, self.spoiled(self.arity), self.pairs(3))

    def do_use_completion(self) -> None:
        facts = self.spoiled([self.random.randrange(4) for _ in range(self.random.randrange(3))])
        name, *given = self.random.choice(
            (
                ("run", self.number(0, 1, 20), self.seconds(), self.until()),
                ("run", self.number(5, 50), self.seconds(), self.until()),
                ("proof", self.seconds(), self.until()),
                ("lemmas", facts, self.seconds(), self.until()),
                ("active",),
                ("judged", self.until()),
            )
        )
        self.method("completion", name, *given)
        for one in self.objects.get("completion", ())[-1:]:
            self.call("", getattr, one, self.random.choice(("facts", "statistics")))

    def do_laws(self) -> None:
        arity = self.spoiled([min(a, 2) for a in self.arity])
        self.call("laws", _native.Laws, arity, self.number(100, 10_000), self.pairs())
        size = self.number(1, 2, 3)
        cells = sum(size ** min(a, 2) for a in self.arity) if size in (1, 2, 3) else 5
        self.method("laws", "add", size, self.array(np.uint8, cells, below=2))

    def do_use_laws(self) -> None:
        law, other, model = (self.number(0, 1, 2) for _ in range(3))
        rows = self.random.choice((0, 1, 2)), 1
        several = law, other, model, self.number(0, 1, 2), self.seconds(), self.until()
        name, *given = self.random.choice(
            (
                ("refuting", *several),
                ("failing", law, model, self.until()),
                (
                    "rows",
                    model,
                    self.array(np.uint8, *rows),
                    self.array(np.uint8, *rows),
                    self.until(),
                ),
            )
        )
        self.method("laws", name, *given)

    def do_tables(self) -> None:
        size = self.number(1, 2, 3)
        differ, goal = self.pairs(), self.number(len(self.arity))
        made = self.spoiled(self.arity), self.pairs(), differ, goal, self.number(100, 10_000)
        self.call("tables", _native.TableSearch, size, *made)

    def do_use_tables(self) -> None:
        cells = 5
        for one in self.objects.get("tables", ())[-1:]:
            cells = one.offsets[-1] if one.fits else 5
        given = self.array(np.int8, min(cells, 10_000))
        if given.dtype == np.int8 and given.flags.writeable and not self.wrong(0.3):
            given[:] = -1
        self.method(
            "tables", "search", given, self.number(0, 10, 1000), self.seconds(), self.until()
        )


def _used(random: Random) -> int:
    """One input; how many calls it made."""
    stop = _native.Stop()
    timer = Timer(_SECONDS, stop.set)
    timer.daemon = True
    timer.start()
    try:
        bench = _Bench(random, stop)
        while bench.calls < CALLS:
            random.choice(bench.does)()
        return bench.calls
    finally:
        timer.cancel()


def target_native(random: Random) -> None:
    """Builds objects of the core and calls them."""
    _used(random)


TARGETS = (target_native,)


def main(calls: int, seed: int = 0) -> None:
    """Makes so many calls; what is wrong comes through, after the number of the input."""
    done, begin, slowest = 0, time.process_time(), (0.0, 0)
    for number in count():
        if done >= calls:
            took = time.process_time() - begin
            print(f"{done} calls in {number} inputs, {took:.0f} s of CPU time")
            print(f"the slowest is input {slowest[1]}, {slowest[0]:.1f} s")
            return
        first = time.process_time()
        try:
            done += _used(Random(f"native:{seed}:{number}"))
            slowest = max(slowest, (time.process_time() - first, number))
        except BaseException:
            print(f"input {number} of seed {seed}", file=sys.stderr)
            raise


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
