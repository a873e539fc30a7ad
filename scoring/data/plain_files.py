"""Read local files and folders so that reading always ends: no silent pipes, no devices, no unbounded trees."""

from __future__ import annotations

import errno
import fnmatch
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from scoring import system
from scoring.data.os_errors import refused
from scoring.errors import InputError

MOST_BYTES = 1 << 30
"""The greatest size of a file that is read as a whole."""
MOST_ENTRIES = 100_000
"""The most files and folders that are examined below a given folder."""
MOST_LEVELS = 100
"""The most levels of folders below a given folder."""
PATIENCE = 10.0
"""The number of seconds to wait for a writer to open a pipe that was named as data."""

MAGIC = re.compile(r"[*?\[]")
"""A character that makes a name a pattern."""

_HOW = os.O_RDONLY | system.AT_ONCE | system.AS_IT_IS


def open_plain(path: str | Path) -> BufferedReader:
    """Open a regular file for reading; links are followed, and anything else, such as a pipe, is refused at once.

    Raises:
        OSError: when there is no such file, or it is not a regular one.
    """
    return plain_file(_opened(path), Path(path))


def plain_file(file: int, path: Path) -> BufferedReader:
    """Return a reader of an open file descriptor of a regular file.

    Raises:
        OSError: when it is not a regular file; the descriptor is closed then.
    """
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not a plain file", str(path))
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def read_plain(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return the whole content of a regular file.

    Raises:
        OSError: when there is no such file.
        ValueError: when it has more than ``most`` bytes.
    """
    content, left = bytearray(), most + 1
    with open_plain(path) as file:
        # In pieces, since memory for the whole requested size is allocated before the first byte is read.
        while left and (piece := file.read(min(left, _PIECE))):
            content += piece
            left -= len(piece)
    if len(content) > most:
        raise ValueError(f"{Path(path).name} has more than {most:,} bytes")
    return bytes(content)


_PIECE = 1 << 20


def real_path(path: str | Path) -> Path:
    """Return a path with links resolved; for a loop of links there is no error until the path is opened.

    `Path.resolve` raises RuntimeError for such loops, up to Python 3.12.
    """
    return Path(os.path.realpath(path))


def open_readable(path: str | Path) -> BufferedReader:
    """Open a file, a device or a pipe for reading, without waiting until a pipe has a writer (`read_stream` waits).

    Raises:
        OSError: when it can't be opened.
    """
    file = _opened(path)
    try:
        if not stat.S_ISFIFO(os.fstat(file).st_mode):
            system.wait_in_reads(file)
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def _opened(path: str | Path) -> int:
    try:
        return os.open(path, _HOW)
    except ValueError:  # a zero byte, or half a surrogate pair
        raise OSError(errno.EINVAL, "no system accepts that as a name") from None


def read_stream(stream: BinaryIO, name: str, most: int = -1) -> bytes:
    """Return all data of a stream, which may be a pipe; at most `most` bytes unless it is negative.

    Raises:
        OSError: when nobody writes into a pipe.
    """
    file = stream.fileno()
    begin = b""
    if stat.S_ISFIFO(os.fstat(file).st_mode) and system.POLLS:
        begin = _first(file, name)
        system.wait_in_reads(file)
    return begin + stream.read(most - len(begin) if most >= 0 else -1)


def _first(file: int, name: str) -> bytes:
    """Return the first byte of a pipe, b"" where its writer has written nothing yet or has closed it.

    Raises:
        OSError: when no writer opens it within `PATIENCE` seconds.
    """
    import select

    end = time.monotonic() + PATIENCE
    while not select.select([file], [], [], 0)[0]:
        try:
            begin = os.read(file, 1)
        except BlockingIOError:  # a writer has opened the pipe
            return b""
        if begin:
            return begin
        if time.monotonic() > end:
            why = f"it is a pipe, and nothing opened it for writing in {PATIENCE:g} seconds; start the writer first"
            raise OSError(errno.EAGAIN, why, name)
        time.sleep(0.05)
    return b""


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
