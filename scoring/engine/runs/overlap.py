"""A run folder and what the run reads: neither may lie where the other is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from scoring.data.plain_files import walked
from scoring.data.rows.row import InputError
from scoring.engine.runs.folder import OWN_FILES, PLOT, SCORES, UNFINISHED, RunFolder
from scoring.engine.runs.lock import LOCK

_NAMES = frozenset(name.casefold() for name in (*OWN_FILES, UNFINISHED, LOCK))


def refuse_inputs(folder: RunFolder, paths: Iterable[str | Path | None]) -> None:
    """Refuse a folder in which the run would write over what it reads, or read what it wrote the next time.

    Args:
        folder: The folder, before anything is written.
        paths: What the run reads, by whatever names; hard links and links to a file are that file.

    Raises:
        InputError: naming the file.
    """
    path = folder.path
    own = {_identity(one): one for one in _own_files(path)} if path.is_dir() else {}
    above = {_identity(one) for one in (path, *path.absolute().parents)}
    for read in (Path(one) for one in paths if one is not None):
        found = _identity(read)
        if found is None:
            if read.name.casefold() in _NAMES and _identity(read.parent) in (_identity(path) or "",):
                raise InputError(f"{read} is called as a file of the run in {path}; choose another name for it")
        elif found in own:
            same = "" if str(own[found]) == str(read) else f" ({own[found]} is the same file)"
            raise InputError(f"--force would replace {read}{same}, which the run reads; choose another folder")
        elif found in above and read.is_dir():
            why = "the next run would read what this one wrote"
            raise InputError(f"the run folder {path} lies in {read}, which the run reads: {why}; choose one beside it")


def _own_files(folder: Path) -> Iterator[Path]:
    """What a run may write over or remove in its folder, and what links in their places lead to."""
    for path in folder.iterdir():
        if path.name in (SCORES, UNFINISHED) and path.is_dir():
            yield from walked(path, lambda *_: None)
        elif path.name.casefold() in _NAMES or PLOT.fullmatch(path.name):
            yield path


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells a file from all others, by whatever name; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
