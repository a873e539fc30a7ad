"""Locks that admit one writer to a run folder, name the writing process, and end with it, however it ends.

It is an operating-system lock on the folder's file `.lock`, whose content is for people to read. A killed process
leaves the file but no lock, so the next process takes over. If a file system does not support locks, the content
decides: a process of this machine that no longer exists is ignored, and one of another machine is assumed to be alive.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import stat
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoring import processes, system
from scoring.data.os_errors import refused
from scoring.data.output import FILE_MODE
from scoring.errors import InputError

LOCK = ".lock"
# The system's locks belong to a process: they don't exclude its own threads, and end when any thread closes the file.
_taken: dict[str, Mapping[str, Any]] = {}
_guard = threading.Lock()


class FolderBusy(InputError):
    """The exception for a folder that another writer has locked, perhaps only for a while."""


class FolderLock:
    """A lock on a local folder, which only one process at a time can have; messages call the folder ``name``."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path, self._name = folder / LOCK, name
        self._key = os.path.realpath(self._path)
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock, if necessary from a process that no longer exists.

        Raises:
            FolderBusy: naming the process that writes into the folder.
            InputError: when the lock can't be made.
        """
        with _guard:
            if self._key in _taken:
                raise FolderBusy(f"{written_by(self._name, _taken[self._key])}, or choose another folder")
            _taken[self._key] = this_process()
        try:
            self._file = self._opened()
        except BaseException as error:
            _taken.pop(self._key, None)
            if isinstance(error, OSError):
                odd = os.path.lexists(self._path) and (self._path.is_symlink() or not self._path.is_file())
                why = f"{self._path} is not a file of a run; remove it" if odd else refused(error)
                raise InputError(f"can't lock the run folder {self._name}: {why}") from error
            raise

    def check(self) -> None:
        """Check that the lock file is still there, before writing anything that is visible to others.

        Raises:
            InputError: when the lock file was removed or replaced.
        """
        if self._file is None or not _is_same(self._file, self._path):
            raise InputError(f"{self._path} was removed while this run wrote into {self._name}; run it again")

    def release(self) -> None:
        """Release the lock."""
        if self._file is None:
            return
        with contextlib.suppress(OSError):
            if _is_same(self._file, self._path):
                self._path.unlink()
        os.close(self._file)
        self._file = None
        _taken.pop(self._key, None)

    def _opened(self) -> int:
        # Following a link would make this run write into an unrelated file.
        how = os.O_RDWR | os.O_CREAT | system.NO_LINK | system.AT_ONCE
        while True:
            file = os.open(self._path, how, FILE_MODE)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):  # reading from a pipe would wait forever
                    raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
                found = system.try_lock(file)
                holder = _holder(file)
                if found is False or (found is None and still_writes(holder)):
                    raise FolderBusy(f"{written_by(self._name, holder)}, or choose another folder")
                # The previous holder may have removed the very file that was opened; then open the new one.
                if _is_same(file, self._path):
                    os.ftruncate(file, 0)
                    os.lseek(file, 0, os.SEEK_SET)
                    os.write(file, (json.dumps(_taken[self._key]) + "\n").encode())
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)


def written_by(name: str, holder: Mapping[str, Any]) -> str:
    """Return a message that a process writes into the folder ``name``, given the content of its lock file."""
    who = "another process"
    if holder:
        who = f"process {holder.get('pid')} on {holder.get('host')}, since {holder.get('since')}"
    return f"{name} is being written by {who}; wait until it is done"


def this_process() -> dict[str, Any]:
    """Return what a lock file of this process contains: its id, its machine and the current time."""
    since = datetime.now(UTC).replace(microsecond=0).isoformat()
    return {"pid": os.getpid(), "host": platform.node(), "since": since}


def _holder(file: int) -> dict[str, Any]:
    """Return the content of an open lock file, which describes the process with the lock; {} if there is none yet."""
    os.lseek(file, 0, os.SEEK_SET)
    with contextlib.suppress(ValueError, OSError):
        found = json.loads(os.read(file, 4096))
        if isinstance(found, dict):
            return found
    return {}


def still_writes(holder: Mapping[str, Any]) -> bool:
    """Return whether the process named in a lock file may still be writing, as far as this machine can know."""
    pid = holder.get("pid")
    if holder.get("left"):
        return False
    if not holder or holder.get("host") != platform.node() or not isinstance(pid, int):
        return bool(holder)
    return processes.lives(pid) is not False


def _is_same(file: int, path: Path) -> bool:
    """Return whether an open file is the file at a path."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False
