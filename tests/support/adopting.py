"""A process that has adopted whatever a command starts, and ends when the last of it has ended: nothing gets away."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


class Adopted:
    """A command, and all that it has started, whoever has ended meanwhile.

    Attributes:
        process: What has adopted it all; it ends last.
        number: The process of the command, which is the first of a group of its own.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.number = int(process.stdout.readline())

    def living(self) -> list[int]:
        """The processes that run, the command first, each before those that it has started."""
        return _below(self.process.pid)


@contextlib.contextmanager
def adopted(command: Sequence[str], environment: Mapping[str, str], **options: Any) -> Iterator[Adopted]:
    """Run a command; nothing of it outlives the block, however the block ends."""
    words = [sys.executable, "-I", __file__, *command]
    with subprocess.Popen(
        words, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options
    ) as process:
        try:
            found = Adopted(process)
            yield found
        finally:
            while process.poll() is None and (left := _below(process.pid)):
                for number in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
            process.wait()


def _below(number: int) -> list[int]:
    found = []
    for children in Path(f"/proc/{number}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has just ended
            for child in map(int, children.read_text(encoding="ascii").split()):
                found += [child, *_below(child)]
    return found


def _main(command: list[str]) -> None:
    if ctypes.CDLL(None).prctl(36, 1, 0, 0, 0):  # the parent of every process below whose own parent ends
        raise SystemExit("this kernel has no adoption")
    # A suite that was itself started in the background ignores SIGINT, and so would what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    quiet = subprocess.DEVNULL
    run = subprocess.Popen(command, start_new_session=True, stdin=quiet, stdout=quiet, stderr=quiet)
    print(run.pid, flush=True)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


if __name__ == "__main__":
    _main(sys.argv[1:])
