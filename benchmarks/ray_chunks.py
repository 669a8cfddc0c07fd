"""What it costs to hand out a chunk to a Ray cluster of this machine.

    python benchmarks/ray_chunks.py [CHUNKS]

CPU time of the process that hands out work, for a chunk with nothing in it and for one of eight
AIM problems, which the workers do nothing with. It bounds how many cores one process can feed.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from threesil.problems.sets import open_set
from threesil.theories import get_theory
from threesil.work.place import Make, Place
from threesil.work.places import place_for

COUNT = 400
WARM = 8  # chunks before it is measured


def nothing() -> Make[Any, int]:
    """A job that travels as it is."""
    return lambda: lambda item, give, stop: give(0)


def hand_out(place: Place, item: Any, count: int) -> float:
    """CPU seconds for as many chunks."""
    crew = place.begin(nothing())
    begin, given, done = time.process_time(), 0, 0
    while done < count:
        more = given < count and crew.room > 0
        if more:
            crew.add(given, item)
            given += 1
        done += sum(1 for _ in crew.results(0.0 if more else 1.0))  # what was added is a chunk
    return time.process_time() - begin


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    aim = open_set("dev", get_theory("aim"))
    eight = [(aim.theory, [problem]) for problem in aim.problems[:8]]
    with place_for("ray", 2) as place:
        for name, item in (("nothing", 0), ("eight AIM problems", eight)):
            hand_out(place, item, WARM)
            print(f"{name:20} {1000 * hand_out(place, item, count) / count:.2f} ms a chunk")


if __name__ == "__main__":
    main()
