"""Critical pairs a CPU second: threesil's completion against E, which prints its own count.

E's paramodulations are critical pairs as ours are; it does not count its rewrites. Prints one JSON
object; `ratio` is ours to theirs. Usage: completion.py [THEORY] [SECONDS]
"""

import json
import re
import subprocess
import sys
import time

from threesil.engine import Budget, Completion
from threesil.kernel.terms import var
from threesil.kernel.theory import Problem
from threesil.notations.document import Document
from threesil.notations.writing.tptp import write_document
from threesil.provers.registry import find
from threesil.theories import get_theory


def main() -> None:
    theory = get_theory(sys.argv[1] if len(sys.argv) > 1 else "moufang")
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    goal = Problem("goal", var("x"), var("y"))
    run = Completion(theory).begin(goal)
    begin = time.process_time()
    run.run(Budget(None, seconds))
    counts, spent = run.statistics, time.process_time() - begin
    command = [str(find("e").path), "--auto", "--print-statistics", "--resources-info"]
    done = subprocess.run(
        [*command, f"--soft-cpu-limit={seconds}", "-"],
        input=write_document(Document(theory, (goal,))),
        capture_output=True,
        text=True,
        check=False,
    )
    theirs = _number(r"# Paramodulations +: (\d+)", done.stdout)
    took = _number(r"# User time +: ([\d.]+)", done.stdout)
    figures = {
        "theory": theory.name,
        "pairs": round(counts.pairs / spent),
        "rewrites": round(counts.rewrites / spent),
        "e_pairs": round(theirs / took),
    }
    print(json.dumps({**figures, "ratio": round(counts.pairs / spent / (theirs / took), 2)}))


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"E printed nothing like {pattern!r}")
    return float(found[1])


if __name__ == "__main__":
    main()
