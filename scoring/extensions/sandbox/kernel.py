"""System calls of the runner for which Python has no function, and how it leaves no process behind.

Like the runner that loads it, this module imports nothing of this package.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
import time
from collections.abc import Iterator

# The placeholder in a filter for the PID of the program's parent.
_PARENT = b"\xee\xee\xee\xee"
_library = ctypes.CDLL(None, use_errno=True)
_control = _library.prctl


def adopt() -> None:
    """Make this process the parent of every descendant whose own parent ends, so that none escapes."""
    if _control(36, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "processes that a program starts would escape")


def end_with(parent: int) -> None:
    """Make this process end when its parent, whose PID is `parent`, ends; end it now if the parent has already ended.

    Call this after the last change of the process's user ID, which would reset the setting.
    """
    if _control(1, signal.SIGKILL, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "it would outlive its parent")
    if os.getppid() != parent:
        os._exit(1)


def put_on(rules: bytes, parent: int) -> None:
    """Drop all capabilities of this process and install a system call filter.

    Args:
        rules: The filter, with a placeholder for the PID of the parent.
        parent: The PID of this process's parent.
    """
    # The version of the interface with 64 capabilities, for this process: none effective, permitted or inherited.
    none = struct.pack("=Ii", 0x20080522, 0), bytes(24)
    if _control(47, 4, 0, 0, 0) or _library.capset(*none):
        raise OSError(ctypes.get_errno(), "the capabilities are kept")
    steps = ctypes.create_string_buffer(rules.replace(_PARENT, struct.pack("=i", parent)))
    program = struct.pack("@HP", len(rules) // 8, ctypes.addressof(steps))
    if _control(38, 1, 0, 0, 0) or _control(22, 2, program, 0, 0):  # no new privileges; the filter
        raise OSError(ctypes.get_errno(), "the filter of system calls is refused")


def end_children() -> None:
    """End all descendants of this process, which has adopted them: also those that left their process group.

    For use where the sandbox has no process namespace, whose end would end them.
    """
    deadline = time.monotonic() + 10
    with contextlib.suppress(ChildProcessError):  # raised when no child is left
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
