"""Kernel calls of the runner that Python lacks, and the clean-up of its processes.

Like the runner that loads it, it imports nothing of this package.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
import time
from collections.abc import Iterator

# What stands in a filter for the number of the process above the program.
_PARENT = b"\xee\xee\xee\xee"
_library = ctypes.CDLL(None, use_errno=True)
_control = _library.prctl


def adopt() -> None:
    """Become the parent of every process below this one whose own parent ends, so that none gets away."""
    if _control(36, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "what a program starts would get away")


def end_with(parent: int) -> None:
    """End this process when its parent ends, or now if it has ended already: after the last change of its user,
    which would undo it.
    """
    if _control(1, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "it would outlive its parent")
    if os.getppid() != parent:
        os._exit(1)


def put_on(rules: bytes, parent: int) -> None:
    """Take all capabilities from this process and put it under a filter, with its parent's number filled in."""
    # Of the version that knows 64 of them, for this process: none effective, permitted or inherited.
    none = struct.pack("=Ii", 0x20080522, 0), bytes(24)
    if _control(47, 4, 0, 0, 0) or _library.capset(*none):
        raise OSError(ctypes.get_errno(), "the capabilities are kept")
    steps = ctypes.create_string_buffer(rules.replace(_PARENT, struct.pack("=i", parent)))
    program = struct.pack("@HP", len(rules) // 8, ctypes.addressof(steps))
    if _control(38, 1, 0, 0, 0) or _control(22, 2, program, 0, 0):  # no new privileges; the filter
        raise OSError(ctypes.get_errno(), "the filter of system calls is refused")


def end_children() -> None:
    """End the processes below this one, which has adopted those that left its group. Needed where no namespace does
    it."""
    deadline = time.monotonic() + 10
    with contextlib.suppress(ChildProcessError):  # once there is none
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            for child in _children():
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            time.sleep(0.0002)


def _children() -> Iterator[int]:
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                yield int(name)
