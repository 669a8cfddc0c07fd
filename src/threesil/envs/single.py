"""One episode at a time, as a Gymnasium environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from threesil.engine import End
from threesil.envs.picture import Image, Window
from threesil.envs.slots import Settings, Slots, State, row
from threesil.envs.spaces import LegalDiscrete, observation_space
from threesil.kernel.theory import Theory

Observation = dict[str, Any]
_ALL = np.ones(1, dtype=np.bool_)


class Described:
    """What both environments say of themselves, among it how many steps their episodes have.

    Gymnasium gives an environment its specification when it has made it. The limit depends on the
    theory, so it can't stand in the registry.
    """

    _slots: Slots
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None and spec.max_episode_steps is None:
            spec = replace(spec, max_episode_steps=self._slots.max_steps)
        self._spec = spec

    def token_names(self) -> tuple[str, ...]:
        """The name of every token, (V,)."""
        return self._slots.vocabulary.names()

    def action_names(self) -> tuple[str, ...]:
        """What every action does, (A,)."""
        return self._slots.action_names()


class TheoryEnv(Described, gymnasium.Env[Observation, np.int64]):
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

    `theory` is a name, a file or a `Theory`; `Settings` has the other keywords.
    `reset(options={"problem": p})` plays the `Problem`, the text or the number p.

    `get_state()` and `set_state()` keep an episode and go back to it; copies and pickles of an
    environment continue from its state.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        theory: str | Path | Theory,
        *,
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self._slots = Slots(theory, **settings)
        self.theory = self._slots.theory
        self.observation_space = observation_space(self._slots.vocabulary, self._slots.max_tokens)
        self.action_space = LegalDiscrete(len(self.theory.actions), self._slots.samplable)
        self._end: End | None = None
        self._window: Window | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__ |= kept
        drawn = self.action_space.np_random
        self.action_space = LegalDiscrete(len(self.theory.actions), self._slots.samplable, drawn)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self._slots.seed(0, self.np_random)
        self._slots.start({0: read_options(options, "problem").get("problem")})
        self._end = End.RUNNING
        self._show()
        return row(self._slots.observe(), 0), row(self._slots.infos(), 0)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self._end is None:
            raise ResetNeeded("there is no episode yet: call reset() before step()")
        if self._end is not End.RUNNING:
            raise ResetNeeded(f"the episode is over ({self._end.reason}): call reset()")
        self._slots.step(action, _ALL)
        self._end = End(int(self._slots.ends()[0]))
        self._show()
        (reward,), (terminated,), (truncated,) = self._slots.outcomes()
        observation, info = row(self._slots.observe(), 0), row(self._slots.infos(), 0)
        return observation, float(reward), bool(terminated), bool(truncated), info

    def get_state(self) -> State:
        """The episode and what comes after it, to go back to with `set_state`."""
        if self._end is None:
            raise ResetNeeded("there is no episode yet: call reset() before get_state()")
        return self._slots.states()[0]

    def set_state(self, state: State) -> tuple[Observation, dict[str, Any]]:
        """Goes to a state of this theory; what `reset` or `step` gave there.

        `InputError`, and nothing is done, for one that does not fit here.
        """
        self._slots.seed(0, self.np_random)
        self._slots.restore({0: state})
        self._end = End(int(self._slots.ends()[0]))
        return row(self._slots.observe(), 0), row(self._slots.infos(), 0)

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, (A,)."""
        mask: NDArray[np.bool_] = self._slots.masks()[0].copy()
        return mask

    def render(self) -> str | Image | None:
        """The state as a tree with its cursor: text (`ansi`) or a picture (`rgb_array`).

        With `human` every step is shown by itself, in a window, or as text without a screen.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws only with a render_mode")
            return None
        if self._end is None:
            raise ResetNeeded("there is no episode yet: call reset() before render()")
        if self.render_mode == "human":
            return None
        return self._slots.image(0) if self.render_mode == "rgb_array" else self._slots.draw(0)

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    def _show(self) -> None:
        """What `human` sees."""
        if self.render_mode != "human":
            return
        if not Window.possible():
            print(self._slots.caption(0), self._slots.draw(0), sep="\n", end="\n\n", flush=True)
            return
        self._window = self._window or Window()
        term, cursor = self._slots.seen(0)
        seconds = 1 / self.metadata["render_fps"]
        self._window.show(term, self.theory.signature, cursor, self._slots.caption(0), seconds)


def check_render_mode(render_mode: str | None, known: list[str]) -> None:
    """A `TypeError`, after which Stable-Baselines3 makes the environment without a render mode."""
    if render_mode is not None and render_mode not in known:
        raise TypeError(f"render_mode is None or one of {', '.join(known)}, not {render_mode!r}")


def read_options(options: dict[str, Any] | None, *known: str) -> dict[str, Any]:
    """The options of a reset; `ValueError` for one that there is not."""
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"options are a dict with the keys {', '.join(known)}, not {options!r}")
    for key in options or {}:
        if key not in known:
            raise ValueError(f"unknown option {key!r}; known options: {', '.join(known)}")
    return options or {}
