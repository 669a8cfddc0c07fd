"""threesil's native core; use it through threesil.engine"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

class Rules:
    def __init__(
        self,
        arity: Sequence[int],
        constructor: Sequence[int],
        actions: list[Any],
        goal: int,
        equality: int,
        enter_leaves: bool,
        no_repeats: bool,
    ) -> None: ...
    @property
    def actions(self) -> int: ...

class TreeNet:
    def __init__(self, rules: Rules, size: int, hidden: int, value: bool) -> None: ...
    @property
    def parameters(self) -> int: ...
    def load(
        self,
        parameters: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...

class TreePass:
    def outputs(
        self,
        logits: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")
        ],
        values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
    ) -> None: ...
    def backward(
        self,
        dlogits: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None), order="C", writable=False)
        ],
        dvalues: Annotated[
            NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        gradient: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu")],
    ) -> None: ...
    def schedule(self) -> dict[str, Any]: ...

class StateStore:
    def __init__(self, rules: Rules, quirk: bool) -> None: ...
    def load(self, problems: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None: ...
    def add(
        self,
        problem: int,
        actions: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        with_last: bool,
    ) -> int: ...
    def prune(
        self,
        problem: int,
        actions: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...
    def codes(self, state: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def masks(
        self,
        states: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu")],
    ) -> None: ...
    def forward(
        self,
        net: TreeNet,
        states: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        draws: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        seed: int,
        stream: int,
    ) -> TreePass: ...
    def __len__(self) -> int: ...
    @property
    def terms(self) -> int: ...

class Batch:
    def __init__(
        self,
        rules: Rules,
        width: int,
        threads: int,
        steps: int,
        size: int,
        depth: int,
        variables: int,
        bank_terms: int,
        quirk: bool,
        self_check: bool,
    ) -> None: ...
    def load(self, problems: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None: ...
    def replace(self, index: int, start: Sequence[int], target: Sequence[int]) -> None: ...
    @property
    def width(self) -> int: ...
    def reset(self, slot: int, problem: int) -> None: ...
    def codes(self, slot: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def path(self, slot: int) -> list[int]: ...
    def end(self, slot: int) -> int: ...
    def problem(self, slot: int) -> int: ...
    def actions(self, slot: int) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...
    def ends(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...
    def step(
        self,
        actions: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def masks(
        self,
        out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu")],
    ) -> None: ...
    def observe(
        self,
        tokens: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu")],
        lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
        cursors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
        constants: int,
    ) -> None: ...
    def play_random(
        self,
        problems: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        seed: int,
        stream: int,
        first_episode: int,
    ) -> dict[str, Any]: ...
    def play_guided(
        self,
        net: TreeNet,
        problems: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        seed: int,
        stream: int,
        first_episode: int,
        noise: float,
        greedy: bool,
        all: bool,
    ) -> dict[str, Any]: ...
    def logits(
        self,
        net: TreeNet,
        seed: int,
        stream: int,
        out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
    ) -> None: ...
    def replay(
        self,
        problems: Annotated[
            NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        actions: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        offsets: Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> dict[str, Any]: ...
    def trace(
        self,
        slot: int,
        problem: int,
        actions: Annotated[
            NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> list[Any]: ...
    def solution(self, slot: int) -> list[tuple[int, list[int]]]: ...
    def set_profiling(self, on: bool) -> None: ...
    def profile(self) -> list[int]: ...
