"""The fuzz campaign: many random inputs for each target, in processes that may not take too much.

    python tests/fuzz/run.py --minutes 10
    python tests/fuzz/run.py --target theory_file --inputs 100000
    python tests/fuzz/run.py --target theory_file --seed 0 --input 4711     one input again

A target is a function `target_NAME(random)` that makes one input and runs it; whatever it raises is
a finding, and so are more than 5 s of CPU time or 2 GB of memory for an input, and a process that
dies. Input number k draws from `Random(f"{target}:{seed}:{k}")`. Findings go to `build/fuzz.jsonl`.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import mmap
import multiprocessing
import os
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from types import FrameType

MODULES = ("certificates", "native", "readers", "serving")
SECONDS = 5.0  # of CPU time for an input
MEMORY = 2 * 10**9  # bytes, beside what the modules take
FINDINGS = Path("build/fuzz.jsonl")
_GRACE = 5.0  # CPU seconds more, in which what does not return to Python is ended
WAIT = 60.0  # seconds of the clock, after which one that waits for something is ended too
_LOOK = 0.1  # seconds between looks at the children
_MOST = 20  # findings of a target, after which it has had its turn
_STATE = struct.Struct("<qdqd")  # inputs done, CPU time at the start of this, slowest: number, time

Target = Callable[[Random], None]


class TooSlow(BaseException):
    """An input took too much CPU time; no `except Exception` stops it."""


@dataclass(frozen=True)
class Finding:
    """An input that failed, and how."""

    target: str
    seed: int
    input: int
    error: str

    @property
    def again(self) -> str:
        """The options that run it again."""
        return f"--target {self.target} --seed {self.seed} --input {self.input}"


@dataclass
class Tally:
    """What came of a target."""

    name: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_input: int = 0
    megabytes: int = 0
    findings: list[Finding] = field(default_factory=list)


def name_of(target: Target) -> str:
    """What a target is called: its function's name without `target_`."""
    return target.__name__.removeprefix("target_")


def all_targets() -> dict[str, Target]:
    """The targets of all modules, by their names."""
    tests = Path(__file__).resolve().parents[1]
    for helpers in (str(tests), str(tests / "shared")):
        if helpers not in sys.path:
            sys.path.insert(0, helpers)
    found: dict[str, Target] = {}
    for module in MODULES:
        if find_spec(f"fuzz.{module}") is not None:
            for target in import_module(f"fuzz.{module}").TARGETS:
                assert name_of(target) not in found, f"two targets are called {name_of(target)}"
                found[name_of(target)] = target
    return found


def random_of(target: str, seed: int, number: int) -> Random:
    """The randomness of an input."""
    return Random(f"{target}:{seed}:{number}")


# In the child


def limit_memory() -> None:
    """Lets this process take `MEMORY` more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {SECONDS:g} s of CPU time")


def run_one(target: Target, random: Random) -> None:
    """Runs an input within its CPU time."""
    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        target(random)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _child(
    target: Target, seed: int, numbers: range, state: mmap.mmap, told: Connection, until: float
) -> None:
    name = name_of(target)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    faulthandler.disable()
    limit_memory()
    signal.signal(signal.SIGPROF, _too_slow)
    slowest, slow = 0.0, 0
    for number in numbers:
        begin = time.process_time()
        _STATE.pack_into(state, 0, number, begin, slow, slowest)
        error = ""
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            target(random_of(name, seed, number))
        except BaseException:
            error = traceback.format_exc()
        signal.setitimer(signal.ITIMER_PROF, 0)
        took = time.process_time() - begin
        if took > slowest:
            slowest, slow = took, number
        if not error and took > SECONDS:
            error = f"{took:.1f} s of CPU time"
        if error:
            told.send((number, error))
        if time.monotonic() > until:
            numbers = range(numbers.start, number + 1)
            break
    _STATE.pack_into(state, 0, numbers.stop, time.process_time(), slow, slowest)
    told.send((-1, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)))


# In the parent


def campaign(
    target: Target, seed: int, numbers: range, until: float, show: Callable[[Tally], None]
) -> Tally:
    """Runs inputs of a target up to a time; a child that dies is followed by another one."""
    tally = Tally(name_of(target))
    begin, at = time.monotonic(), numbers.start
    while at < numbers.stop and (at == numbers.start or time.monotonic() < until):
        at = _stretch(target, seed, range(at, numbers.stop), until, tally, show)
        if len(tally.findings) >= _MOST:
            break
    tally.inputs = at - numbers.start
    tally.seconds = time.monotonic() - begin
    return tally


def _stretch(
    target: Target,
    seed: int,
    numbers: range,
    until: float,
    tally: Tally,
    show: Callable[[Tally], None],
) -> int:
    """Runs a child until it ends; the number of the input that comes next."""
    state = mmap.mmap(-1, _STATE.size)
    _STATE.pack_into(state, 0, numbers.start, 0.0, 0, 0.0)
    listening, told = multiprocessing.Pipe(duplex=False)
    given = target, seed, numbers, state, told, until
    child = multiprocessing.get_context("fork").Process(target=_child, args=given)
    done_before = tally.inputs
    child.start()
    told.close()
    ended, number, since = False, -1, time.monotonic()
    while not ended:
        child.join(_LOOK)
        ended = child.exitcode is not None
        _hear(listening, seed, tally)
        before = number
        number, began, slow, slowest = _STATE.unpack_from(state)
        if number != before:
            since = time.monotonic()
        tally.inputs = done_before + number - numbers.start
        if slowest > tally.slowest:
            tally.slowest, tally.slowest_input = slowest, slow
        show(tally)
        stuck = _cpu_time(child) - began > SECONDS + _GRACE or time.monotonic() - since > WAIT
        if not ended and (stuck or len(tally.findings) >= _MOST):
            child.kill()
            child.join()
            ended = True
    if child.exitcode == 0:
        return int(number)
    if len(tally.findings) < _MOST:
        code = child.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        tally.findings.append(Finding(tally.name, seed, number, f"the process ended: {how}"))
    return int(number) + 1


def _hear(listening: Connection, seed: int, tally: Tally) -> None:
    try:
        while listening.poll():
            number, text = listening.recv()
            if number < 0:
                tally.megabytes = max(tally.megabytes, int(text))
            else:
                tally.findings.append(Finding(tally.name, seed, number, text))
    except EOFError:
        pass


def _cpu_time(child: BaseProcess) -> float:
    try:
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def table(tallies: Iterable[Tally]) -> Iterator[str]:
    """A line for each target, and one for all."""
    yield f"{'target':24}{'inputs':>10}{'findings':>10}{'a second':>10}{'slowest':>10}{'MB':>7}"
    listed = list(tallies)
    for one in listed:
        rate = one.inputs / one.seconds if one.seconds else 0.0
        counts = f"{one.inputs:>10,}{len(one.findings):>10}{rate:>10,.0f}"
        yield f"{one.name:24}{counts}{one.slowest:>9.2f}s{one.megabytes:>7}"
    inputs, findings = sum(t.inputs for t in listed), sum(len(t.findings) for t in listed)
    yield f"{'all':24}{inputs:>10,}{findings:>10}"


def _progress(tally: Tally) -> None:
    if sys.stderr.isatty():
        text = f"{tally.name}: {tally.inputs:,} inputs, {len(tally.findings)} findings"
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    about = "Random inputs for every reader and checker."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--target", action="append", help="one of them; may be repeated")
    parser.add_argument("--inputs", type=int, help="for each target; default: 1000")
    parser.add_argument("--minutes", type=float, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--input", type=int, help="this one alone, here, with its traceback")
    parser.add_argument("--list", action="store_true", help="the names of the targets")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the campaign; 1 if there is a finding."""
    given = _parsed(arguments)
    targets = all_targets()
    for name in given.target or ():
        if name not in targets:
            print(f"no target {name}; targets: {', '.join(targets)}", file=sys.stderr)
            return 2
    chosen = [targets[name] for name in given.target or targets]
    if given.list:
        print("\n".join(targets))
        return 0
    if given.input is not None:
        for target in chosen:
            run_one(target, random_of(name_of(target), given.seed, given.input))
        return 0
    count = given.inputs or (1000 if given.minutes is None else 10**12)
    numbers = range(given.first, given.first + count)
    tallies = []
    end = time.monotonic() + 60 * (given.minutes or 10**6)
    for place, target in enumerate(chosen):
        until = time.monotonic() + (end - time.monotonic()) / (len(chosen) - place)
        tallies.append(campaign(target, given.seed, numbers, until, _progress))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print("\n".join(table(tallies)))
    findings = [finding for tally in tallies for finding in tally.findings]
    if findings:
        FINDINGS.parent.mkdir(exist_ok=True)
        with FINDINGS.open("a") as file:
            file.writelines(f"{json.dumps(vars(finding))}\n" for finding in findings)
        print(f"\nfindings, with tracebacks in {FINDINGS}:")
        for finding in findings:
            print(f"  {finding.again}\n    {finding.error.strip().splitlines()[-1][:160]}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
