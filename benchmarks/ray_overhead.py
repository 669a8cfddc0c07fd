"""What Ray costs: the same evaluation in threads and on a cluster of this machine.

    python benchmarks/ray_overhead.py [PROBLEMS [SECONDS [WORKERS]]]

AIM dev theorems (the first 312 at most), search `plain`, so many CPU seconds each. Wall time is
taken from the first result on and as a whole; CPU time is that of the command with all processes
below it. The last line of a run has what the problems themselves took.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil


def main() -> None:
    given = [float(word) for word in sys.argv[1:]]
    count, seconds, workers = (*given, *(312, 2.0, 2)[len(given) :])
    print(f"{psutil.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f}")
    for name, on in (("threads", []), ("ray", ["--on", "ray"])):
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory, "rows.jsonl")
            command = [sys.executable, "-m", "threesil", "evaluate", "dev", "--theory", "aim"]
            command += ["--solver", "plain", "--seconds", f"{seconds:g}", "--limit", f"{count:g}"]
            command += ["--workers", f"{workers:g}", "--out", str(out), *on]
            start, whole, cpu = timed(command, out)
            if not out.exists():
                sys.exit(f"it does not run: {' '.join(command)}")
            rows = [json.loads(line) for line in out.read_text().splitlines()[1:]]
        work = sum(row["cpu_seconds"] for row in rows)
        print(
            f"{name:8} first result after {start:6.1f} s, then {whole - start:6.1f} s; "
            f"CPU {cpu:6.1f} s, the problems {work:6.1f} s; {len(rows)} results"
        )


def timed(command: list[str], out: Path) -> tuple[float, float, float]:
    """Seconds to the first row, to the end, and CPU seconds of all processes."""
    begin, first = time.monotonic(), 0.0
    spent: dict[int, float] = {}
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        for one in (process, *children(process)):
            try:
                times = one.cpu_times()
                spent[one.pid] = times.user + times.system
            except psutil.Error:
                continue  # it has ended
        if not first and out.exists() and out.read_bytes().count(b"\n") > 1:
            first = time.monotonic() - begin
        time.sleep(0.1)
    return first, time.monotonic() - begin, sum(spent.values())


def children(process: psutil.Popen) -> list[psutil.Process]:
    try:
        return list(process.children(recursive=True))
    except psutil.Error:
        return []


if __name__ == "__main__":
    main()
