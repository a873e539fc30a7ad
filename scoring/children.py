"""Child processes: none of them runs or imports anything from the working folder.

That folder holds what strangers wrote, such as a pull request: a `json.py`, a program called `git`. So programs are
looked for in the absolute folders of the path alone, and a Python that we start never takes the current folder for a
place of modules. The sandbox starts others inside itself, where strangers may do as they like; nothing else does.
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
"""Raised when a process does not end in time."""

_FOLDERS = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Environment variables that list folders; an empty or relative entry refers to the working folder."""


def environment(**more: str) -> dict[str, str]:
    """Return the environment for child processes: ours without folders that depend on the working folder.

    Examples:
        >>> environment(LC_ALL="C")["LC_ALL"], environment()["PYTHONSAFEPATH"]
        ('C', '1')
    """
    listed = {name: _absolute(os.environ[name]) for name in _FOLDERS if name in os.environ}
    return {**os.environ, **listed, "PYTHONSAFEPATH": "1", **more}


def _absolute(folders: str) -> str:
    return os.pathsep.join(filter(os.path.isabs, folders.split(os.pathsep)))


def program(name: str) -> str:
    """Return the path of a program, found in the absolute folders of PATH.

    Raises:
        FileNotFoundError: when it is in none of them.
    """
    for folder in _absolute(os.environ.get("PATH", os.defpath)).split(os.pathsep):
        # A folder at a time: on Windows a search of the whole path begins in the current folder.
        if folder and (found := shutil.which(os.path.join(folder, name))):
            return found
    raise FileNotFoundError(2, "No such file or directory", name)


def python(*arguments: str) -> list[str]:
    """Return the command that runs this Python, which imports nothing of the current folder."""
    return [sys.executable, "-P", *arguments]


def start(command: Sequence[str], *, env: Mapping[str, str] | None = None, **options: Any) -> Running:
    """Start a process.

    Args:
        command: A program, which is looked for unless its whole path is named, and its arguments.
        env: Its environment; that of `environment` where none is given.
        options: Those of `subprocess.Popen` beside them; there is no shell.

    Raises:
        OSError: when it is nowhere, or can't be started.
    """
    place = command[0] if os.path.isabs(command[0]) else program(command[0])
    return subprocess.Popen(
        [place, *command[1:]], env=environment() if env is None else dict(env), shell=False, **options
    )


@contextmanager
def safe_path() -> Iterator[None]:
    """Let processes that Python starts by itself import nothing of the current folder while the block lasts."""
    known = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if known is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = known


def told(command: Sequence[str], seconds: float) -> bytes:
    """Return what a program writes to its standard output.

    Raises:
        OSError: when it can't be started.
        TooLate: when it takes longer.
    """
    with start(command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL) as process:
        try:
            return process.communicate(timeout=seconds)[0]
        finally:
            process.kill()
