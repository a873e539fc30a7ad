"""Differences between operating systems: the only file that checks which system this is.

Linux has all of it. macOS bounds no memory of a process; Windows has no forks, users, file modes or CPU timers, and
waits for no pipe. What only the sandbox does stands in `scoring.extensions.sandbox`, which needs Linux.
"""

from __future__ import annotations

import errno
import os
import queue
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import subprocess


_LINUX, _POSIX = sys.platform == "linux", os.name == "posix"


def _flags(*names: str) -> int:
    found = 0
    for name in names:
        found |= getattr(os, name, 0)
    return found


# ---- files

AS_IT_IS = _flags("O_CLOEXEC", "O_BINARY")
"""A file's bytes, for this process alone: a flag of `os.open`."""
NO_LINK = _flags("O_NOFOLLOW") | AS_IT_IS
"""The same, but refuse a symbolic link; on systems without this flag the link is followed."""
AT_ONCE = _flags("O_NONBLOCK")
"""To open a pipe without waiting for who writes into it."""
FOLDER = _flags("O_DIRECTORY")
HOLDS_FOLDERS = os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd and FOLDER != 0
"""Whether files can be created, moved and removed relative to an open folder, wherever its name leads meanwhile."""
POLLS = hasattr(select, "poll")
"""Whether any file or pipe can be polled for data without waiting."""


def wait_in_reads(file: int) -> None:
    """Make reads of an open file block until data arrive."""
    if AT_ONCE:
        os.set_blocking(file, True)


def set_mode(file: int, mode: int) -> None:
    """Say who may read and write an open file, where files have modes."""
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)


def is_open_to_others(status: os.stat_result) -> bool:
    """Tell whether users other than the owner may read or write a file; False if the system has no file modes."""
    return _POSIX and status.st_mode & 0o077 != 0


def user() -> int | None:
    """Return the number of the user, None where users have none."""
    return os.geteuid() if hasattr(os, "geteuid") else None


_UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_BEHIND = 1 << 30
"""The byte that is locked on systems where locked bytes can't be read: one beyond the content."""


def lock(file: int) -> bool | None:
    """Lock an open file and tell whether this succeeded; None if the system has no locks for it."""
    try:
        import fcntl
    except ImportError:  # Windows, which locks bytes: one behind all that is read
        import msvcrt

        os.lseek(file, _BEHIND, os.SEEK_SET)
        system: Any = msvcrt  # whose names type checkers of other systems don't know
        take: Callable[[], object] = partial(system.locking, file, system.LK_NBLCK, 1)
    else:
        take = partial(fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        take()
    except OSError as error:
        if error.errno in _UNKNOWN:
            return None
        if error.errno in _BUSY:
            return False
        raise
    return True


# ---- processes

FORKS_WELL = _LINUX
"""Whether a single-threaded process can be forked safely; system libraries of macOS do not allow it."""
BOUNDS_MEMORY = _LINUX
"""Whether the additional memory of a process can be limited."""
CPU_TIMERS = hasattr(signal, "setitimer")
"""Whether a process can be signalled or ended after some CPU time."""


def after_a_fork(call: Callable[[], None]) -> None:
    """Have a call made in each copy of this process that comes to be."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


COPIES = hasattr(os, "fork")
"""Whether a process can be forked."""


def copied(call: Callable[[], object]) -> int:
    """Make a silent copy of this process that makes a call and ends, and return its number; where `COPIES` alone."""
    with warnings.catch_warnings():
        # Python warns of forks beside threads: this one runs nothing of theirs, and waits for nobody.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _make(call)
    return child


def end_copy(child: int) -> None:
    """End a copy of this process, and wait until it is gone."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _make(call: Callable[[], object]) -> NoReturn:
    try:
        import faulthandler

        faulthandler.disable()
        leave_no_core()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        call()
    finally:
        os._exit(0)


def lives(process: int) -> bool | None:
    """Tell whether a process with that number is running; None if the system does not report it."""
    if not _POSIX:
        return None
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return None
    return True


def end_with_children(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that began a session, and what it started; the last where the system knows sessions."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def was_out_of_time(status: int) -> bool:
    """Tell whether a process was ended by the timer that `end_after` sets."""
    return CPU_TIMERS and status == -signal.SIGPROF


def end_after(seconds: float) -> None:
    """End this process after `seconds` of CPU time, if the system has such timers; 0 cancels the timer."""
    if CPU_TIMERS:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def call_each(seconds: float, call: Callable[..., None]) -> None:
    """Interrupt the main thread for a call, each time that so much of its CPU time is over; 0 takes that back."""
    signal.signal(signal.SIGVTALRM, call)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)


def leave_no_core() -> None:
    """Have this process leave no image of its memory when it is killed."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(most: int) -> None:
    """Bound the memory of this process, as far as the system can."""
    try:
        import resource
    except ImportError:
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ValueError, OSError):  # a lower bound is there already, or none is known
        return


def limit_further_memory(more: int) -> None:
    """Limit the memory that this process may take in addition to its present memory; call only if `BOUNDS_MEMORY`."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = min(pages * resource.getpagesize() + more, sys.maxsize)
    there = resource.getrlimit(resource.RLIMIT_AS)[1]
    if there == resource.RLIM_INFINITY or most < there:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_other(process: int, *, file: int, memory: int) -> None:
    """Bound what a process, and all that it starts, writes into one file, and its memory, as far as the system can."""
    if not _LINUX:
        return
    import resource

    try:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (file, file))
        resource.prlimit(process, resource.RLIMIT_AS, (memory, memory))
        resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))
    except OSError:  # it may have ended already
        return


def let_others_go_first() -> None:
    """Give this process less of a busy processor, where the system can."""
    if hasattr(os, "nice"):
        os.nice(1)


# ---- pipes


class Blocks:
    """Reads blocks from a pipe, with a time limit for each.

    Args:
        descriptor: The pipe's end; who made it closes it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._come: queue.SimpleQueue[bytes] | None = None
        if POLLS:
            self._poll = select.poll()
            self._poll.register(descriptor, select.POLLIN)
        else:
            self._come = queue.SimpleQueue()
            threading.Thread(target=self._pass_on, args=(self._come,), daemon=True).start()

    def next(self, seconds: float) -> bytes | None:
        """Return the next block, b"" at the end, None if nothing arrived within `seconds`."""
        if self._come is not None:
            try:
                return self._come.get(timeout=max(0.0, seconds))
            except queue.Empty:
                return None
        return os.read(self._descriptor, _BLOCK) if self._poll.poll(max(0.0, seconds) * 1000) else None

    def _pass_on(self, come: queue.SimpleQueue[bytes]) -> None:
        block = b"."
        while block:
            try:
                block = os.read(self._descriptor, _BLOCK)
            except OSError:  # the pipe was closed
                block = b""
            come.put(block)


_BLOCK = 1 << 16
