"""One episode at a time, as a Gymnasium environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from threesil.engine import End
from threesil.envs.slots import Settings, Slots, row
from threesil.envs.spaces import LegalDiscrete, observation_space
from threesil.theory import Theory

Observation = dict[str, Any]
_ALL = np.ones(1, dtype=np.bool_)


class TheoryEnv(gymnasium.Env[Observation, np.int64]):
    """Rewriting in a theory: solve a problem by moving a cursor and rewriting under it.

    Observation, for L = `max_tokens`: `tokens` (L,) int32, the state in prefix order, padded with
    0; `length`, how many tokens it has; `cursor`, the index of the cursor's subterm in them. The
    table of tokens: 0 is padding; then the symbols of the theory in its order, and `=` where a
    state is an equation; then `max_constants` constants of the problem, in order of first
    appearance; then `max_variables` introduced variables. `token_names()` lists it.

    Actions: indices (from 0) in `theory.actions`; `action_names()` lists them. The legal ones are
    `info["action_mask"]`, (A,) int8, and `action_masks()`, (A,) bool. The mask is never empty:
    that of a finished episode without a legal action is full. `action_space.sample()` without a
    mask draws a legal action. An illegal one raises `IllegalAction`, a `ValueError`.

    Reward 1 when the problem is solved, else 0. Terminated when it is solved or no action is
    possible, truncated at a limit; `info["end"]` says which, `info["problem"]` the problem's name.

    `theory` is a name, a theory file or a `Theory`; `Settings` has the other keywords.
    `reset(options={"problem": p})` plays the `Problem`, text or index in the list p.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        theory: str | Path | Theory,
        *,
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self._slots = Slots(theory, **settings)
        self.theory = self._slots.theory
        self.observation_space = observation_space(self._slots.vocabulary, self._slots.max_tokens)
        self.action_space = LegalDiscrete(len(self.theory.actions), self._slots.samplable)
        self._end: End | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self._slots.seed(0, self.np_random)
        self._slots.start({0: read_options(options, "problem").get("problem")})
        self._end = End.RUNNING
        return row(self._slots.observe(), 0), row(self._slots.infos(), 0)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self._end is None:
            raise ResetNeeded("there is no episode yet: call reset() before step()")
        if self._end is not End.RUNNING:
            raise ResetNeeded(f"the episode is over ({self._end.reason}): call reset()")
        self._slots.step(action, _ALL)
        self._end = End(int(self._slots.ends()[0]))
        (reward,), (terminated,), (truncated,) = self._slots.outcomes()
        observation, info = row(self._slots.observe(), 0), row(self._slots.infos(), 0)
        return observation, float(reward), bool(terminated), bool(truncated), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, (A,)."""
        mask: NDArray[np.bool_] = self._slots.masks()[0].copy()
        return mask

    def token_names(self) -> tuple[str, ...]:
        """The name of every token, (V,)."""
        return self._slots.vocabulary.names()

    def action_names(self) -> tuple[str, ...]:
        """What every action does, (A,)."""
        return self._slots.action_names()

    def render(self) -> str | None:
        """The state as a tree with its cursor, if `render_mode` is "ansi"."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() draws only with render_mode="ansi"')
            return None
        if self._end is None:
            raise ResetNeeded("there is no episode yet: call reset() before render()")
        return self._slots.draw(0)


def check_render_mode(render_mode: str | None) -> None:
    """A `TypeError`, after which Stable-Baselines3 makes the environment without a render mode."""
    if render_mode not in (None, "ansi"):
        raise TypeError(f"render_mode is None or 'ansi', not {render_mode!r}")


def read_options(options: dict[str, Any] | None, *known: str) -> dict[str, Any]:
    """The options of a reset; `ValueError` for one that there is not."""
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"options are a dict with the keys {', '.join(known)}, not {options!r}")
    for key in options or {}:
        if key not in known:
            raise ValueError(f"unknown option {key!r}; known options: {', '.join(known)}")
    return options or {}
