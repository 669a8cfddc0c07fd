"""The configuration of each learning method, with the paper's letters where it has any.

A configuration is a TOML file of `key = value` lines. `paper` and `ours` are bundled, one file for
each theory; a key that a file leaves out has the value given here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from threesil.errors import InputError
from threesil.files import read_text
from threesil.kernel.theory import Theory

T = TypeVar("T", int, float)
S = TypeVar("S", bound="Settings")


def number(default: T, low: float, high: float, multiple: int = 1) -> T:
    """A field with a range."""
    found: T = field(default=default, metadata={"range": (low, high), "multiple": multiple})
    return found


@dataclass(frozen=True)
class Settings:
    """Values that people may set, each in its range."""

    method: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            low, high = f.metadata.get("range", (value, value))
            if not low <= value <= high:
                raise InputError(f"{f.name} = {value}: expected {low} to {high}")
            multiple = f.metadata.get("multiple", 1)
            if multiple > 1 and value % multiple:
                raise InputError(f"{f.name} = {value}: expected a multiple of {multiple}")

    def to_toml(self) -> str:
        lines = []
        for key, value in asdict(self).items():
            text = str(value).lower() if isinstance(value, bool) else repr(value)
            lines.append(f"{key} = {text}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Config(Settings):
    """What all methods for one theory share."""

    # The network (section 5).
    size: int = number(16, 16, 1024, multiple=16)  # n, the size of all vectors
    hidden: int = number(64, 16, 4096, multiple=16)  # neurons of the predictor's layers
    train_leaves: bool = True  # whether vectors of the signature's constants are trained
    # Episodes (Algorithm 1).
    m: int = number(1000, 1, 10**9)  # episodes, or problems searched, in the first epoch
    f: int = number(1000, 1, 10**9)  # and in every later one
    steps: int = number(100, 1, 10**6)  # steps of an episode
    noise: float = number(0.05, 0, 1)  # share of uniformly random actions
    prune: bool = False  # cut loops out of episodes before they are kept
    generated: int = number(1000, 1, 10**6)  # theorems that are made where a run needs them
    # Training (Algorithm 2).
    ME: int = number(250, 1, 10**6)  # epochs
    minutes: float = number(0.0, 0, 10**6)  # after which no epoch begins; 0: ME alone decides
    cpu_seconds: float = number(0.0, 0, 10**9)  # the same for CPU time; 0: no limit
    learning_rate: float = number(0.001, 0, 1)
    final_learning_rate: float = number(0.0, 0, 1)  # at the last epoch, by a cosine; 0: no change
    # The curriculum (section 6).
    level_size: int = number(400, 0, 10**9)  # problems of a level; 0: all problems at once
    threshold: float = number(0.95, 0, 1)  # success rate that opens the next level
    stop_at_end: bool = False  # end the run when the last level has been passed
    evaluations: int = number(400, 1, 10**6)  # problems of the evaluation after every epoch
    greedy_evaluation: bool = True  # else sampled with noise
    # The machine.
    width: int = number(256, 1, 10**5)  # episodes in lockstep
    threads: int = number(2, 1, 64)

    def ended(self, epochs: int, passed: bool, seconds: float, cpu: float) -> bool:
        """Whether a run ends here: so many epochs are done, in so many seconds and so much CPU
        time; `passed`: the last level too."""
        late = 0 < 60 * self.minutes <= seconds
        worked = 0 < self.cpu_seconds <= cpu
        return epochs >= self.ME or (passed and self.stop_at_end) or late or worked


@dataclass(frozen=True)
class ImitationConfig(Config):
    """What the methods that imitate solutions share."""

    NB: int = number(250, 0, 10**6)  # minibatches of an epoch
    B: int = number(32, 1, 10**5)  # transitions of a minibatch
    masked_loss: bool = False  # normalise over the legal actions only


@dataclass(frozen=True)
class HistoryConfig(ImitationConfig):
    """What the methods that learn from the history H share."""

    k: int = number(1, 1, 1000)  # shortest solutions kept of each problem
    shortest: bool = True  # else the newest k, whatever their length,
    newest: bool = True  # or the first k
    stratified: bool = True  # train on each problem alike; else on each transition alike
    expansions: int = number(2000, 1, 10**9)  # of each search for a solution


@dataclass(frozen=True)
class ThreeSILConfig(HistoryConfig):
    """3SIL."""

    method: ClassVar[str] = "3sil"
    bias: float = number(1.0, 1, 1000)  # how much likelier an unsolved problem is drawn
    search: int = number(0, 0, 10**6)  # unsolved problems of an epoch that are searched as well


@dataclass(frozen=True)
class ExpertConfig(HistoryConfig):
    """Expert iteration; learning from axioms."""

    method: ClassVar[str] = "expert"
    hindsight: int = number(12, 0, 10**6)  # theorems besides its own learned of each proof


@dataclass(frozen=True)
class BCConfig(ImitationConfig):
    """Behavioural cloning."""

    method: ClassVar[str] = "bc"
    bias: float = number(1.0, 1, 1000)  # how much likelier an unsolved problem is drawn
    buffer: int = number(40_000, 1, 10**9)  # transitions that are remembered


@dataclass(frozen=True)
class ActorCriticConfig(Config):
    """What the actor-critic methods share (appendix 4)."""

    bias: float = number(1.0, 1, 1000)  # how much likelier an unsolved problem is drawn
    gamma: float = number(0.99, 0, 1)  # discount factor
    entropy_weight: float = number(0.01, 0, 1000)  # of the entropy bonus


@dataclass(frozen=True)
class AdvantageConfig(ActorCriticConfig):
    """What A2C, PPO and SIL-PAAC share: a loss with an advantage."""

    value_weight: float = number(0.5, 0, 1000)  # of the critic's loss
    loss_masks: bool = True  # the policy of the loss gives illegal actions nothing
    loss_noise: bool = True  # and has the noise of play in it
    bootstrap: bool = True  # behind a limit, the value stands for what might have followed


@dataclass(frozen=True)
class A2CConfig(AdvantageConfig):
    """A2C."""

    method: ClassVar[str] = "a2c"
    greedy_evaluation: bool = False  # its policy is meant to be sampled
    a2c_steps: int = number(100, 1, 10**9)  # transitions of an update


@dataclass(frozen=True)
class PPOConfig(AdvantageConfig):
    """PPO."""

    method: ClassVar[str] = "ppo"
    learning_rate: float = number(0.002, 0, 1)
    normal_returns: bool = False  # normalise returns, not advantages
    ppo_clip: float = number(0.2, 0, 1)  # how far the ratio of the policies may be from 1
    ppo_epochs: int = number(4, 1, 10**6)  # passes over the transitions of an update
    ppo_steps: int = number(2000, 1, 10**9)  # transitions of an update


@dataclass(frozen=True)
class ACERConfig(ActorCriticConfig):
    """ACER."""

    method: ClassVar[str] = "acer"
    greedy_evaluation: bool = False  # its policy is meant to be sampled
    acer_buffer: int = number(20_000, 1, 10**9)  # transitions in the replay buffer
    acer_truncation: float = number(10.0, 0, 10**9)  # c, the largest importance weight
    acer_replay: int = number(4, 0, 10**6)  # updates with old episodes after each with new ones
    acer_steps: int = number(100, 1, 10**9)  # transitions of an update
    acer_decay: float = number(0.99, 0, 1)  # of the average policy
    acer_constraint: float = number(1.0, 0, 10**9)  # d, of the trust region


@dataclass(frozen=True)
class SilPaacConfig(A2CConfig):
    """SIL-PAAC."""

    method: ClassVar[str] = "sil-paac"
    NB: int = number(250, 0, 10**6)  # minibatches of an epoch
    B: int = number(32, 1, 10**5)  # transitions of a minibatch
    buffer: int = number(40_000, 1, 10**9)  # transitions that are remembered
    sil_value_weight: float = number(0.01, 0, 1000)  # of the critic's loss in a minibatch
    sil_exponent: float = number(0.6, 0, 1000)  # of the priorities


@dataclass(frozen=True)
class SelectionConfig(Settings):
    """The selection of critical pairs."""

    method: ClassVar[str] = "selection"
    ME: int = number(3, 1, 1000)  # rounds
    seconds: float = number(1.0, 0, 1e6)  # CPU time for each problem in a round
    expansions: int = number(0, 0, 10**9)  # critical pairs for each; 0: as time allows
    turns: int = number(1, 1, 1000)  # pairs that the network picks for each one by size
    size: int = number(0, 0, 256, multiple=16)  # of the vectors of terms; 0: features alone
    hidden: int = number(32, 16, 256, multiple=16)  # neurons of the predictor's layers
    epochs: int = number(10, 1, 10**6)  # passes over the examples
    learning_rate: float = number(0.002, 0, 1)


CONFIGS: Final[Mapping[str, type[Config]]] = {
    kind.method: kind
    for kind in (
        *(ThreeSILConfig, BCConfig, A2CConfig, PPOConfig, ACERConfig, SilPaacConfig, ExpertConfig),
    )
}
"""by the names of the methods"""


def config_of(method: str) -> type[Config]:
    """The kind of configuration that a method has."""
    if method not in CONFIGS:
        known = f"{', '.join(CONFIGS)}, or {SelectionConfig.method} without a theory"
        raise InputError(f"unknown method {method!r}; expected one of {known}")
    return CONFIGS[method]


def load_config(
    which: str | Path,
    theory: Theory,
    changes: Mapping[str, Any] | None = None,
    method: str = ThreeSILConfig.method,
) -> Config:
    """`paper`, `ours`, or a file, for a method; `changes` overrule it."""
    kind, source = config_of(method), str(which)
    if source in ("paper", "ours"):
        values = _bundled(source, theory, kind)
    else:
        try:
            text = read_text(which)
        except InputError as error:
            message = f"can't read the configuration: {error.message}"
            message += "; expected paper, ours or a file"
            raise InputError(message, source=source) from None
        values = read_toml(text, source)
    return make_config(kind, {**values, **(changes or {})}, source)


def _bundled(name: str, theory: Theory, kind: type[Config]) -> dict[str, Any]:
    """What a bundled file says about the keys of a method: all methods of a theory share one."""
    folder = files("threesil.learn") / "configs" / name
    resource = folder / f"{theory.name}.toml"
    if not resource.is_file() and kind is ExpertConfig:
        resource = folder / "any.toml"
    values = tomllib.loads(resource.read_text()) if resource.is_file() else {}
    own = {f.name for f in fields(kind)}
    return {key: value for key, value in values.items() if key in own}


def read_toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", source=source) from None


def make_config(kind: type[S], values: Mapping[str, Any], source: str) -> S:
    """A configuration of the given values; wrong keys and types are named."""
    types = {f.name: type(f.default) for f in fields(kind)}
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in types:
            shown = key[:40] if key.isprintable() else repr(key[:40])
            allowed = f"method {kind.method} has the keys {', '.join(types)}"
            raise InputError(f"unknown key {shown}; {allowed}", source=source)
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
        return kind(**checked)
    except InputError as error:
        raise InputError(error.message, source=source) from None


def _shown(value: object) -> str:
    """A wrong value, as far as it can be shown."""
    try:
        return repr(value)[:40]
    except ValueError:  # a number with more digits than Python likes
        return "..."
