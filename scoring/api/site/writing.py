"""Writes a site into a folder: its own files only, and what an older site of ours left there is taken away."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from scoring.data.output import HeldFolder, write_whole
from scoring.data.refused import refused
from scoring.data.rows.row import InputError

LISTED = "site.json"
"""The file that says which files of a folder are the site's."""
_KEY = "files of scoring docs"
_LONGEST = 10_000_000


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Say at once where a site could not be written.

    Raises:
        InputError: when the folder is none, or holds what is no site of ours.
    """
    try:
        if not folder.exists() and not folder.is_symlink():
            return
        with HeldFolder(folder) as held:
            _check_held(held, folder, _listed(held), force)
    except (OSError, ValueError) as error:
        raise InputError(f"can't write {folder}: {refused(error)}") from error


def _check_held(held: HeldFolder, folder: Path, older: list[str] | None, force: bool) -> None:
    if older is None and held.names() and not force:
        hint = "name an empty folder, or add --force to write among them"
        raise InputError(f"{folder} holds files that are of no site; {hint}")


def write_site(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write the files of a site.

    Args:
        folder: Where; it is made where it is not there.
        files: The files by their path from there.
        force: Whether the folder may hold files of others, which stay.

    Raises:
        InputError: when the folder holds what is no site of ours, or can't be written.
    """
    try:
        with HeldFolder.made(folder) as held:
            older = _listed(held)
            _check_held(held, folder, older, force)
            with contextlib.ExitStack() as opened:
                folders = {"": held}
                for path in sorted({*files, *(older or ())}):
                    above = path.rpartition("/")[0]
                    if above not in folders:
                        folders[above] = opened.enter_context(held.folder(above))
                for path, content in files.items():
                    above, _, name = path.rpartition("/")
                    write_whole(folders[above], name, content)
                for path in sorted(set(older or ()) - set(files)):
                    above, _, name = path.rpartition("/")
                    folders[above].remove_file(name)
            write_whole(held, LISTED, _listing(files))
    except (OSError, ValueError) as error:
        raise InputError(f"can't write {folder}: {refused(error)}") from error


def _listing(files: Iterable[str]) -> bytes:
    return (json.dumps({_KEY: sorted(files)}, indent=0) + "\n").encode()


def _listed(folder: HeldFolder) -> list[str] | None:
    """The files of the site that stands in a folder; None where none does."""
    try:
        with folder.open(LISTED) as file:
            listed = json.loads(file.read(_LONGEST))[_KEY]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    ours = isinstance(listed, list) and all(isinstance(one, str) and _is_ours(one) for one in listed)
    return listed if ours else None


def _is_ours(path: str) -> bool:
    """Whether a path is one that a site writes: a file, perhaps in one folder."""
    parts = path.split("/")
    return 1 <= len(parts) <= 2 and all(part not in ("", ".", "..") and "\\" not in part for part in parts)
