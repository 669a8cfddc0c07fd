"""How fast threesil is, measured in one run.

A measurement has a name and gives figures, each under a key that begins with that name. Rates are
steps for each second of CPU time of one core. What is compared is measured in the same run, in
turns, and given as a ratio. In the core the complete mask is computed at every step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

import numpy as np

from threesil.engine import Batch, Budget, Completion, Limits
from threesil.kernel.terms import var
from threesil.kernel.theory import Goal, Problem, Theory
from threesil.measure.conform import recorded_streams
from threesil.problems.sets import DATA, data_directory, sample_set
from threesil.theories import benchmark_of

_WIDTH: Final = 64
_ENVIRONMENTS: Final = 256
_ROUNDS: Final = 5  # of what is measured in turns
Figures = dict[str, Any]
Streams = tuple[Sequence[Problem], Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Field:
    """The theories to measure, CPU seconds for each figure, who hears what comes next.

    `profile` collects, for a figure, the shares of time by kind of work in the core.
    """

    theories: Sequence[Theory]
    seconds: float
    progress: Callable[[str], None]
    profile: dict[str, dict[str, float]] = field(default_factory=dict)
    _recorded: dict[str, Streams | None] = field(default_factory=dict)

    def recorded(self, theory: Theory) -> Streams | None:
        """The recorded problems of the theory and the actions taken; None if there is no file."""
        if theory.name not in self._recorded:
            data = data_directory()
            path = data / "traces" / f"{theory.name}.jsonl.gz" if data else None
            found = path is not None and path.is_file()
            streams = recorded_streams(path, [theory])[1:] if path and found else None
            self._recorded[theory.name] = streams
        return self._recorded[theory.name]

    def problems(self, theory: Theory) -> Sequence[Problem]:
        """The recorded problems, or else random ones."""
        recorded = self.recorded(theory)
        return recorded[0] if recorded else sample_set(theory, 500, seed=0)

    def keep_profile(self, key: str, batch: Batch, play: Callable[[], object]) -> None:
        """Plays once more, to see where the time goes."""
        batch.set_profiling(True)
        play()
        shares = batch.profile()
        self.profile[key] = {name: round(share, 3) for name, share in shares.items()}


def rate(
    play: Callable[[], int], seconds: float, clock: Callable[[], float] = time.process_time
) -> float:
    """Steps a second over rounds of `play`, each of which says how many it took, for `seconds`."""
    steps, spent = 0, 0.0
    while spent < seconds:
        begin = clock()
        taken = play()
        spent += clock() - begin
        steps += taken
    return steps / spent


def bench(
    theories: Sequence[Theory],
    seconds: float,
    progress: Callable[[str], None],
    measurements: Mapping[str, Measurement],
) -> Figures:
    """The figures of the measurements; each is measured for about `seconds` of CPU time.

    Episodes are those of theories with an environment, completion that of all with equations to
    prove. None stands for what can't be measured here. `profile` has the shares of time in the
    core.
    """
    field = Field([t for t in theories if benchmark_of(t).env_id], seconds, progress)
    proving = replace(field, theories=_on_equations(theories))
    figures: Figures = {}
    for name, measure in measurements.items():
        figures |= measure(proving if name == "completion" else field)
    return figures | {"profile": field.profile}


def _on_equations(theories: Sequence[Theory]) -> list[Theory]:
    return [theory for theory in theories if theory.goal is Goal.EQUATION]


def _replay(field: Field) -> Figures:
    """`replay.THEORY`: steps of the recorded streams; None where they are missing.

    Each round has a fresh engine, so that no term, mask or table is left over from an earlier one.
    """
    figures: Figures = {}
    for theory in field.theories:
        key = f"replay.{theory.name}"
        recorded = field.recorded(theory)
        if recorded is None:
            missing = f"no recorded streams; set {DATA} to the directory that has traces/"
            field.progress(f"{key}: {missing}")
            figures[key] = None
            continue
        field.progress(key)
        problems, streams = recorded
        limits = Limits(steps=max(map(len, streams)) + 1)
        numbers = np.arange(len(problems), dtype=np.uint32)
        offsets = np.cumsum([0, *map(len, streams)], dtype=np.uint64)
        actions = np.fromiter((a for stream in streams for a in stream), dtype=np.uint16)
        steps, spent = 0, 0.0
        while spent < field.seconds:
            batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
            begin = time.process_time()
            played = batch.replay_arrays(numbers, actions, offsets)
            spent += time.process_time() - begin
            steps += int(played.steps.sum())
        figures[key] = round(steps / spent)
        batch = Batch(theory, problems, _WIDTH, limits=limits, self_check=False)
        field.keep_profile(key, batch, partial(batch.replay_arrays, numbers, actions, offsets))
    return figures


def _random(field: Field) -> Figures:
    """`random.THEORY`: steps of random episodes on equations."""
    figures: Figures = {}
    for theory in _on_equations(field.theories):
        key = f"random.{theory.name}"
        field.progress(key)
        problems = field.problems(theory)
        batch = Batch(theory, problems, _WIDTH, self_check=False)
        play = _player(batch, np.arange(20 * _WIDTH) % len(problems))
        figures[key] = round(rate(play, field.seconds))
        field.keep_profile(key, batch, play)
    return figures


def _threads(field: Field) -> Figures:
    """`threads.speedup`, in wall time: the median of several rounds, taken in turn."""
    figures: Figures = {}
    for theory in _on_equations(field.theories):
        field.progress("threads.speedup")
        problems = field.problems(theory)
        numbers = np.arange(40 * _WIDTH) % len(problems)
        ratios = []
        for _ in range(_ROUNDS):
            rates = []
            for count in (1, 2):
                batch = Batch(theory, problems, _WIDTH * count, threads=count, self_check=False)
                seconds = field.seconds / _ROUNDS
                rates.append(rate(_player(batch, numbers), seconds, time.perf_counter))
            ratios.append(rates[1] / rates[0])
        figures["threads.speedup"] = round(float(np.median(ratios)), 2)
    return figures


def _player(batch: Batch, numbers: Any) -> Callable[[], int]:
    """Plays other random episodes at each call."""
    first = 0

    def play() -> int:
        nonlocal first
        first += len(numbers)
        return int(batch.play_random(numbers, seed=0, first_episode=first).steps.sum())

    return play


def _completion(field: Field) -> Figures:
    """`completion.THEORY.pairs` and `completion.THEORY.rewrites`.

    Each theory is completed for a goal that no theory with two elements proves; where that comes to
    an end earlier it begins anew.
    """
    figures: Figures = {}
    goal = Problem("x = y", var("x"), var("y"))
    for theory in field.theories:
        key = f"completion.{theory.name}"
        field.progress(key)
        pairs = rewrites = 0
        begin = time.process_time()
        while (left := begin + field.seconds - time.process_time()) > 0:
            run = Completion(theory).begin(goal)
            run.run(Budget(None, left))
            counts = run.statistics
            pairs, rewrites = pairs + counts.pairs, rewrites + counts.rewrites
        spent = time.process_time() - begin
        figures[f"{key}.pairs"] = round(pairs / spent)
        figures[f"{key}.rewrites"] = round(rewrites / spent)
    return figures


def _envs(field: Field) -> Figures:
    """For each theory `envs.THEORY.vector`, steps of 256 environments at once, `.single`, those of
    one, and `.ratio`, the vector against random episodes in the core alone.

    Actions are sampled from the action space; new environments make their problems meanwhile.
    None without Gymnasium.
    """
    figures: Figures = {}
    for theory in field.theories:
        key = f"envs.{theory.name}"
        field.progress(key)
        try:
            plays = {"vector": _vector(theory), "single": _single(theory)}
        except ImportError:
            return {f"envs.{theory.name}.vector": None for theory in field.theories}
        problems = sample_set(theory, 500, seed=0)
        batch = Batch(theory, problems, _ENVIRONMENTS, self_check=False)
        plays["core"] = _player(batch, np.arange(_ENVIRONMENTS) % len(problems))
        rates: dict[str, list[float]] = {name: [] for name in plays}
        for _ in range(_ROUNDS):
            for name, play in plays.items():
                rates[name].append(rate(play, field.seconds / _ROUNDS))
        means = {name: float(np.mean(found)) for name, found in rates.items()}
        figures[f"{key}.vector"] = round(means["vector"])
        figures[f"{key}.single"] = round(means["single"])
        figures[f"{key}.ratio"] = round(means["vector"] / means["core"], 3)
    return figures


def _vector(theory: Theory) -> Callable[[], int]:
    from threesil.envs import TheoryVectorEnv

    envs = TheoryVectorEnv(theory, _ENVIRONMENTS)
    envs.action_space.seed(0)
    envs.reset(seed=0)

    def play() -> int:
        envs.step(envs.action_space.sample())
        return _ENVIRONMENTS

    return play


def _single(theory: Theory) -> Callable[[], int]:
    from threesil.envs import TheoryEnv

    env = TheoryEnv(theory)
    env.action_space.seed(0)
    env.reset(seed=0)

    def play() -> int:
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
        return 1

    return play


Measurement = Callable[[Field], Figures]
MEASUREMENTS: Final[Mapping[str, Measurement]] = {
    "replay": _replay,
    "random": _random,
    "threads": _threads,
    "completion": _completion,
    "envs": _envs,
}
