"""Cut files into parts for separate machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from scoring.data.address import stamp
from scoring.data.chunking import LongLine, chunks
from scoring.data.file import InputFile
from scoring.data.slice import Slice


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
