"""Gymnasium environments over the engine, single and vectorised.

Importing this module registers `threesil/<env_id>` for every theory of the package whose
benchmark has an `env_id`, and `threesil/Theory-v0`, which takes any theory by the keyword `theory`:

    import gymnasium
    import threesil.envs

    env = gymnasium.make("threesil/Theory-v0", theory="groups.txt")
    envs = gymnasium.make_vec("threesil/Theory-v0", num_envs=8, theory="groups.txt")

`gymnasium.make("threesil.envs:threesil/Theory-v0", ...)` needs no import.
"""

from threesil.errors import MissingTool

try:
    import gymnasium as _gymnasium
except ImportError as error:
    raise MissingTool(
        "the environments need Gymnasium, which is not installed: pip install threesil[gym]"
    ) from error

from threesil.envs.single import TheoryEnv
from threesil.envs.vector import TheoryVectorEnv
from threesil.theories import all_theories, benchmark_of

__all__ = ["TheoryEnv", "TheoryVectorEnv", "register_all"]

_NAMESPACE = "threesil"


def register_all() -> None:
    """Registers the environments with Gymnasium; those that it knows already stay as they are."""
    named = {benchmark_of(theory).env_id: {"theory": theory.name} for theory in all_theories()}
    ids = {"Theory-v0": {}, **{env_id: kw for env_id, kw in named.items() if env_id}}
    for env_id, keywords in ids.items():
        if f"{_NAMESPACE}/{env_id}" not in _gymnasium.registry:
            _gymnasium.register(
                f"{_NAMESPACE}/{env_id}",
                entry_point="threesil.envs.single:TheoryEnv",
                vector_entry_point="threesil.envs.vector:TheoryVectorEnv",
                kwargs=keywords,
            )


register_all()
