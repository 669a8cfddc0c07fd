"""Running programs: limits, output, early ends, and nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import psutil
import pytest

from threesil.provers.process import HEAD, TAIL, Allowance, Cause, Ended, run_process
from waiting import wait_until

ROOMY = Allowance(200, 200, 2000)
BRIEF = Allowance(200, 0.3, 2000)  # so much work, however long that takes
BURN = "while true; do :; done"
IGNORES_SIGTERM = "trap '' TERM; echo $$ > child; while true; do sleep 0.05; done"


def run(
    script: str, tmp_path: Path, allowance: Allowance = ROOMY, stop: threading.Event | None = None
) -> Ended:
    return run_process(["/bin/sh", "-c", script], allowance, directory=tmp_path, stop=stop)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def child(tmp_path: Path) -> int:
    """The process that a script has noted in the file `child`."""
    return int((tmp_path / "child").read_text())


def wait_for_child(tmp_path: Path) -> None:
    """Waits until a script has noted a process in the file `child`."""
    noted = tmp_path / "child"
    wait_until(lambda: noted.exists() and noted.read_text())


def test_output_and_exit_code(tmp_path: Path) -> None:
    ended = run("echo out; echo err >&2; exit 7", tmp_path)
    assert (ended.cause, ended.code, ended.output) == (Cause.EXIT, 7, "out\nerr\n")


def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    assert run("kill -SEGV $$", tmp_path).code == -signal.SIGSEGV


def test_there_is_no_input_to_wait_for(tmp_path: Path) -> None:
    assert run("cat; echo done", tmp_path).output == "done\n"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    ended = run_process([tmp_path / "nothing"], ROOMY, directory=tmp_path)
    assert ended.cause is Cause.EXIT
    assert ended.code == 127


def test_wall_time(tmp_path: Path) -> None:
    ended = run("sleep 1000", tmp_path, Allowance(0.3, 60, 2000))
    assert ended.cause is Cause.SECONDS
    assert ended.seconds >= 0.3


def test_processor_time_of_all_processes(tmp_path: Path) -> None:
    ended = run(f"echo begun; ({BURN}) & ({BURN}) & wait", tmp_path, Allowance(200, 0.4, 2000))
    assert ended.cause is Cause.SECONDS
    assert ended.output.startswith("begun")
    assert ended.cpu_seconds >= 0.4


def test_processor_time_of_children_is_counted(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    ended = run(f'"{sys.executable}" -c "{burn}"; exit 0', tmp_path)
    assert ended.cpu_seconds >= 0.3


def test_memory(tmp_path: Path) -> None:
    grow = "import time; x = bytearray(300 << 20); time.sleep(100)"
    ended = run(f'exec "{sys.executable}" -c "{grow}"', tmp_path, Allowance(200, 200, 200))
    assert ended.cause is Cause.MEMORY


def test_memory_all_at_once(tmp_path: Path) -> None:
    """More than the kernel allows is refused at once."""
    grow = "bytearray(2000 << 20)"
    ended = run(f'exec "{sys.executable}" -c "{grow}"', tmp_path, Allowance(200, 200, 200))
    assert ended.cause is Cause.MEMORY or "MemoryError" in ended.output


def test_stopping(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Thread(target=lambda: (wait_for_child(tmp_path), stop.set())).start()
    assert run("echo $$ > child; sleep 1000", tmp_path, stop=stop).cause is Cause.STOPPED
    assert run("sleep 1000", tmp_path, stop=stop).cause is Cause.STOPPED


def test_sigterm_is_ignored(tmp_path: Path) -> None:
    ended = run(f"trap '' TERM; echo $$ > child; {BURN}", tmp_path, BRIEF)
    assert ended.cause is Cause.SECONDS
    assert ended.code == -signal.SIGKILL
    wait_until(lambda: not alive(child(tmp_path)))


def test_a_flood_of_output(tmp_path: Path) -> None:
    script = "echo first; yes 'all work and no play' | head -c 50000000; echo last"
    ended = run(script, tmp_path)
    assert ended.cause is Cause.EXIT
    assert ended.output.startswith("first\n")
    assert ended.output.endswith("last\n")
    assert "bytes left out" in ended.output
    assert len(ended.output) <= HEAD + TAIL + (1 << 17)


def test_output_that_is_not_text(tmp_path: Path) -> None:
    assert run(r"printf '\377\376 ok'", tmp_path).output.endswith(" ok")


@pytest.mark.parametrize("detach", ["", "setsid "])
@pytest.mark.parametrize("then", ["exit 0", BURN])
def test_no_orphans(tmp_path: Path, detach: str, then: str) -> None:
    """A child in the background goes too, even if it has left the group and holds the output."""
    script = f"{detach}sleep 1000 & echo $! > child; {then}"
    ended = run(script, tmp_path, ROOMY if then == "exit 0" else BRIEF)
    assert ended.cause is (Cause.EXIT if then == "exit 0" else Cause.SECONDS)
    wait_until(lambda: not alive(child(tmp_path)))


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupt() -> None:
        wait_for_child(tmp_path)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run(IGNORES_SIGTERM, tmp_path)
    wait_until(lambda: not alive(child(tmp_path)))


def test_temporary_files_of_the_program(tmp_path: Path) -> None:
    assert run('echo "$TMPDIR"; pwd', tmp_path).output == f"{tmp_path}\n{tmp_path}\n"


@pytest.mark.parametrize(
    ("script", "allowance", "cause"),
    [
        ("echo out; exit 7", ROOMY, Cause.EXIT),
        (f"echo out; {BURN}", BRIEF, Cause.SECONDS),
        (f"echo out; sleep 1000 & echo $! > child; {BURN}", BRIEF, Cause.SECONDS),
    ],
)
def test_where_there_is_no_supervisor(
    script: str,
    allowance: Allowance,
    cause: Cause,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("threesil.provers.process.LINUX", False)
    ended = run(script, tmp_path, allowance)
    assert (ended.cause, ended.output) == (cause, "out\n")
    assert cause is not Cause.EXIT or ended.code == 7
    if "child" in script:
        wait_until(lambda: not alive(child(tmp_path)))


def test_wall_time_where_there_is_no_supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threesil.provers.process.LINUX", False)
    assert run("sleep 1000", tmp_path, Allowance(0.3, 60, 2000)).cause is Cause.SECONDS


def test_a_flag_ends_it_where_there_is_no_supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threesil.provers.process.LINUX", False)
    stop = threading.Event()
    stop.set()
    assert run("sleep 100", tmp_path, stop=stop).cause is Cause.STOPPED
