"""Ours: why the RL baselines do better here than in the paper, one change at a time.

Our PPO and A2C differ from the published programs in what the loss knows: the policy that it
improves has the mask and the noise of play in it, values stand for what might follow a limit, and
there is an entropy bonus. Each change takes one of these back; the last one all of them.
"""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Curves, Experiment, Figure, Finished, Line
from threesil.reproduce.jobs import Changes, Training

_SHARED = {
    "illegal actions in the loss": (("loss_masks", False),),
    "no noise in the loss": (("loss_noise", False),),
    "no value behind a limit": (("bootstrap", False),),
    "no entropy bonus": (("entropy_weight", 0.0),),
}
# What the program that the paper's PPO is adapted from does; its bonus is ours. A2C's has none.
_RETURNS = {"returns normalised, not advantages": (("normal_returns", True),)}
_PUBLISHED = ("loss_masks", "loss_noise", "bootstrap")


def variants(method: str) -> dict[str, Changes]:
    """The changes of a method, ours first, the published setting last."""
    changes: dict[str, Changes] = {"ours": (), **_SHARED}
    own: Changes = (("entropy_weight", 0.0),)
    if method == "ppo":
        changes |= _RETURNS
        own = _RETURNS["returns normalised, not advantages"]
    return {**changes, "all, as published": (*((key, False) for key in _PUBLISHED), *own)}


def experiment(quick: bool) -> Experiment:
    runs = {"3SIL, k = 1": arms.robinson("3SIL, k = 1", quick)}
    for label, method in (("PPO", "ppo"), ("A2C", "a2c")):
        for words, changes in variants(method).items():
            runs[f"{label}, {words}"] = _trainings(method, changes, quick)
    charts = tuple(
        Curves(
            "level",
            "level of the curriculum",
            {name: over for name, over in runs.items() if name.startswith(("3SIL", label))},
        )
        for label in ("PPO", "A2C")
    )
    return Experiment(
        "why-baselines",
        "Ours: PPO and A2C, one change at a time back towards the published setting, Robinson",
        ("epochs to the end of the curriculum", "last level", "problems with a solution"),
        tuple(
            Line(label, _PAPER.get(label, ("",) * 3), _measures(over))
            for label, over in runs.items()
        ),
        charts,
        notes=(
            "The published programs are those that the paper's appendix 4 names; what it does not "
            "say (one network for policy and value, the size of the loss) is as in ours.",
        ),
    )


_PAPER = {
    "3SIL, k = 1": ("about 40", "", ""),
    "PPO, all, as published": ("never", "2 in one of the runs, else 1", ""),
    "A2C, all, as published": ("never", "1", "70 to 80 % of the first 400"),
}


def _trainings(method: str, changes: Changes, quick: bool) -> tuple[Training, ...]:
    epochs = 12 if quick else 60
    return tuple(
        Training("robinson", seed, method, changes=changes, epochs=epochs, pace=0.8)
        for seed in arms.seeds(quick)
    )


def _measures(over: tuple[Training, ...]) -> tuple[Finished, Figure, Figure]:
    return Finished(over), Figure(over, "level"), Figure(over, "solved")
