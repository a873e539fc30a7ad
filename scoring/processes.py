"""Features of processes that not every operating system has, with fallbacks.

Linux has all of them. macOS can't limit the memory of a process; Windows has no forks and CPU timers.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import subprocess

_LINUX, _POSIX = sys.platform == "linux", os.name == "posix"

FORKS_WELL = _LINUX
"""Whether a single-threaded process can be forked safely: libraries of macOS do not support it."""
BOUNDS_MEMORY = _LINUX
"""Whether the memory that a process may take in addition to what it has can be limited."""
CPU_TIMERS = hasattr(signal, "setitimer")
"""Whether a process can be signalled or ended after an amount of CPU time."""


def after_a_fork(call: Callable[[], None]) -> None:
    """Register a function to be called in each forked child of this process."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


COPIES = hasattr(os, "fork")
"""Whether a process can be forked."""


def copied(call: Callable[[], object]) -> int:
    """Fork a child process that makes a call with stderr redirected to nowhere and then exits, and return its process
    id.

    It may be called only if `COPIES` is true.
    """
    with warnings.catch_warnings():
        # Python warns of forks while threads run: this child runs none of their code, and waits for nobody.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _make(call)
    return child


def end_copy(child: int) -> None:
    """Kill a forked child of this process, and wait until it has ended."""
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
    """Return whether a process with the given id exists; None where the system can't tell."""
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
    """Kill a process that leads a session, together with its children where the system has process groups."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def was_out_of_time(status: int) -> bool:
    """Return whether a process with the given exit status was ended by the timer of `end_after`."""
    return CPU_TIMERS and status == -signal.SIGPROF


def end_after(seconds: float) -> None:
    """Set a timer that ends this process after some seconds of CPU time, on systems with such timers; 0 cancels it."""
    if CPU_TIMERS:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def call_each(seconds: float, call: Callable[..., None]) -> None:
    """Set a timer that calls a function in the main thread after every `seconds` of CPU time; 0 cancels it."""
    signal.signal(signal.SIGVTALRM, call)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)


def leave_no_core() -> None:
    """Prevent this process from writing a core dump when it is killed."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def raise_file_limit(most: int) -> int | None:
    """Raise the number of files that this process may have open to `most`, as far as the system lets it, and return the
    limit; None where there is none."""
    try:
        import resource
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return None if soft == resource.RLIM_INFINITY else soft


def limit_memory(most: int) -> None:
    """Limit the memory of this process to `most` bytes, as far as the system can."""
    try:
        import resource
    except ImportError:
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ValueError, OSError):  # a lower limit is set already, or the system supports none
        return


def limit_further_memory(more: int) -> None:
    """Limit the memory of this process to `more` bytes in addition to what it has; only where `BOUNDS_MEMORY`."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = min(pages * resource.getpagesize() + more, sys.maxsize)
    there = resource.getrlimit(resource.RLIMIT_AS)[1]
    if there == resource.RLIM_INFINITY or most < there:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def limit_other(process: int, *, file: int, memory: int) -> None:
    """Limit the size of files (`file`) and the memory of another process, in bytes, and those of the children that it
    starts, as far as the system can."""
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
    """Lower the CPU priority of this process, where the system can."""
    if hasattr(os, "nice"):
        os.nice(1)
