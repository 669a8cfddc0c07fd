"""The engine: theories compiled for the native core, episodes played in it, its network."""

from threesil.engine.codec import CURSOR, EQUALITY
from threesil.engine.core import Batch, End, Episode, Limits, Played
from threesil.engine.network import Network, Pass, Shape, States, layout

__all__ = [
    "CURSOR",
    "EQUALITY",
    "Batch",
    "End",
    "Episode",
    "Limits",
    "Network",
    "Pass",
    "Played",
    "Shape",
    "States",
    "layout",
]
