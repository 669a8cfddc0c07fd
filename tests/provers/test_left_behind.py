"""Nothing is left behind: no process of a prover, no directory, whatever ends threesil."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import psutil
import pytest

from commands import HELPERS
from samples import AIM, equation
from threesil.provers import scratch
from threesil.provers.base import Task
from threesil.provers.process import Allowance, Cause, run_process, usage
from threesil.provers.registry import find
from waiting import HANG, wait_until

ROOMY = Allowance(60, 60, 2000)

# Programs that start others and wait. Each process notes its number, in a line of its own.
NOTE = "sh -c 'echo $PPID >> \"$NOTES\"'"
IGNORES = "trap '' TERM HUP INT;"
SLEEP = "while true; do sleep 0.1; done"
FORKS = f"{NOTE}; ( {NOTE}; {SLEEP} ) & {SLEEP}"
DEAF = f"{IGNORES} {NOTE}; ( {NOTE}; {SLEEP} ) & {SLEEP}"
DAEMON = f"""
{NOTE}
( setsid sh -c '{IGNORES.replace("'", '"')} echo $$ >> "$NOTES"; while true; do sleep 0.1; done' & )
{SLEEP}
"""
# Leaves the group, the session and its environment, by a child that ends at once.
HIDDEN = f"""
{NOTE}
notes=$NOTES
( env -i setsid sh -c 'echo $$ >> "$1"; cd /; while true; do sleep 0.1; done' sh "$notes" & )
{SLEEP}
"""
PROGRAMS = {"forks": FORKS, "deaf": DEAF, "daemon": DAEMON, "hidden": HIDDEN}
each_program = pytest.mark.parametrize("program", PROGRAMS)


def noted(notes: Path) -> list[int]:
    return [int(line) for line in notes.read_text().split()] if notes.exists() else []


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def written(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the programs note their numbers."""
    path = tmp_path / "notes"
    monkeypatch.setenv("NOTES", str(path))
    return path


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setenv("TMPDIR", str(directory))
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


# While threesil goes on


@each_program
def test_stopping(program: str, notes: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def ready() -> None:
        wait_until(lambda: len(noted(notes)) >= 2, "the program did not start")
        stop.set()

    waiting = threading.Thread(target=ready)
    waiting.start()
    script = written(tmp_path / "program", PROGRAMS[program])
    ended = run_process([script], ROOMY, directory=tmp_path, stop=stop)
    waiting.join()
    assert ended.cause is Cause.STOPPED
    assert not [pid for pid in noted(notes) if alive(pid)]


@each_program
def test_a_program_that_ends_before_what_it_started(
    program: str, notes: Path, tmp_path: Path
) -> None:
    both = 'while [ "$(wc -l < "$NOTES")" -lt 2 ]; do sleep 0.02; done; echo bye; exit 3'
    script = written(tmp_path / "program", PROGRAMS[program].rstrip().removesuffix(SLEEP) + both)
    ended = run_process([script], ROOMY, directory=tmp_path)
    assert (ended.cause, ended.code, ended.output) == (Cause.EXIT, 3, "bye\n")
    assert len(noted(notes)) == 2
    assert not [pid for pid in noted(notes) if alive(pid)]


# Use by a process that nobody waits for counts too.

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


@pytest.mark.parametrize("away", ["", "setsid", "env -i setsid"])
def test_processor_time_of_those_that_go_away(away: str, tmp_path: Path) -> None:
    (tmp_path / "burn.py").write_text(BURN.format(seconds=100))
    script = written(tmp_path / "program", f"( {away} {sys.executable} burn.py & )\n{SLEEP}")
    ended = run_process([script], Allowance(60, 0.5, 2000), directory=tmp_path)
    assert ended.cause is Cause.SECONDS
    assert ended.cpu_seconds >= 0.5


def test_processor_time_of_those_that_have_ended(tmp_path: Path) -> None:
    (tmp_path / "burn.py").write_text(BURN.format(seconds=0.3))
    child = f"setsid {sys.executable} burn.py"
    script = written(tmp_path / "program", f"( ( {child}; touch done ) & )\n{SLEEP}")
    stop = threading.Event()
    seen: list[float] = []

    def look() -> None:
        wait_until((tmp_path / "done").exists, "the program did not end")
        (supervisor,) = (c for c in psutil.Process().children() if c.name() == "supervise")
        seen.append(usage(supervisor.pid)[0])
        stop.set()

    waiting = threading.Thread(target=look)
    waiting.start()
    ended = run_process([script], ROOMY, directory=tmp_path, stop=stop)
    waiting.join()
    assert seen[0] >= 0.2  # the kernel counts in hundredths, process by process
    assert ended.cpu_seconds >= 0.3


def test_memory_of_those_that_go_away(tmp_path: Path) -> None:
    grow = "import time; x = bytearray(300 << 20); time.sleep(100)"
    start = f'( env -i setsid "{sys.executable}" -c "{grow}" & )'
    script = written(tmp_path / "program", f"{start}\n{SLEEP}")
    ended = run_process([script], Allowance(60, 60, 200), directory=tmp_path)
    assert ended.cause is Cause.MEMORY


# When threesil is ended

OWNER = """
import sys
from samples import AIM, equation
from threesil.provers.base import Task
from threesil.provers.registry import find
find("prover9", sys.argv[1]).run(Task(AIM, equation("x * y = y * x")), 600)
"""


def start_owner(script: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": HELPERS}
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, str(script)],
        env=environment,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # a KeyboardInterrupt is said there
    )


ENDINGS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


@each_program
@pytest.mark.parametrize("ending", ENDINGS, ids=[ending.name for ending in ENDINGS])
def test_the_end_of_threesil(
    program: str, ending: signal.Signals, notes: Path, temporary: Path, tmp_path: Path
) -> None:
    owner = start_owner(written(tmp_path / "program", PROGRAMS[program]))
    try:
        wait_until(lambda: len(noted(notes)) >= 2, "the program did not start")
        assert len(list(temporary.iterdir())) == 1
        family = psutil.Process(owner.pid).children(recursive=True)
        os.kill(owner.pid, ending)
        assert owner.wait(HANG) != 0
    finally:
        owner.kill()
        owner.wait()
    gone = [*noted(notes), *(process.pid for process in family)]
    wait_until(lambda: not [pid for pid in gone if alive(pid)], "a process was left")
    wait_until(lambda: not list(temporary.iterdir()), "a directory was left")


def test_the_end_of_the_supervisor(notes: Path, temporary: Path, tmp_path: Path) -> None:
    """Nobody should kill it; if somebody does, the program goes too, and the run ends."""
    owner = start_owner(written(tmp_path / "program", f"{NOTE}; exec sleep 1000"))
    try:
        wait_until(lambda: len(noted(notes)) >= 1, "the program did not start")
        (supervisor,) = psutil.Process(owner.pid).children()
        supervisor.kill()
        assert owner.wait(HANG) == 0
    finally:
        owner.kill()
        owner.wait()
    wait_until(lambda: not alive(noted(notes)[0]), "the program was left")
    assert not list(temporary.iterdir())


# Directories that were left all the same


def process_that_has_ended() -> int:
    done = subprocess.Popen([sys.executable, "-S", "-c", ""])
    done.wait()
    return done.pid


def test_abandoned_directories_are_removed(temporary: Path, tmp_path: Path) -> None:
    gone = process_that_has_ended()
    abandoned = temporary / f"threesil-{gone}-abc"
    in_use = temporary / f"threesil-{os.getpid()}-abc"
    locked = temporary / f"threesil-{gone}-locked"
    others = [temporary / name for name in ("threesil-abc", "other-1-abc", "threesil-1e9-abc")]
    outside = tmp_path / "outside"
    for directory in (abandoned, in_use, locked, *others, outside):
        directory.mkdir()
        (directory / "problem.p").touch()
    link = temporary / f"threesil-{gone}-link"
    link.symlink_to(outside)
    lock = os.open(locked, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        with scratch.scratch() as directory:
            assert directory.parent == temporary
            assert not abandoned.exists()
    finally:
        os.close(lock)
    kept = {in_use, locked, *others, link}
    assert set(temporary.iterdir()) == kept
    assert (outside / "problem.p").exists()


def test_a_directory_in_use_is_locked(temporary: Path) -> None:
    with scratch.scratch() as directory:
        lock = os.open(directory, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(lock)
    assert not directory.exists()


def test_a_prover_removes_what_was_left(temporary: Path, tmp_path: Path) -> None:
    abandoned = temporary / f"threesil-{process_that_has_ended()}-abc"
    abandoned.mkdir()
    prover = find("prover9", written(tmp_path / "program", "exit 0"))
    prover.run(Task(AIM, equation("x * y = y * x")), 5)
    assert not list(temporary.iterdir())
