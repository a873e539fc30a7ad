"""Cut files into parts for separate workers, and read text in chunks of whole lines; text is cut after line feeds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import BinaryIO

from scoring.data.address import hide_credentials, stamp
from scoring.data.file import InputFile
from scoring.data.limits import limit_message, limits, shown_size
from scoring.data.slice import Slice
from scoring.errors import InputError

# The number of bytes read at a time: so few that records are still in the CPU cache when they are scored.
_CHUNK = 1 << 16
# The number of bytes in memory of a line that is too long, or of which only the end is searched for.
_PIECE = 1 << 20


class LongLine(ValueError):
    """A line beyond the length limit: it was skipped, and the next line can be read."""

    def __init__(self, size: int) -> None:
        super().__init__(limit_message(f"a line of {shown_size(size)}", "line"))


def chunks(stream: BinaryIO, part: Slice) -> Iterator[bytes | LongLine]:
    """Yield chunks of whole lines of a part of an open file; without a stop position, up to the end of the file.

    A line that is too long is replaced by a `LongLine`, and is never in memory as a whole.

    Raises:
        InputError: at the end of a part whose digest differs from the one taken when it was cut.
    """
    most = limits().line
    reading = _Reading(stream, part)
    while chunk := reading.read(min(_CHUNK, most)):
        if chunk.endswith(b"\n"):
            yield chunk
            continue
        begin = chunk.rfind(b"\n") + 1
        rest = reading.readline(most + 2 - (len(chunk) - begin))  # one byte more than allowed, and the line feed
        if len(chunk) - begin + len(rest) - rest.endswith(b"\n") <= most:
            yield chunk + rest
            continue
        if begin:
            yield chunk[:begin]
        count = len(chunk) - begin + len(rest)
        while not rest.endswith(b"\n") and (rest := reading.readline(_PIECE)):
            count += len(rest)
        yield LongLine(count)
    reading.check()


class _Reading:
    """A reader of the bytes of a part, which computes their digest where the expected digest is known."""

    def __init__(self, stream: BinaryIO, part: Slice) -> None:
        self._stream, self._part = stream, part
        self._found = None if part.sha256 is None else hashlib.sha256()
        if part.start:
            stream.seek(part.start)
        self._left = part.stop - part.start if part.stop is not None else None

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or those that are left."""
        return self._taken(self._stream.read(size if self._left is None else min(size, self._left)))

    def readline(self, size: int) -> bytes:
        """Return the rest of a line, or the first `size` bytes of it."""
        return self._taken(self._stream.readline(size if self._left is None else min(size, self._left)))

    def _taken(self, found: bytes) -> bytes:
        if self._left is not None:
            self._left -= len(found)
        if self._found is not None:
            self._found.update(found)
        return found

    def check(self) -> None:
        """Raise an exception if the digest of the bytes differs from the expected one."""
        if self._found is not None and self._found.hexdigest() != self._part.sha256:
            raise InputError(f"{hide_credentials(self._part.address)} changed while it was scored; score it again")


def cut_lines(file: InputFile, size: int) -> Iterator[Slice]:
    """Yield the parts of a text file, of about `size` bytes each.

    A local file is read to count its lines and to digest its parts. A remote file is not read as a whole, so the number
    of lines before a part is unknown: `Slice.first` is None until `with_line_counts` sets it.
    """
    with file.open_watched() as stream:
        if file.is_far:
            yield from _seeked(file, stream, size)
            return
        start = stop = first = 0
        while chunk := stream.read(size):
            found = hashlib.sha256(chunk)
            stop, count = start + len(chunk), chunk.count(b"\n")
            while not chunk.endswith(b"\n") and (chunk := stream.readline(_PIECE)):
                found.update(chunk)
                stop, count = stop + len(chunk), count + chunk.endswith(b"\n")
            yield replace(file.part, start=start, stop=stop, first=first, sha256=found.hexdigest())
            start, first = stop, first + count


def _seeked(file: InputFile, stream: BinaryIO, size: int) -> Iterator[Slice]:
    start, end = 0, file.size
    while start < end:
        stop = min(start + size, end)
        if stop < end:
            stream.seek(stop - 1)  # a part that already ends with a line feed is not extended
            while (piece := stream.readline(_PIECE)) and not piece.endswith(b"\n"):
                pass
            stop = stream.tell()
        yield replace(file.part, start=start, stop=stop, first=None if start else 0)
        start = stop


def count_lines(part: Slice) -> int:
    """Return the number of line feeds in a part, for the line numbers of the parts after it."""
    with InputFile.of(part).open_raw() as stream:
        return sum(1 if isinstance(chunk, LongLine) else chunk.count(b"\n") for chunk in chunks(stream, part))


SIZE = 16 << 20
"""The approximate number of bytes of a part."""


def cut(file: InputFile, size: int = SIZE) -> Iterator[Slice]:
    """Yield the parts of each file in order; a file that can't be cut is one part, and `uncut` returns the reason.

    A part's rows are numbered as in the whole file, once its `first` is known (see `with_line_counts`).

    Args:
        file: The file or files; data that came through a pipe has no parts.
        size: The approximate number of bytes of a part.

    Raises:
        InputError: when the file can't be read.
    """
    file.format.ready()
    file.check_settings()
    for one in file.files:
        own = whole_part(one)
        cutter = one.format.cut
        for part in [own] if cutter is None or one.is_packed else cutter(one, size):
            # A digest identifies the bytes of a part; without one, the file must stay unchanged.
            yield replace(part, kind=part.kind or one.kind, stamp=None if part.sha256 else own.stamp)


def whole_part(file: InputFile) -> Slice:
    """Return a single part that stands for the whole file, or for all files of a pattern or folder."""
    is_one = file.files[0] is file
    return replace(file.part, kind=file.part.kind or file.kind, stamp=stamp(file.address) if is_one else None)


def uncut(file: InputFile) -> str | None:
    """Return the reason why a file is not cut into parts, None where it can be."""
    if file.files[0] is not file:
        return None
    if file.is_packed:
        return f"{file.name} is compressed as a whole, so one process reads it; Parquet, or several files, can be split"
    if file.format.cut is None:
        return f"{file.name} is {file.format.title}, which is read as a whole; JSON Lines and Parquet can be split"
    return None


def with_line_counts(parts: Sequence[Slice], each: Callable[..., Iterable[int]] = map) -> list[Slice]:
    """Return the parts with the number of lines before each, for which parts of remote files are read.

    `each` applies the counting function to parts as `map` does, for example in several processes.
    """
    followed = [one for one, two in pairwise(parts) if two.first is None]
    counts = iter(list(each(count_lines, followed))) if followed else iter(())
    found: list[Slice] = []
    for part in parts:
        if part.first is None:
            part = replace(part, first=(found[-1].first or 0) + next(counts))
        found.append(part)
    return found
