"""Data cut into parts that workers read by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from scoring.data.address import stamp
from scoring.data.file import InputFile
from scoring.data.lines import count_lines
from scoring.data.slice import Slice

SIZE = 16 << 20
"""About how many bytes a part has."""


def cut(file: InputFile, size: int = SIZE) -> Iterator[Slice]:
    """The parts of a file, or of each of several, in order; what can't be cut is one part, and `uncut` says why.

    A part's rows are numbered as in the whole, once its `first` is known (see `counted`).

    Args:
        file: The file; one that came through a pipe has no parts.
        size: About how many bytes a part has.

    Raises:
        InputError: when the file can't be read.
    """
    file.format.ready()
    file.check_settings()
    for one in file.files:
        own = only(one)
        whole = one.format.cut is None or one.is_packed
        for part in [own] if whole or one.format.cut is None else one.format.cut(one, size):
            # Bytes that have a digest are known by it; of others the file must stay as it is.
            yield replace(part, kind=part.kind or one.kind, stamp=None if part.sha256 else own.stamp)


def only(file: InputFile) -> Slice:
    """A file as its only part; of several files whichever they are."""
    is_one = file.files[0] is file
    return replace(file.part, kind=file.part.kind or file.kind, stamp=stamp(file.address) if is_one else None)


def uncut(file: InputFile) -> str | None:
    """Why a file is not cut into parts, None where it can be."""
    if file.files[0] is not file:
        return None
    if file.is_packed:
        return f"{file.name} is compressed as a whole, so one process reads it; Parquet, or several files, are cut"
    if file.format.cut is None:
        return f"{file.name} is {file.format.title}, which is read as a whole; JSON Lines and Parquet are cut"
    return None


def counted(parts: Sequence[Slice], each: Callable[..., Iterable[int]] = map) -> list[Slice]:
    """The parts with the number of lines before each, which takes reading those that are far away.

    Args:
        parts: The parts of some files, in order.
        each: Calls a function with each of some parts, perhaps elsewhere, and gives what it returns in their order.
    """
    followed = [one for one, two in pairwise(parts) if two.first is None]
    counts = iter(list(each(count_lines, followed))) if followed else iter(())
    found: list[Slice] = []
    for part in parts:
        if part.first is None:
            part = replace(part, first=(found[-1].first or 0) + next(counts))
        found.append(part)
    return found
