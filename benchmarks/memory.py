"""Memory over a long random walk: resident size after the walk against that after its first part.

Prints one JSON object; `ratio` is 1 where memory is flat. Usage: memory.py [THEORY] [STEPS]
"""

import json
import sys

import numpy as np

from threesil.engine import Batch
from threesil.problems.sets import sample_set
from threesil.theories import get_theory

EPISODES = 20_000


def resident() -> int:
    """Kilobytes in memory now."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main() -> None:
    theory = get_theory(sys.argv[1] if len(sys.argv) > 1 else "aim")
    total = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**8
    problems = sample_set(theory, 500, seed=0)
    batch = Batch(theory, problems, 64, self_check=False)
    numbers = np.arange(EPISODES) % len(problems)
    steps = first = early = 0
    while steps < total:
        steps += int(batch.play_random(numbers, seed=0, first_episode=first).steps.sum())
        first += EPISODES
        early = early or (resident() if steps >= total / 100 else 0)
    late = resident()
    figures = {"theory": theory.name, "steps": steps, "early_kb": early, "late_kb": late}
    print(json.dumps({**figures, "ratio": round(late / early, 3)}))


if __name__ == "__main__":
    main()
