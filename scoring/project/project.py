"""The project of a folder: the first folder upwards that has a project file or a lock, with its files and store."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from scoring.data.plain_files import real_path
from scoring.project.file import ProjectFile, read_project_file
from scoring.project.find import LOCK_FILE, STORE, STORE_VARIABLE, project_place
from scoring.project.lock import ProjectLock, read_project_lock
from scoring.project.store import PackStore


class Project:
    """A folder whose packs are locked; its files are read on first use.

    Args:
        root: The project's folder.
        path: The path of its project file; None if it only has a lock.
        alone: Whether the lock is used as it is, whatever the present state of its sources.
    """

    def __init__(self, root: Path, path: Path | None, *, alone: bool = False) -> None:
        self.root, self.path, self.alone = root, path, alone

    @cached_property
    def file(self) -> ProjectFile:
        """The content of the project file.

        Raises:
            SpecError: project-file, when it can't be read.
        """
        return ProjectFile() if self.path is None else read_project_file(self.path, from_here(self.path))

    @property
    def lock_path(self) -> Path:
        """The path of its lock, whether it exists or not."""
        return self.root / LOCK_FILE

    @cached_property
    def lock(self) -> ProjectLock | None:
        """The project's lock, None if there is none yet.

        Raises:
            SpecError: project-lock, when it can't be read.
        """
        there = os.path.lexists(self.lock_path)
        return read_project_lock(self.lock_path, from_here(self.lock_path)) if there else None

    @cached_property
    def store(self) -> PackStore:
        """The store that keeps the content of its packs."""
        own = os.environ.get(STORE_VARIABLE, "")
        if own == "shared":
            cache = os.environ.get("XDG_CACHE_HOME", "")
            path = (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "scoring" / "store"
        else:
            path = Path(own).expanduser().absolute() if own else self.root / (self.file.place or STORE)
        return PackStore(path, from_here(path))

    @property
    def stamp(self) -> tuple[object, ...]:
        """A value that changes whenever the project's files change, for use as a cache key."""
        return (self.root, *(_stamp(path) for path in (self.path, self.lock_path) if path is not None))


def project_of(folder: Path | None = None) -> Project | None:
    """Return the project to which a folder, by default the current one, belongs; None if there is no project.

    Raises:
        SpecError: project-file, when a folder has two project files.
    """
    found = project_place(folder)
    return None if found is None else Project(*found)


def from_here(path: Path) -> str:
    """Return a path for messages: relative to the current folder if it is below that."""
    try:
        return str(path.relative_to(real_path(Path())))
    except ValueError:
        return str(path)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return found.st_mtime_ns, found.st_size, found.st_ino
