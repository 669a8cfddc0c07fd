"""The engine: theories compiled for the native core, and episodes played in it."""

from threesil.engine.codec import EQUALITY
from threesil.engine.core import Batch, End, Episode, Limits, Played

__all__ = ["EQUALITY", "Batch", "End", "Episode", "Limits", "Played"]
