"""The engine: theories compiled for the native core, episodes played in it, its network.

What others use is named here; besides there are

arrays      arrays on their way into the core
meter       what is left of a budget
network, selection   types of what networks read and give
laws, tables         equations evaluated in finite structures; the search for such structures
"""

from threesil.engine.codec import CURSOR, EQUALITY
from threesil.engine.completion import (
    Completion,
    CompletionRun,
    CompletionStatistics,
    Rule,
)
from threesil.engine.completion_task import OrderChoice
from threesil.engine.control import Stop, Stopped
from threesil.engine.core import Batch, End, Episode, Limits, Played
from threesil.engine.hints import Hints
from threesil.engine.network import Network, Pass, Shape, States, layout
from threesil.engine.problems import ProblemList
from threesil.engine.search import (
    Budget,
    Derived,
    Found,
    Guided,
    Lemmas,
    Levin,
    Saturated,
    Saturation,
    SaturationRun,
    Status,
    TermSearch,
)
from threesil.engine.selection import (
    PairNetwork,
    Pairs,
    PairShape,
    Selecting,
    Selection,
    pair_layout,
)

__all__ = [
    "CURSOR",
    "EQUALITY",
    "Batch",
    "Budget",
    "Completion",
    "CompletionRun",
    "CompletionStatistics",
    "Derived",
    "End",
    "Episode",
    "Found",
    "Guided",
    "Hints",
    "Lemmas",
    "Levin",
    "Limits",
    "Network",
    "OrderChoice",
    "PairNetwork",
    "PairShape",
    "Pairs",
    "Pass",
    "Played",
    "ProblemList",
    "Rule",
    "Saturated",
    "Saturation",
    "SaturationRun",
    "Selecting",
    "Selection",
    "Shape",
    "States",
    "Status",
    "Stop",
    "Stopped",
    "TermSearch",
    "layout",
    "pair_layout",
]
