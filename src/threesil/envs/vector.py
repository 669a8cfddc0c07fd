"""Many episodes at once, as a Gymnasium vector environment over one engine batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from threesil.envs.picture import Image
from threesil.envs.single import Described, check_render_mode, read_options
from threesil.envs.slots import Settings, Slots, State, row
from threesil.envs.spaces import LegalMultiDiscrete, observation_space
from threesil.kernel.theory import Theory

Observations = dict[str, NDArray[Any]]


class TheoryVectorEnv(Described, VectorEnv[Observations, NDArray[Any], NDArray[Any]]):
    """`num_envs` (B) of `TheoryEnv` in lockstep, spread over `threads`.

    Observations, actions and infos are those of `TheoryEnv` with a leading axis: `tokens` (B, L),
    `length` (B,), `cursor` (B,), actions (B,), `info["action_mask"]` (B, A), and so on. Slot i
    plays the same problems as a `TheoryEnv` that is reset with `seed + i`.

    `autoreset_mode` says what follows the last step of an episode: with NEXT_STEP (default) the
    slot's next step ignores its action and starts a new episode with reward 0; with SAME_STEP
    the new episode starts at once, and `info["final_obs"]` and `info["final_info"]` keep the
    end of the old one; with DISABLED the slot waits for `reset(options={"reset_mask": ...})`.

    `reset(options={"problem": p})` plays p in all slots, or p[i] in slot i if p is a list.

    `max_episode_steps`, which `gymnasium.make_vec` passes on, means the same as `max_steps`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        theory: str | Path | Theory,
        num_envs: int = 1,
        *,
        threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        if max_episode_steps is not None:
            settings.setdefault("max_steps", max_episode_steps)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self._slots = Slots(theory, num_envs, threads, **settings)
        self.theory = self._slots.theory
        actions = len(self.theory.actions)
        vocabulary, max_tokens = self._slots.vocabulary, self._slots.max_tokens
        self.single_observation_space = observation_space(vocabulary, max_tokens)
        self.single_action_space = Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = LegalMultiDiscrete(num_envs, actions, self._slots.masks)
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__ |= kept
        drawn, actions = self.action_space.np_random, len(self.theory.actions)
        self.action_space = LegalMultiDiscrete(self.num_envs, actions, self._slots.masks, drawn)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + i for i in range(self.num_envs)]
        chosen = read_options(options, "problem", "reset_mask")
        slots = self._slots_to_reset(chosen.get("reset_mask"))
        problems = self._each(chosen.get("problem"), "problem")
        for slot, own in enumerate(self._each(seed, "seed")):
            if slot in slots and (own is not None or not self._slots.seeded(slot)):
                self._slots.seed(slot, seeding.np_random(own)[0])
        self._slots.start({slot: problems[slot] for slot in slots})
        self._over[slots] = False
        return self._slots.observe(), self._infos()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        if self._slots.empty():
            raise ResetNeeded("there are no episodes yet: call reset() before step()")
        over = np.flatnonzero(self._over)
        if self._mode is AutoresetMode.DISABLED and over.size:
            raise ResetNeeded(f"the episodes in slots {over.tolist()} are over: reset them")
        self._slots.step(actions, ~self._over)
        self._slots.start(dict.fromkeys(over.tolist()))
        rewards, terminated, truncated = self._slots.outcomes()
        self._over = terminated | truncated
        final: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP:
            final = self._final()
            self._slots.start(dict.fromkeys(np.flatnonzero(self._over).tolist()))
            self._over[:] = False
        infos = {**self._infos(), **final}
        return self._slots.observe(), rewards, terminated, truncated, infos

    def get_state(self) -> tuple[State, ...]:
        """The episodes of all slots, to go back to with `set_state`."""
        if self._slots.empty():
            raise ResetNeeded("there are no episodes yet: call reset() before get_state()")
        return tuple(self._slots.states())

    def set_state(self, states: Sequence[State]) -> tuple[Observations, dict[str, Any]]:
        """Goes to these states of this theory, one for each slot."""
        self._slots.restore(dict(enumerate(self._each(tuple(states), "state"))))
        _, terminated, truncated = self._slots.outcomes()
        self._over = terminated | truncated
        return self._slots.observe(), self._infos()

    def action_masks(self) -> NDArray[np.bool_]:
        """Legal actions, (B, A)."""
        return self._slots.masks().copy()

    def render(self) -> tuple[str, ...] | tuple[Image, ...] | None:
        """The states as trees with their cursors: texts (`ansi`) or pictures (`rgb_array`)."""
        if self.render_mode is None:
            return None
        if self._slots.empty():
            raise ResetNeeded("there are no episodes yet: call reset() before render()")
        if self.render_mode == "rgb_array":
            return tuple(map(self._slots.image, range(self.num_envs)))
        return tuple(map(self._slots.draw, range(self.num_envs)))

    def _slots_to_reset(self, mask: NDArray[np.bool_] | None) -> list[int]:
        if mask is None:
            return list(range(self.num_envs))
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(f"reset_mask is ({self.num_envs},) bool, not all False; got {mask!r}")
        return [int(slot) for slot in np.flatnonzero(mask)]

    def _each(self, given: Any, what: str) -> list[Any]:
        """A value for each slot: those of a list, else the same one for all."""
        if isinstance(given, np.ndarray):
            given = given.tolist()
        if not isinstance(given, list | tuple):
            return [given] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"expected one {what} for each of {self.num_envs}, got {len(given)}")
        return list(given)

    def _infos(self) -> dict[str, Any]:
        """The infos, and, as Gymnasium wants, beside each whether a slot has it: all do."""
        infos: dict[str, Any] = self._slots.infos()
        return infos | {f"_{key}": np.ones(self.num_envs, dtype=np.bool_) for key in infos}

    def _final(self) -> dict[str, Any]:
        """`final_obs` (B,) and `final_info` of the episodes that are over."""
        final: dict[str, Any] = {}
        if self._over.any():
            observations, infos = self._slots.observe(), self._slots.infos()
            for slot in np.flatnonzero(self._over).tolist():
                last = {"final_obs": row(observations, slot), "final_info": row(infos, slot)}
                final = self._add_info(final, last, slot)
        return final
