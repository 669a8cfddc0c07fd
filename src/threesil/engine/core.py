"""The typed face of the native core: compiled theories, batches of episodes, single episodes.

Shapes: `width` slots (B), `len(theory.actions)` actions (A). Actions are indices from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from threesil import _native
from threesil.engine.arrays import integers, np
from threesil.engine.compiled import compile_theory
from threesil.engine.control import Stop, checks_itself
from threesil.engine.network import Network
from threesil.engine.problems import ProblemList
from threesil.engine.readout import derivation_of, open_derivation
from threesil.errors import IllegalAction, InputError
from threesil.kernel.proof import Derivation
from threesil.kernel.terms import Position, Term
from threesil.kernel.theory import Problem, Theory

if TYPE_CHECKING:
    from numpy.typing import NDArray


class End(IntEnum):
    """Why an episode is over. `STEPS` and what follows are limits."""

    RUNNING = 0
    SOLVED = 1
    DEAD_END = 2
    STEPS = 3
    SIZE = 4
    DEPTH = 5
    VARIABLES = 6
    MEMORY = 7

    @property
    def reason(self) -> str:
        return _REASONS[self]


_REASONS = {
    End.RUNNING: "running",
    End.SOLVED: "solved",
    End.DEAD_END: "no action is possible",
    End.STEPS: "step limit reached",
    End.SIZE: "term too large",
    End.DEPTH: "term too deep",
    End.VARIABLES: "too many variables introduced",
    End.MEMORY: "term bank full",
}


@dataclass(frozen=True)
class Limits:
    """What ends an episode that is not solved. Reaching one never ends the process."""

    steps: int = 100
    """steps of an episode"""
    size: int = 1_000_000
    """nodes of a term, written out as a tree"""
    depth: int = 1_000_000
    """nodes on a path of a term"""
    variables: int = 10_000
    """1 + the largest index of an introduced variable"""
    bank_terms: int = 8_000_000
    """distinct terms that one thread's bank keeps (about 50 bytes each)"""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < 2**31:
                raise ValueError(f"the limit {name} must be positive and below 2^31, not {value}")


@dataclass(frozen=True)
class Played:
    """Outcomes of N whole episodes.

    `end` (N,) uint8 of `End`, `steps` (N,) uint32; `actions_of(i)` for a solved episode.
    `legal`: legal actions summed over all decisions.
    """

    end: NDArray[np.uint8]
    steps: NDArray[np.uint32]
    actions: NDArray[np.uint16]
    offsets: NDArray[np.uint64]
    legal: int
    collections: int
    bank_bytes: int

    @property
    def solved(self) -> NDArray[np.bool_]:
        return np.equal(self.end, End.SOLVED)

    def actions_of(self, episode: int) -> list[int]:
        """The actions of a solved episode."""
        start, end = int(self.offsets[episode]), int(self.offsets[episode + 1])
        return [int(a) for a in self.actions[start:end]]


class Batch:
    """`width` episodes of one theory that advance in lockstep, spread over `threads`.

    `compatible` reproduces the original AIM program's unifier (one rare failure); `self_check`
    re-verifies every rewrite (default: on if the variable THREESIL_SELF_CHECK is 1). A
    `ProblemList` is shared with others; other sequences are compiled here.

    A batch belongs to one thread at a time: where two meet, the second one gets a `RuntimeError`.
    Whatever breaks off in the middle of a play (a signal, a stop, a lack of memory) leaves all
    slots empty.
    """

    def __init__(
        self,
        theory: Theory,
        problems: Sequence[Problem],
        width: int = 1,
        *,
        threads: int = 1,
        limits: Limits | None = None,
        compatible: bool = False,
        self_check: bool | None = None,
    ) -> None:
        self.theory = theory
        self.limits = limits or Limits(steps=theory.step_limit)
        self.codec, rules = compile_theory(theory)
        self._native = _native.Batch(
            rules,
            width,
            threads,
            **asdict(self.limits),
            quirk=compatible,
            self_check=checks_itself(self_check),
        )
        self.load(problems)

    def load(self, problems: Sequence[Problem]) -> None:
        """Replaces the problems; all slots become empty."""
        compiled = ProblemList.of(self.theory, problems)
        self._native.load(compiled.native)
        self.problems: Sequence[Problem] = compiled

    def replace(self, index: int, problem: Problem) -> None:
        """Puts another problem in the place of one that no running episode needs."""
        self._native.replace(index, *self.codec.problem(problem))
        if not isinstance(self.problems, list):  # it may be shared
            self.problems = list(self.problems)
        self.problems[index] = problem

    @property
    def width(self) -> int:
        return self._native.width

    def reset(self, slot: int, problem: int) -> None:
        """Starts an episode on `problems[problem]`."""
        self._native.reset(slot, problem)

    def step(self, actions: NDArray[np.int32]) -> None:
        """One action for each slot, (B,); a negative one leaves its slot alone."""
        wide = np.asarray(actions)
        for slot in np.flatnonzero(wide >= len(self.theory.actions)):
            raise IllegalAction(f"{self.theory.name}: illegal action {wide[slot]} in slot {slot}")
        chosen = integers(wide, np.int32, "actions")
        if chosen.shape != (self.width,):
            raise ValueError(f"actions: expected one for each of the {self.width} slots")
        try:
            self._native.step(chosen)
        except ValueError as error:
            raise IllegalAction(f"{self.theory.name}: {error}") from None

    def masks(self) -> NDArray[np.bool_]:
        """Legal actions of all slots, (B, A)."""
        out = np.empty((self.width, len(self.theory.actions)), dtype=np.uint8)
        self._native.masks(out)
        return out.view(np.bool_)

    def observe(
        self,
        tokens: NDArray[np.int32],
        lengths: NDArray[np.int32],
        cursors: NDArray[np.int32],
        constants: int,
    ) -> None:
        """Fills prefix tokens (B, L), lengths (B,), and the cursor's index in the tokens (B,).

        Token 0 is padding, 1 + n the symbol n, then `constants` problem constants, then
        introduced variables. The arrays must be contiguous and of type int32.
        """
        self._native.observe(tokens, lengths, cursors, constants)

    def ends(self) -> NDArray[np.uint8]:
        """`End` of every slot, (B,)."""
        return self._native.ends()

    def end(self, slot: int) -> End:
        return End(self._native.end(slot))

    def problem(self, slot: int) -> Problem:
        """The problem of the slot's episode."""
        return self.problems[self._native.problem(slot)]

    def actions(self, slot: int) -> list[int]:
        """The actions that the slot's episode has taken."""
        return [int(a) for a in self._native.actions(slot)]

    def cursor(self, slot: int) -> Position:
        return tuple(self._native.path(slot))

    def codes(self, slot: int) -> list[int]:
        """The state as prefix codes."""
        return [int(code) for code in self._native.codes(slot)]

    def term(self, slot: int) -> Term:
        """The state as a term; for an equation, both sides under the symbol `=`."""
        codes = self.codes(slot)
        constants = self.codec.constants(self.problem(slot))
        introduced = {-code - 1: _fresh(-code - 1, constants) for code in codes if code < 0}
        return self.codec.decode(codes, constants, introduced)

    def derivation(self, slot: int) -> Derivation:
        """The closed derivation of a solved episode, ready for `certify`."""
        problem, actions = self._native.problem(slot), self._native.actions(slot)
        return self._derivation(slot, problem, actions)

    def derivation_of(self, problem: int, actions: Sequence[int]) -> Derivation:
        """The same for actions recorded elsewhere; plays them again in slot 0."""
        for action in actions:
            if not 0 <= action < len(self.theory.actions):
                raise IllegalAction(f"{self.theory.name}: there is no action {action}")
        return self._derivation(0, problem, np.array(actions, dtype=np.uint16))

    def sides_of(self, problem: int, actions: Sequence[int]) -> tuple[Derivation, Derivation]:
        """What recorded actions do to each side of an equation, solved or not; in slot 0.

        The ends may have variables besides the problem's own: the equality holds for all values.
        """
        first_free = len(self.codec.symbols) + len(self.codec.constants(self.problems[problem]))
        taken = np.array(actions, dtype=np.uint16)
        try:
            left, right = (
                self._native.side_chain(0, problem, taken, side, first_free) for side in (0, 1)
            )
        except ValueError as error:
            raise IllegalAction(f"{self.theory.name}: {error}") from None
        given = self.codec, self.problems[problem]
        return open_derivation(*given, left), open_derivation(*given, right)

    def _derivation(self, slot: int, problem: int, actions: NDArray[np.uint16]) -> Derivation:
        try:
            chain = self._native.chain(slot, problem, actions)
        except ValueError as error:
            raise IllegalAction(f"{self.theory.name}: {error}") from None
        if self.end(slot) is not End.SOLVED:
            raise InputError(f"the episode is not solved: {self.end(slot).reason}")
        return derivation_of(self.codec, self.problems[problem], chain)

    def play_random(
        self,
        problems: Sequence[int] | NDArray[Any],
        *,
        seed: int,
        stream: int = 0,
        first_episode: int = 0,
        stop: Stop | None = None,
    ) -> Played:
        """Plays one episode for each listed problem, every legal action equally likely.

        The outcome depends on (seed, stream, number of the episode) only, neither on the width
        nor on the threads, unless the limit on a bank's memory is reached. `Stopped` if `stop`
        ends it.
        """
        chosen = integers(problems, np.uint32, "problems")
        return Played(**self._native.play_random(chosen, seed, stream, first_episode, stop))

    def play(
        self,
        network: Network,
        problems: Sequence[int] | NDArray[Any],
        *,
        seed: int,
        stream: int = 0,
        first_episode: int = 0,
        noise: float = 0.05,
        greedy: bool = False,
        record_all: bool = False,
        stop: Stop | None = None,
    ) -> Played:
        """Plays one episode for each listed problem, guided by a network.

        Actions are sampled from the masked softmax, and with probability `noise` from the
        legal ones alike; or the most probable is taken if `greedy`. As with `play_random`, width
        and threads do not matter. `record_all` keeps the actions of unsolved episodes too.
        """
        network.require(self.theory)
        chosen = integers(problems, np.uint32, "problems")
        how = noise, greedy, record_all, stop
        return Played(
            **self._native.play_guided(network.native, chosen, seed, stream, first_episode, *how)
        )

    def logits(self, network: Network, *, seed: int = 0, stream: int = 0) -> NDArray[np.float32]:
        """Logits of the network in the states of all slots, (B, A), slot i as episode i."""
        network.require(self.theory)
        out = np.zeros((self.width, len(self.theory.actions)), dtype=np.float32)
        self._native.logits(network.native, seed, stream, out)
        return out

    def replay(
        self,
        problems: Sequence[int],
        episodes: Sequence[Sequence[int]],
        *,
        stop: Stop | None = None,
    ) -> Played:
        """Plays recorded action streams, with the complete mask at every step."""
        offsets = np.cumsum([0, *(len(actions) for actions in episodes)], dtype=np.uint64)
        wide = np.fromiter((a for e in episodes for a in e), dtype=np.int64)
        for action in wide[(wide < 0) | (wide >= len(self.theory.actions))]:
            raise IllegalAction(f"{self.theory.name}: there is no action {action}")
        stream = wide.astype(np.uint16)
        return self.replay_arrays(
            integers(problems, np.uint32, "problems"), stream, offsets, stop=stop
        )

    def replay_arrays(
        self,
        problems: NDArray[np.uint32],
        actions: NDArray[np.uint16],
        offsets: NDArray[np.uint64],
        *,
        stop: Stop | None = None,
    ) -> Played:
        """`replay` for streams that are joined already; episode i is offsets[i] to offsets[i+1]."""
        streams = (
            integers(problems, np.uint32, "problems"),
            integers(actions, np.uint16, "actions"),
            integers(offsets, np.uint64, "offsets"),
        )
        try:
            return Played(**self._native.replay(*streams, stop))
        except ValueError as error:
            raise IllegalAction(f"{self.theory.name}: {error}") from None

    def set_profiling(self, on: bool) -> None:
        self._native.set_profiling(on)

    def profile(self) -> dict[str, float]:
        """Share of the time since profiling began, by kind of work."""
        spent = self._native.profile()
        total = sum(spent) or 1
        names = ("other", "mask", "visited", "rewrite", "bank", "network", "choose")
        return {name: ticks / total for name, ticks in zip(names, spent, strict=True)}


def _fresh(index: int, taken: Sequence[str]) -> str:
    """The name of an introduced variable; primes distinguish it from a problem's own."""
    name = f"X{index}"
    while name in taken:
        name += "'"
    return name


class Episode:
    """One episode, for people and for tests: `mask`, `step`, `term`, `cursor`, `end`."""

    def __init__(self, theory: Theory, problem: Problem, **options: Any) -> None:
        self.theory = theory
        self.problem = problem
        self._batch = Batch(theory, [problem], **options)
        self._batch.reset(0, 0)

    @property
    def term(self) -> Term:
        return self._batch.term(0)

    @property
    def cursor(self) -> Position:
        return self._batch.cursor(0)

    @property
    def end(self) -> End:
        return self._batch.end(0)

    @property
    def actions(self) -> list[int]:
        return self._batch.actions(0)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Legal actions, (A,)."""
        mask: NDArray[np.bool_] = self._batch.masks()[0]
        return mask

    def legal(self) -> list[int]:
        """Legal actions as indices."""
        return [int(a) for a in np.flatnonzero(self.mask)]

    def step(self, action: int) -> End:
        """Takes an action; `IllegalAction` if the mask does not allow it."""
        if not 0 <= action < len(self.theory.actions):
            raise IllegalAction(f"{self.theory.name}: there is no action {action}")
        self._batch.step(np.array([action], dtype=np.int32))
        return self.end

    def derivation(self) -> Derivation:
        """The closed derivation of a solved episode, ready for `certify`."""
        return self._batch.derivation(0)
