"""Cut files into parts for separate workers; text is cut after line feeds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from scoring.data.chunking import PIECE
from scoring.data.file import InputFile
from scoring.data.slice import Slice


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
            while not chunk.endswith(b"\n") and (chunk := stream.readline(PIECE)):
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
            while (piece := stream.readline(PIECE)) and not piece.endswith(b"\n"):
                pass
            stop = stream.tell()
        yield replace(file.part, start=start, stop=stop, first=None if start else 0)
        start = stop
