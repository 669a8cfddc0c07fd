"""Processes of their own, forked from one that has imported PyTorch already."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "threesil.cli",
        "threesil.learn.train",
        "threesil.learn.plots",
        "torch.utils.tensorboard",
        "torch._dynamo",
    ]
)


@dataclass(frozen=True)
class Done:
    """How a command ended; a negative code is the signal that killed it."""

    returncode: int
    stdout: str
    stderr: str


class Command:
    """`threesil ARGUMENTS` at work, in the working directory `cwd`."""

    def __init__(self, cwd: Path, *arguments: str | Path, file_size: int | None = None) -> None:
        self._out, self._err = cwd / ".stdout", cwd / ".stderr"
        texts = [str(argument) for argument in arguments]
        self.process = start(_command, cwd, texts, self._out, self._err, file_size)

    def wait(self) -> Done:
        self.process.join()
        code = self.process.exitcode
        assert code is not None
        return Done(code, self._out.read_text(), self._err.read_text())

    def send(self, number: signal.Signals) -> None:
        """A signal to the process; SIGINT is what Ctrl-C does."""
        assert self.process.pid is not None
        os.kill(self.process.pid, number)


def start(target: Callable[..., None], *arguments: Any) -> Any:
    process = _CONTEXT.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def _command(cwd: Path, arguments: list[str], out: Path, err: Path, file_size: int | None) -> None:
    os.chdir(cwd)
    for path, stream in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    if file_size is not None:
        limit_file_size(file_size)
    sys.argv = ["threesil", *arguments]
    from threesil.cli import main

    sys.exit(main())


def limit_file_size(size: int) -> None:
    """Longer files cannot be written: the write that would do so is cut short, then fails."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def train(directory: Path, calls: int | None = None) -> None:
    """Resumes a run, and dies by SIGKILL at the given number of function calls."""
    from threesil.learn.training import Training
    from threesil.runs.run import Run

    if calls is not None:
        left = calls

        def count(_frame: object, _event: str, _argument: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
    Training.resume(Run(directory)).train()
    sys.setprofile(None)
