"""Read local files and folders so that reading always ends: no silent pipes, no devices, no unbounded trees."""

from __future__ import annotations

import errno
import os
import stat
import time
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from scoring import system
from scoring.lazy_pattern import lazy_pattern

MOST_BYTES = 1 << 30
"""The greatest size of a file that is read as a whole."""
PATIENCE = 10.0
"""The number of seconds to wait for a writer to open a pipe that was named as data."""

MAGIC = lazy_pattern(r"[*?\[]")
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
