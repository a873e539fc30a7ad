"""Find the project of a folder, quickly, since every spec needs it: the first folder upwards with its file or lock."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from pathlib import Path

from scoring import system
from scoring.data.plain_files import read_plain
from scoring.diagnostics.diagnostic import SpecError
from scoring.lazy_pattern import lazy_pattern

PROJECT_FILE, PYPROJECT, LOCK_FILE = "scoring.toml", "pyproject.toml", "scoring.lock"
SPEC_FILES = (".yaml", ".yml", ".json")
"""The suffixes of spec files."""
STORE = ".scoring/store"
"""The folder of a project's store, unless the project file names another one."""
STORE_VARIABLE = "SCORING_STORE"
"""The variable by which a user moves the stores of all projects: `shared` for the user's cache, or a path."""
LOCK_SUFFIX = ".lock.json"
"""The suffix of the lock of a single spec, next to the spec."""
TABLE = "tool.scoring"
MOST_BYTES = 1_000_000
"""The most bytes of a project file."""
_MOST_LEVELS = 200


def project_place(folder: Path | None = None) -> tuple[Path, Path | None] | None:
    """Return the folder of the project to which a folder, by default the current one, belongs, and the project file if
    it has one; None if there is no project.

    Raises:
        SpecError: project-file, when a folder has two project files.
    """
    try:
        here = os.path.realpath(folder if folder is not None else os.curdir)
    except (OSError, ValueError):  # the current folder was removed, or the path contains a zero byte
        return None
    for _ in range(_MOST_LEVELS):
        file = project_file_in(here)
        if file is not None or counts(f"{here}/{LOCK_FILE}") is not None:
            return Path(here), file
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
    return None


def project_file_in(folder: str) -> Path | None:
    """Return the project file of a folder, None if it has none; it is called for each parent folder, so it is quick.

    Raises:
        SpecError: when the folder has two project files.
    """
    own, other = f"{folder}/{PROJECT_FILE}", f"{folder}/{PYPROJECT}"
    has_own, found = counts(own) is not None, counts(other)
    if found is None or not _speaks_of_us(other, found.st_mtime_ns, found.st_size):
        return Path(own) if has_own else None
    if has_own:
        raise SpecError.of(
            "project-file",
            f"{own} and [{TABLE}] of {PYPROJECT} both say where packs come from",
            help="keep one of the two",
        )
    return Path(other)


def counts(path: str) -> os.stat_result | None:
    """Return the status (`os.stat`) of a project's file; None if it is missing or must not be trusted.

    A file of another user is not trusted in a folder to which everybody can write.
    """
    try:
        found = os.lstat(path)
        owners = {found.st_uid}
        if stat.S_ISLNK(found.st_mode):  # another user's link may lead to a file of ours for another folder
            found = os.stat(path)
            owners.add(found.st_uid)
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(found.st_mode):
        return None
    user = system.user()
    if user is not None and owners - {user, 0}:
        return None if os.stat(os.path.dirname(path)).st_mode & stat.S_IWOTH else found
    return found


_OUR_TABLE = lazy_pattern(r"""(?m)^[ \t]*\[[ \t]*["']?tool["']?[ \t]*(?:\.[ \t]*["']?scoring\b|\])""")


@lru_cache(maxsize=100)
def _speaks_of_us(path: str, changed: int, size: int) -> bool:
    """Return whether a `pyproject.toml` has the table `[tool.scoring]`; False if the file can't be read, since it may
    belong to another tool. ``changed`` and ``size`` are keys of the cache."""
    try:
        text = read_plain(path, MOST_BYTES).decode()
    except (OSError, ValueError):
        return False
    if not _OUR_TABLE.search(text):
        return False
    import tomllib

    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):  # the error is reported when the file is read
        return f"[{TABLE}" in text
    return isinstance(tool, dict) and "scoring" in tool
