"""threesil's native core; use it through threesil.engine"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Stopped(Exception):
    """Native work ended because its stop flag was set."""

class Stop:
    """
    A flag that ends native work, set by another thread or a signal handler; it can be used for many calls.
    """

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def is_set(self) -> bool: ...

class Rules:
    def __init__(self, arity: Sequence[int], constructor: Sequence[int], actions: list[Any], goal: int, equality: int, enter_leaves: bool, no_repeats: bool) -> None: ...

    @property
    def actions(self) -> int: ...

class Problems:
    def __init__(self, rules: Rules, problems: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None: ...

    def __len__(self) -> int: ...

class TreeNet:
    def __init__(self, rules: Rules, size: int, hidden: int, value: bool) -> None: ...

    @property
    def parameters(self) -> int: ...

    def load(self, parameters: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class TreePass:
    def outputs(self, logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def backward(self, dlogits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], dvalues: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], stop: Stop | None = None) -> None: ...

    def schedule(self) -> dict[str, Any]: ...

class StateStore:
    def __init__(self, rules: Rules, quirk: bool, self_check: bool) -> None: ...

    def load(self, problems: Problems) -> None: ...

    def add(self, problem: int, actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], with_last: bool) -> int: ...

    def prune(self, problem: int, actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def codes(self, state: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def masks(self, states: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def forward(self, net: TreeNet, states: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], draws: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, stream: int, stop: Stop | None = None) -> TreePass: ...

    def __len__(self) -> int: ...

    @property
    def terms(self) -> int: ...

class TermSearch:
    def __init__(self, rules: Rules, self_check: bool) -> None: ...

    def prove(self, codes: Sequence[int], expansions: int, seconds: float, growth: int, depth_cost: int, terms: int, length: int, stop: Stop | None = None) -> dict[str, Any]: ...

class Saturation:
    def __init__(self, rules: Rules, self_check: bool) -> None: ...

    def prove(self, codes: Sequence[int], expansions: int, seconds: float, growth: int, depth_cost: int, terms: int, length: int, stop: Stop | None = None) -> dict[str, Any]: ...

    def resume(self, expansions: int, seconds: float, terms: int, stop: Stop | None = None) -> dict[str, Any]: ...

    def equations(self, count: int, size: int, seconds: float, stop: Stop | None = None) -> list[Any]: ...

    @property
    def rule_cost(self) -> list[float]: ...

    @rule_cost.setter
    def rule_cost(self, arg: Sequence[float], /) -> None: ...

class LevinSearch:
    def __init__(self, rules: Rules, net: TreeNet, self_check: bool) -> None: ...

    def solve(self, start: Sequence[int], target: Sequence[int], expansions: int, seconds: float, terms: int, steps: int, seed: int, episode: int, stop: Stop | None = None) -> dict[str, Any]: ...

class GuidedSearch:
    def __init__(self, rules: Rules, net: TreeNet, outputs: Sequence[int], self_check: bool) -> None: ...

    def set_options(self, noise: float, size_cost: float, variables: int, growth: int) -> None: ...

    def solve(self, codes: Sequence[int], expansions: int, seconds: float, terms: int, seed: int, episode: int, stop: Stop | None = None) -> dict[str, Any]: ...

    def explore(self, codes: Sequence[int], expansions: int, seconds: float, terms: int, seed: int, count: int, first_free: int, stop: Stop | None = None) -> list[Any]: ...

class Batch:
    def __init__(self, rules: Rules, width: int, threads: int, steps: int, size: int, depth: int, variables: int, bank_terms: int, quirk: bool, self_check: bool) -> None: ...

    def load(self, problems: Problems) -> None: ...

    def replace(self, index: int, start: Sequence[int], target: Sequence[int]) -> None: ...

    @property
    def width(self) -> int: ...

    def set_profiling(self, on: bool) -> None: ...

    def profile(self) -> list[int]: ...

    def reset(self, slot: int, problem: int) -> None: ...

    def codes(self, slot: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def path(self, slot: int) -> list[int]: ...

    def end(self, slot: int) -> int: ...

    def problem(self, slot: int) -> int: ...

    def actions(self, slot: int) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def ends(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

    def step(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def masks(self, out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def observe(self, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], cursors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], constants: int) -> None: ...

    def logits(self, net: TreeNet, seed: int, stream: int, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def chain(self, slot: int, problem: int, actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Any, ...]: ...

    def side_chain(self, slot: int, problem: int, actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], side: int, first_free: int) -> tuple[Any, ...]: ...

    def play_random(self, problems: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, stream: int, first_episode: int, stop: Stop | None = None) -> dict[str, Any]: ...

    def play_guided(self, net: TreeNet, problems: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, stream: int, first_episode: int, noise: float, greedy: bool, all: bool, stop: Stop | None = None) -> dict[str, Any]: ...

    def replay(self, problems: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], actions: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], stop: Stop | None = None) -> dict[str, Any]: ...

class PairNet:
    def __init__(self, size: int, hidden: int, parameters: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

PAIR_FEATURES: int = 54

PAIR_MARKS: int = 10

class Selection:
    def __init__(self, arity: Sequence[int], weight: Sequence[int], rank: Sequence[int], equations: Sequence[tuple[Sequence[int], Sequence[int]]], goal: tuple[Sequence[int], Sequence[int]], scaffolding: Sequence[int], equals: int, net: PairNet | None, turns: int, seed: int, record: bool) -> None: ...

    def features(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], depths: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], swapped: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        The features of pairs in a row, and whether the right side is the larger.
        """

    def judge(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], depths: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """What the network says about pairs that are given in a row."""

    def marks(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """The marks of the symbols, and last of a variable."""

    def vector(self, code: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The random numbers and marks of a symbol or ~variable."""

    def recorded(self) -> tuple[Any, ...]:
        """(codes, ends, depths, numbers) of the pairs that were scored."""

class Hints:
    def __init__(self, arity: Sequence[int], equations: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None: ...

    def __len__(self) -> int: ...

class Completion:
    def __init__(self, arity: Sequence[int], weight: Sequence[int], rank: Sequence[int], by_path: bool, equations: Sequence[tuple[Sequence[int], Sequence[int]]], goals: Sequence[tuple[Sequence[int], Sequence[int]]], pairs: int, meaning: Mapping[int, Sequence[int]], scaffolding: Sequence[int], equals: int, selection: Selection | None = None, fair: int = 0, hints: Hints | None = None) -> None: ...

    def run(self, expansions: int, seconds: float, stop: Stop | None) -> int:
        """Continues for so many critical pairs; its status."""

    def proof(self, seconds: float, stop: Stop | None) -> list[Any]:
        """
        The lemmas and the goal, each (chain, end, variables, fact); none if they are too long, or in no time.
        """

    def lemmas(self, facts: Sequence[int], seconds: float, stop: Stop | None) -> list[Any]:
        """
        The lemmas that prove these facts; none if they are too long, or in no time.
        """

    def active(self) -> list[Any]:
        """The active facts, each (fact, left, right, oriented)."""

    def judged(self, stop: Stop | None) -> tuple[Any, ...]:
        """
        Of a proof: the critical pairs that became facts, (numbers, overlaps tried, needed).
        """

    @property
    def facts(self) -> int:
        """How many facts there are."""

    @property
    def statistics(self) -> dict[str, Any]: ...

class Laws:
    """Equations, and interpretations in which they are evaluated."""

    def __init__(self, arity: Sequence[int], values: int, laws: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None: ...

    @property
    def models(self) -> int: ...

    def add(self, size: int, tables: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def refuting(self, law: int, other: int, first: int, last: int, seconds: float, stop: Stop | None) -> int:
        """
        The first of these models in which one law holds and the other fails; the last if there is none, or time is up.
        """

    def failing(self, law: int, model: int, stop: Stop | None) -> list[int]:
        """Values for which a law fails."""

    def rows(self, first: int, hold: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], fail: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], stop: Stop | None) -> None:
        """Which laws hold, and which fail, in so many models from the first on."""

class TableSearch:
    def __init__(self, elements: int, arity: Sequence[int], equations: Sequence[tuple[Sequence[int], Sequence[int]]], differ: Sequence[tuple[Sequence[int], Sequence[int]]], goal: int, laws: int) -> None: ...

    @property
    def fits(self) -> bool: ...

    @property
    def offsets(self) -> list[int]: ...

    def search(self, given: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: int, seconds: float, stop: Stop | None) -> tuple[Any, ...]:
        """
        (status, values tried, cells): looks for tables that agree with those given.
        """
