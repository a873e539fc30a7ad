"""Text files in parts: cut behind line feeds, and read in chunks of whole lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from scoring.data.address import shown
from scoring.data.file import InputFile
from scoring.data.rows.row import InputError
from scoring.data.slice import Slice

# How many bytes are read at once: so few that records are still near when they are scored.
_CHUNK = 1 << 16


def chunks(stream: BinaryIO, part: Slice, size: int = _CHUNK) -> Iterator[bytes]:
    """The lines of a part of an open file, some at a time; all of the file where it has no end.

    Raises:
        InputError: at the end of a part whose bytes are not those that were digested when it was cut.
    """
    found = None if part.sha256 is None else hashlib.sha256()
    if part.start:
        stream.seek(part.start)
    left = part.stop - part.start if part.stop is not None else None
    while chunk := stream.read(size if left is None else min(size, left)):
        if not chunk.endswith(b"\n"):
            chunk += stream.readline() if left is None else stream.readline(left - len(chunk))
        if left is not None:
            left -= len(chunk)
        if found is not None:
            found.update(chunk)
        yield chunk
    if found is not None and found.hexdigest() != part.sha256:
        raise InputError(f"{shown(part.address)} changed while it was scored; score it again")


def cut_lines(file: InputFile, size: int) -> Iterator[Slice]:
    """The parts of a text file, of about so many bytes each.

    Where the file is near its lines are counted and its bytes digested on the way. Where it is far it is not read
    for that: how many lines stand before a part is known once those before it are counted (`Slice.first` is None).
    """
    with file.open_watched() as stream:
        if file.is_far:
            yield from _seeked(file, stream, size)
            return
        start = first = 0
        while chunk := stream.read(size):
            chunk += b"" if chunk.endswith(b"\n") else stream.readline()
            stop = start + len(chunk)
            yield replace(file.part, start=start, stop=stop, first=first, sha256=hashlib.sha256(chunk).hexdigest())
            start, first = stop, first + chunk.count(b"\n")


def _seeked(file: InputFile, stream: BinaryIO, size: int) -> Iterator[Slice]:
    start, end = 0, file.size
    while start < end:
        stop = min(start + size, end)
        if stop < end:
            stream.seek(stop - 1)  # a part that ends with a line feed already is not made longer
            stop += len(stream.readline()) - 1
        yield replace(file.part, start=start, stop=stop, first=None if start else 0)
        start = stop


def count_lines(part: Slice) -> int:
    """How many line feeds a part has: by so many the lines behind it are moved."""
    with InputFile.of(part).open_raw() as stream:
        return sum(chunk.count(b"\n") for chunk in chunks(stream, part))
