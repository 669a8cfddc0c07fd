"""What it costs to hand out a chunk to a Ray cluster of this machine.

    python benchmarks/ray_chunks.py [CHUNKS]

CPU time of the process that hands out work, for a chunk with nothing in it and for one of eight
AIM problems, which the workers do nothing with. It bounds how many cores one process can feed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from threesil.problems import open_set
from threesil.theories import get_theory
from threesil.work.on_ray import Cluster

COUNT = 400
WARM = 8  # chunks before it is measured


def nothing() -> Callable[[Any], list[Any]]:
    """Something to do that travels as it is."""
    return lambda job: []


def hand_out(cluster: Cluster, jobs: Sequence[Any], count: int) -> float:
    """CPU seconds for as many chunks."""
    begin, given, done = time.process_time(), 0, 0
    while done < count:
        while given < count and cluster.room > 0:
            cluster.give(jobs)
            given += 1
        done += sum(1 for _ in cluster.results(1.0))
    return time.process_time() - begin


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    aim = open_set("dev", get_theory("aim"))
    eight = [(aim.theory, [problem]) for problem in aim.problems[:8]]
    with Cluster("ray", 2) as cluster:
        cluster.begin(nothing())
        for name, jobs in (("nothing", [0]), ("eight AIM problems", eight)):
            hand_out(cluster, jobs, WARM)
            print(f"{name:20} {1000 * hand_out(cluster, jobs, count) / count:.2f} ms a chunk")


if __name__ == "__main__":
    main()
