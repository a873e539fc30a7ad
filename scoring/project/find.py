"""Finds the project of a file: the first folder upwards with a project file or a lock. Called for every spec."""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from scoring import system
from scoring.data.plain_files import read_plain
from scoring.diagnostics.diagnostic import SpecError

PROJECT_FILE, PYPROJECT, LOCK_FILE = "scoring.toml", "pyproject.toml", "scoring.lock"
SPEC_FILES = (".yaml", ".yml", ".json")
"""The suffixes of spec files."""
STORE = ".scoring/store"
"""The default location of a project's store, unless its file names another folder in it."""
STORE_VARIABLE = "SCORING_STORE"
"""The variable by which a user has the stores of all projects elsewhere: `shared` for the cache, or a path."""
BESIDE = ".lock.json"
"""The suffix of a lock file next to a spec."""
TABLE = "tool.scoring"
MOST_BYTES = 1_000_000
"""Bytes of a project file."""
_MOST_LEVELS = 200


def project_place(folder: Path | None = None) -> tuple[Path, Path | None] | None:
    """Return the folder of the project that a folder belongs to, by default the one that one works in, and its file,
    if any.

    Raises:
        SpecError: project-file, when a folder has two project files.
    """
    try:
        here = os.path.realpath(folder if folder is not None else os.curdir)
    except (OSError, ValueError):  # the folder that one works in was removed; a zero byte
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
    """Return the project file of a folder, if it has one; called for every parent folder, so it takes only two stats.

    Raises:
        SpecError: when it has two.
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
    """Return what the system says of a file of a project; None where there is none, or a stranger's where all may
    put one."""
    try:
        found = os.lstat(path)
        owners = {found.st_uid}
        if stat.S_ISLNK(found.st_mode):  # a stranger's link may lead to a file of ours, written for another place
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


_OUR_TABLE = re.compile(r"""(?m)^[ \t]*\[[ \t]*["']?tool["']?[ \t]*(?:\.[ \t]*["']?scoring\b|\])""")


@lru_cache(maxsize=100)
def _speaks_of_us(path: str, changed: int, size: int) -> bool:
    """Tell whether a `pyproject.toml` has our table; one that can't be read is somebody else's matter."""
    try:
        text = read_plain(path, MOST_BYTES).decode()
    except (OSError, ValueError):
        return False
    if not _OUR_TABLE.search(text):
        return False
    import tomllib

    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):  # ours or not, it is told when it is read
        return f"[{TABLE}" in text
    return isinstance(tool, dict) and "scoring" in tool
