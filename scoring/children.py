"""Start child processes so that none of them runs or imports files of the current directory.

The current directory may contain untrusted files, such as those of a pull request: a `json.py`, a program called
`git`. Programs are therefore searched for only in the absolute directories of `PATH`, and a Python child never has the
current directory on its module path. All child processes are started here, except those that the sandbox starts inside
itself, where untrusted code may do as it likes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

Running: TypeAlias = "subprocess.Popen[bytes]"
PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
TooLate = subprocess.TimeoutExpired
"""The exception raised when waiting for a process times out."""

_FOLDERS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Environment variables that list directories; an empty or relative entry depends on the current directory."""


def environment(**more: str) -> dict[str, str]:
    """Return a copy of this process's environment for a child process, with the variables in `more`, and without
    entries of search paths such as `PATH` that depend on the current directory.

    Examples:
        >>> environment(LC_ALL="C")["LC_ALL"], environment()["PYTHONSAFEPATH"]
        ('C', '1')
    """
    listed = {name: _absolute(os.environ[name]) for name in _FOLDERS if name in os.environ}
    return {**os.environ, **listed, "PYTHONSAFEPATH": "1", **more}


def _absolute(folders: str) -> str:
    return os.pathsep.join(filter(os.path.isabs, folders.split(os.pathsep)))


def program(name: str) -> str:
    """Return the full path of a program, searched for in the absolute directories of `PATH`.

    Raises:
        FileNotFoundError: when none of them contains it.
    """
    for folder in _absolute(os.environ.get("PATH", os.defpath)).split(os.pathsep):
        # One directory at a time: on Windows, a search of the whole `PATH` begins in the current directory.
        if folder and (found := shutil.which(os.path.join(folder, name))):
            return found
    raise FileNotFoundError(2, "No such file or directory", name)


def python(*arguments: str) -> list[str]:
    """Return the command that runs Python with some arguments, without the current directory on its module path."""
    return [sys.executable, "-P", *arguments]


def start(command: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any) -> Running:
    """Start a process, and return it while it runs.

    Args:
        command: A program and its arguments; the program is searched for unless its path is absolute.
        env: The environment of the process; the result of `environment` by default.
        options: Further options of `subprocess.Popen`; a shell is never used.

    Raises:
        OSError: when the program is not found or can't be started.
    """
    place = command[0] if os.path.isabs(command[0]) else program(command[0])
    return subprocess.Popen(
        [place, *command[1:]], env=environment() if env is None else dict(env), shell=False, **options
    )


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep Python child processes that libraries start within the block from importing from the current directory."""
    known = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if known is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = known
