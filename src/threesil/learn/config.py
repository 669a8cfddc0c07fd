"""What a training run is told: one value for each knob, with the paper's letters where it has any.

A configuration is a TOML file of `key = value` lines. `paper` and `best` come with the package,
one file for each theory; a key that a file leaves out has the value given here.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from threesil.errors import InputError
from threesil.files import read_text
from threesil.kernel.theory import Theory
from threesil.runs.records import read_metrics


@dataclass(frozen=True)
class Config:
    """All knobs of a run. Those of one method alone carry its name."""

    # The network (section 5).
    size: int = 16  # n, the size of all vectors
    hidden: int = 64  # neurons of the predictor's layers
    train_leaves: bool = True  # whether vectors of the signature's constants are trained
    # Collection (Algorithm 1).
    m: int = 1000  # episodes of the first epoch
    f: int = 1000  # episodes of every later one
    steps: int = 100  # steps of an episode
    noise: float = 0.05  # share of uniformly random actions
    search: int = 0  # unsolved problems of an epoch that are searched as well
    expansions: int = 2000  # of each such search
    hindsight: int = 12  # theorems besides its own that expert iteration learns of each proof
    bias: float = 1.0  # how much likelier an unsolved problem is drawn than a solved one
    # Training (Algorithm 2).
    k: int = 1  # shortest solutions kept of each problem
    shortest: bool = True  # else the newest k, whatever their length,
    newest: bool = True  # or the first k
    stratified: bool = True  # train on each problem alike; else on each transition alike
    NB: int = 250  # batches of an epoch
    B: int = 32  # transitions of a batch
    ME: int = 250  # epochs
    generated: int = 1000  # theorems that are made where a run needs them
    minutes: float = 0.0  # after which no epoch begins; 0: ME alone decides
    prune: bool = False  # cut loops out of episodes before they are kept
    masked_loss: bool = False  # normalise over the legal actions only
    learning_rate: float = 0.001
    final_learning_rate: float = 0.0  # reached at the last epoch by a cosine; 0 keeps the first
    buffer: int = 40_000  # transitions that behavioural cloning and SIL-PAAC remember
    # The curriculum (section 6).
    level_size: int = 400  # problems of a level; 0: all problems at once
    threshold: float = 0.95  # success rate that opens the next level
    evaluations: int = 400  # problems of the evaluation after every epoch
    greedy_evaluation: bool = True  # else sampled with noise, which some methods do by default
    stop_at_end: bool = False  # end the run when the last level has been passed
    # Actor-critic methods (appendix 4).
    gamma: float = 0.99  # discount factor
    value_weight: float = 0.5  # of the critic's loss
    entropy_weight: float = 0.01  # of the entropy bonus
    loss_masks: bool = True  # the policy of A2C's and PPO's loss gives illegal actions nothing
    loss_noise: bool = True  # ... and has the noise of play in it
    bootstrap: bool = True  # behind a limit, the value stands for what might have followed
    normal_returns: bool = False  # PPO: normalise returns, not advantages
    a2c_steps: int = 100  # transitions of an update
    ppo_clip: float = 0.2
    ppo_epochs: int = 4  # passes over the transitions of an update
    ppo_steps: int = 2000  # transitions of an update
    ppo_learning_rate: float = 0.002
    acer_buffer: int = 20_000  # transitions in the replay buffer
    acer_truncation: float = 10.0
    acer_replay: int = 4  # updates with old episodes after each with new ones
    acer_steps: int = 100  # transitions of an update
    acer_decay: float = 0.99  # of the average policy
    acer_constraint: float = 1.0  # of the trust region
    sil_value_weight: float = 0.01
    sil_exponent: float = 0.6  # of the priorities
    # The machine.
    width: int = 256  # episodes in lockstep
    threads: int = 2
    cpu_seconds: float = 0.0  # of all epochs, with which the run ends; 0: no limit

    def __post_init__(self) -> None:
        for key, low, high in _RANGES:
            value = getattr(self, key)
            if not low <= value <= high:
                raise InputError(f"{key} = {value}: expected {low} to {high}")
        for key in ("size", "hidden"):
            if getattr(self, key) % 16:
                raise InputError(f"{key} = {getattr(self, key)}: expected a multiple of 16")

    def ended(self, epochs: int, passed: bool, seconds: float, cpu: float) -> bool:
        """Whether a run ends here: so many epochs are done, in so many seconds and so much CPU
        time; `passed`: the last level too."""
        late = 0 < 60 * self.minutes <= seconds
        worked = 0 < self.cpu_seconds <= cpu
        return epochs >= self.ME or (passed and self.stop_at_end) or late or worked

    def to_toml(self) -> str:
        lines = []
        for key, value in asdict(self).items():
            text = str(value).lower() if isinstance(value, bool) else repr(value)
            lines.append(f"{key} = {text}")
        return "\n".join(lines) + "\n"


SAMPLED_EVALUATION = ("a2c", "acer", "sil-paac")  # methods whose policy is meant to be sampled

_RANGES = (
    ("size", 16, 1024),
    ("hidden", 16, 4096),
    ("m", 1, 10**9),
    ("f", 1, 10**9),
    ("steps", 1, 10**6),
    ("noise", 0, 1),
    ("bias", 1, 1000),
    ("k", 1, 1000),
    ("NB", 0, 10**6),
    ("B", 1, 10**5),
    ("ME", 1, 10**6),
    ("minutes", 0, 10**6),
    ("generated", 1, 10**6),
    ("learning_rate", 0, 1),
    ("final_learning_rate", 0, 1),
    ("ppo_learning_rate", 0, 1),
    ("value_weight", 0, 1000),
    ("entropy_weight", 0, 1000),
    ("sil_value_weight", 0, 1000),
    ("sil_exponent", 0, 1000),
    ("search", 0, 10**6),
    ("expansions", 1, 10**9),
    ("hindsight", 0, 10**6),
    ("threshold", 0, 1),
    ("evaluations", 1, 10**6),
    ("level_size", 0, 10**9),
    ("buffer", 1, 10**9),
    ("gamma", 0, 1),
    ("a2c_steps", 1, 10**9),
    ("ppo_clip", 0, 1),
    ("ppo_epochs", 1, 10**6),
    ("ppo_steps", 1, 10**9),
    ("acer_buffer", 1, 10**9),
    ("acer_replay", 0, 10**6),
    ("acer_steps", 1, 10**9),
    ("acer_decay", 0, 1),
    ("acer_truncation", 0, 10**9),
    ("acer_constraint", 0, 10**9),
    ("width", 1, 10**5),
    ("threads", 1, 64),
    ("cpu_seconds", 0, 10**9),
)


def load_config(
    which: str | Path,
    theory: Theory,
    changes: dict[str, Any] | None = None,
    method: str = "3sil",
) -> Config:
    """`paper`, `best`, or a file, for a method; `changes` overrule it."""
    source = str(which)
    if source in ("paper", "best"):
        folder = files("threesil.learn") / "configs" / source
        resource = folder / f"{theory.name}.toml"
        if not resource.is_file() and method == "expert":
            resource = folder / "any.toml"
        text = resource.read_text() if resource.is_file() else ""
    else:
        try:
            text = read_text(which)
        except InputError as error:
            message = f"can't read the configuration: {error.message}"
            message += "; expected paper, best or a file"
            raise InputError(message, source=source) from None
    greedy = method not in SAMPLED_EVALUATION
    values = {"greedy_evaluation": greedy, **_read_toml(text, source), **(changes or {})}
    return make_config(values, source)


def read_config(path: Path) -> Config:
    """The configuration of a file."""
    return make_config(_read_toml(read_text(path), str(path)), str(path))


def has_ended(directory: Path) -> bool:
    """Whether a run's metrics go to its end, by its configuration; its model may be elsewhere."""
    metrics = read_metrics(directory)
    if not metrics or not (directory / "config.toml").exists():
        return False
    seconds, cpu = (sum(row.get(key) or 0.0 for row in metrics) for key in ("seconds", "cpu"))
    passed = metrics[-1].get("finished") is True
    config = read_config(directory / "config.toml")
    return config.ended(metrics[-1]["epoch"] + 1, passed, seconds, cpu)


def _read_toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", source=source) from None


def make_config(values: dict[str, Any], source: str) -> Config:
    """A configuration of the given values; wrong keys and types are named."""
    types = {field.name: type(field.default) for field in fields(Config)}
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in types:
            allowed = ", ".join(types)
            shown = key[:40] if key.isprintable() else repr(key[:40])
            raise InputError(f"unknown key {shown}; allowed keys: {allowed}", source=source)
        expected = types[key]
        if type(value) is int and abs(value) >= 2**63:
            raise InputError(f"{key}: the number is too large", source=source)
        if expected is float and type(value) is int:
            value = float(value)
        if type(value) is not expected:
            names = {int: "an integer", float: "a number", bool: "true or false"}
            message = f"{key} = {_shown(value)}: expected {names[expected]}"
            raise InputError(message, source=source)
        checked[key] = value
    try:
        return Config(**checked)
    except InputError as error:
        raise InputError(error.message, source=source) from None


def _shown(value: object) -> str:
    """A wrong value, as far as it can be shown."""
    try:
        return repr(value)[:40]
    except ValueError:  # a number with more digits than Python likes
        return "..."
