"""The folder that a run is written to or read from: on this machine, or at an address by the service `remote-runs`.

For every run folder it is checked that the run does not overwrite its inputs, nor write into a folder that it reads.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from scoring.data.address import hide_credentials, is_address, local_path
from scoring.data.folders import walked
from scoring.engine.runs.folder import OWN_FILES, PLOT, SCORES, UNFINISHED, RunFolder
from scoring.engine.runs.lock import LOCK
from scoring.errors import InputError
from scoring.registry.extension import service


def run_folder(path: str | Path, force: bool = False) -> RunFolder:
    """Return the folder for writing a run to a path or an address.

    Raises:
        InputError: when it must not be written to; see `RunFolder`.
    """
    if not is_address(str(path)):
        return RunFolder(Path(path), force)
    if str(path).startswith("file:"):  # a local path after all, for which links must be checked
        return RunFolder(Path(local_path(str(path))), force)
    folder: RunFolder = service("remote-runs", hide_credentials(str(path))).StoredFolder(str(path), force)
    return folder


# ---- files that a run must not overwrite

_NAMES = frozenset(name.casefold() for name in (*OWN_FILES, UNFINISHED, LOCK))


def refuse_inputs(folder: RunFolder, paths: Iterable[str | Path | None]) -> None:
    """Raise an error if the run would overwrite a file that it reads, or its folder is inside a folder that it reads.

    Hard and symbolic links to a file count as that file.

    Raises:
        InputError: naming the file or folder.
    """
    path = folder.path
    own = {_identity(one): one for one in _own_files(path)} if path.is_dir() else {}
    above = {_identity(one) for one in (path, *path.absolute().parents)}
    for read in (Path(one) for one in paths if one is not None):
        found = _identity(read)
        if found is None:
            if read.name.casefold() in _NAMES and _identity(read.parent) in (_identity(path) or "",):
                raise InputError(f"{read} has the name of a file of the run in {path}; choose another name for it")
        elif found in own:
            same = "" if str(own[found]) == str(read) else f" ({own[found]} is the same file)"
            raise InputError(f"--force would replace {read}{same}, which the run reads; choose another folder")
        elif found in above and read.is_dir():
            why = "the next run would read what this one wrote"
            raise InputError(f"the run folder {path} is in {read}, which the run reads: {why}; choose one next to it")


def _own_files(folder: Path) -> Iterator[Path]:
    """Yield the paths in a run folder that a run may overwrite or remove."""
    for path in folder.iterdir():
        if path.name in (SCORES, UNFINISHED) and path.is_dir():
            yield from walked(path, lambda *_: None)
        elif path.name.casefold() in _NAMES or PLOT.fullmatch(path.name):
            yield path


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, which is the same for all its names; None if there is no such file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
