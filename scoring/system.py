"""Features of files that not every operating system has, with fallbacks.

Only this module and `scoring.processes` check the platform. Linux has all features. Windows has no user ids and file
modes, and can't poll pipes. Features that only the sandbox uses are in `scoring.extensions.sandbox`, which needs Linux.
"""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable
from functools import partial
from typing import Any

_POSIX = os.name == "posix"


def _flags(*names: str) -> int:
    found = 0
    for name in names:
        found |= getattr(os, name, 0)
    return found


AS_IT_IS = _flags("O_CLOEXEC", "O_BINARY")
"""Flags of `os.open` to read and write bytes unchanged, and not to pass the file on to child processes."""
NO_LINK = _flags("O_NOFOLLOW") | AS_IT_IS
"""The same, failing for a symbolic link; on systems without such a flag the link is followed."""
AT_ONCE = _flags("O_NONBLOCK")
"""The flag to open a pipe without waiting for a writer."""
FOLDER = _flags("O_DIRECTORY")
HOLDS_FOLDERS = os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd and FOLDER != 0
"""Whether files can be created, moved and removed relative to an open directory, even if its path is replaced."""
POLLS = hasattr(select, "poll")
"""Whether any file or pipe can be polled for readable data."""


def wait_in_reads(file: int) -> None:
    """Make reads of a file descriptor wait for data, after the file was opened in the non-blocking mode `AT_ONCE`."""
    if AT_ONCE:
        os.set_blocking(file, True)


def set_mode(file: int, mode: int) -> None:
    """Set the permission bits (`mode`) of an open file, on systems where files have them."""
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)


def is_open_to_others(status: os.stat_result) -> bool:
    """Return whether others than its owner may access a file, given its status; False where systems lack that."""
    return _POSIX and status.st_mode & 0o077 != 0


def user() -> int | None:
    """Return the effective user id of this process, None on systems without user ids."""
    return os.geteuid() if hasattr(os, "geteuid") else None


_UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_BEHIND = 1 << 30
"""The offset of the byte to lock where locked bytes can't be read: far behind the end of the file."""


def try_lock(file: int) -> bool | None:
    """Try to lock an open file and return whether that succeeded; None where the system can't lock it."""
    try:
        import fcntl
    except ImportError:  # Windows, which locks bytes: one behind all bytes that are read
        import msvcrt

        os.lseek(file, _BEHIND, os.SEEK_SET)
        system: Any = msvcrt  # type checkers on other systems don't know its names
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
