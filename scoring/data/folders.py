"""Find the files below a folder, or those that match a pattern, so that the search always ends."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from scoring.data.os_errors import refused
from scoring.data.plain_files import MAGIC
from scoring.errors import InputError

MOST_ENTRIES = 100_000
"""The most files and folders that are examined below a given folder."""
MOST_LEVELS = 100
"""The most levels of folders below a given folder."""


def walked(
    folder: Path,
    on_skip: Callable[[Path, str], None] | None = None,
    most: int | None = None,
    leave: Callable[[str], bool] | None = None,
) -> Iterator[Path]:
    """Yield all files below a folder, those within one folder sorted by name.

    Args:
        folder: The folder; it may be reached through links.
        on_skip: Called with each link to a folder and each unreadable folder, and the reason why it is skipped; without
            it, they raise an exception.
        most: The most files and folders to examine, `MOST_ENTRIES` by default.
        leave: A function that returns whether folders with a name are left out, with everything below them.

    Raises:
        InputError: when there are more files and folders, they are nested too deeply, or one would be skipped without
            `on_skip`.
    """
    left = most = MOST_ENTRIES if most is None else most
    waiting = [(folder, 0)]
    while waiting:
        here, level = waiting.pop()
        if level > MOST_LEVELS:
            raise InputError(f"folders below {folder} are nested more than {MOST_LEVELS} levels deep; name one of them")
        inner = []
        try:
            with os.scandir(here) as entries:
                found = []
                for entry in entries:
                    left -= 1
                    if left < 0:
                        what = f"more than {most:,} files and folders are below {folder}"
                        raise InputError(f"{what}; name a smaller folder, or the files")
                    found.append(entry)
            for entry in sorted(found, key=lambda one: one.name):
                path = here / entry.name
                if entry.is_dir(follow_symlinks=False):
                    if leave is None or not leave(entry.name):
                        inner.append((path, level + 1))
                elif entry.is_symlink() and path.is_dir():
                    _skipped(path, "it is a link to a folder, and links are not followed", on_skip)
                elif entry.is_file():
                    yield path
        except OSError as error:
            if not isinstance(error, FileNotFoundError) or here == folder:  # ignore folders removed meanwhile
                _skipped(here, refused(error), on_skip)
        waiting.extend(reversed(inner))


def matched(pattern: str, most: int | None = None) -> list[str]:
    """Return the files that match a shell pattern such as ``data/*/*.csv`` or ``data/**/*.csv``, sorted.

    Args:
        pattern: The pattern; ``**`` follows no links.
        most: The most files and folders to examine, `MOST_ENTRIES` by default.

    Raises:
        InputError: when there are more files and folders, or a folder can't be read.
    """
    magic = MAGIC.search(pattern)
    begin = pattern.rfind("/", 0, magic.start() if magic else len(pattern)) + 1
    parts = [part for part in pattern[begin:].split("/") if part]
    if len(parts) > MOST_LEVELS:
        raise InputError(f"a pattern has {len(parts):,} levels, more than {MOST_LEVELS}; name a folder")
    most = MOST_ENTRIES if most is None else most
    found, left = set(), most
    waiting = {(pattern[:begin], tuple(parts), 0)}
    while waiting:
        here, rest, level = waiting.pop()
        if not rest:
            if os.path.isfile(here):
                found.add(here)
            continue
        first, behind = rest[0], rest[1:]
        lead = here if here.endswith("/") or not here else f"{here}/"
        if not MAGIC.search(first):
            waiting.add((lead + first, behind, level + 1))
            continue
        if first == "**":
            waiting.add((here, behind, level))
        for entry in _entries(here or ".", pattern):
            left -= 1
            if left < 0 or level > MOST_LEVELS:
                raise InputError(f"`{pattern}` leads to more than {most:,} files and folders; make it more specific")
            hidden = entry.name.startswith(".") and not first.startswith(".")
            if first == "**":
                if not behind and not hidden and entry.is_file():
                    found.add(lead + entry.name)
                if not hidden and entry.is_dir(follow_symlinks=False):
                    waiting.add((lead + entry.name, rest, level + 1))
            elif not hidden and fnmatch.fnmatchcase(entry.name, first) and (not behind or entry.is_dir()):
                waiting.add((lead + entry.name, behind, level + 1))
    return sorted(found)


def _entries(folder: str, pattern: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(islice(found, MOST_ENTRIES + 1))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"can't look for {pattern} in {folder}: {refused(error)}") from error


def _skipped(path: Path, why: str, on_skip: Callable[[Path, str], None] | None) -> None:
    if on_skip is None:
        raise InputError(f"can't read {path}: {why}")
    on_skip(path, why)
