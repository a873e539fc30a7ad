"""Limits of files from outside, checked before memory is taken, and the only way to change them.

A small file can stand for a large one (compression, dictionaries, sizes in headers), and a large one can have no end
where one is looked for. The bounds are above what benchmarks have (images as base64 in a line, annotations of a whole
data set in one JSON text), and below what a machine has. They belong to whoever reads, so no file, spec or run folder
can change them: `SCORING_LIMITS` does, as in `SCORING_LIMITS=line=1GB,ratio=1000`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields
from functools import lru_cache

from scoring.diagnostics.suggest import did_you_mean
from scoring.errors import InputError

NAME = "SCORING_LIMITS"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)B?", 2)  # re.IGNORECASE; beyond 15 digits nothing is a bound


@dataclass(frozen=True, slots=True)
class DataLimits:
    """The bounds that hold now; sizes are bytes.

    Args:
        line: A line of JSON Lines, a row of CSV; a longer one is a bad row, and the next one is read.
        cell: A cell of CSV, Parquet or Arrow; a row with a larger one is a bad row.
        values: Keys, numbers, texts, lists and objects in the JSON of one row; a row with more is a bad one. A file of
            one JSON text may have as many as it has stored bytes, if that is more.
        columns: Columns of CSV, Parquet and Arrow.
        whole: What is held as a whole: a file that is one JSON text, standard input or another pipe.
        unpacked: So much a compressed file may come to, whatever its size; beyond it `ratio` counts.
        ratio: So many times its size a compressed file may come to.
        batch: Memory that reading a Parquet or Arrow file may take at once, if it is more than `ratio` times its size.
        pixels: Pixels of an image or a mask.

    Examples:
        >>> read_limits("line=1GB,columns=500").line, read_limits("").columns
        (1000000000, 100000)
    """

    line: int = 128 * 10**6
    cell: int = 64 * 10**6
    values: int = 10 * 10**6
    columns: int = 100_000
    whole: int = 4 * 10**9
    unpacked: int = 4 * 10**9
    ratio: int = 200
    batch: int = 10**9
    pixels: int = 1 << 27


def limits() -> DataLimits:
    """Return the current limits: those of `SCORING_LIMITS`, and defaults for the others.

    Raises:
        InputError: when it is malformed.
    """
    return read_limits(os.environ.get(NAME, ""))


@lru_cache(maxsize=8)
def read_limits(text: str) -> DataLimits:
    """Return the limits that a string sets.

    Args:
        text: Names with sizes, as in ``line=1GB,columns=500``: whole numbers from 1 on; K, M, G and T are thousands.

    Raises:
        InputError: when it is malformed.
    """
    found: dict[str, int] = {}
    known = [field.name for field in fields(DataLimits)]
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, size = (piece.strip() for piece in part.partition("="))
        number = _SIZE.fullmatch(size)
        if name not in known:
            advice = did_you_mean(name, known, f"there are {', '.join(known)}")
            raise InputError(f"{NAME}: there is no limit {name!r:.40}; {advice}")
        if number is None or not int(number[1]):
            raise InputError(f"{NAME}: {size!r:.40} is no size for `{name}`; write a whole number, as in {name}=64MB")
        if name in found:
            raise InputError(f"{NAME}: `{name}` stands twice")
        found[name] = int(number[1]) * _UNITS[number[2].upper()]
    return DataLimits(**found)


def shown_size(size: int) -> str:
    """Return a number of bytes for people.

    Examples:
        >>> shown_size(314_572_842), shown_size(800), shown_size(3 * 10**9)
        ('315 MB', '800 bytes', '3 GB')
    """
    for unit, scale in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 999.5 * scale else f"{size // scale:,} {unit}"
    return f"{size} bytes"


def beyond(what: str, name: str, count: int | None = None) -> str:
    """Return the error for exceeding a limit: the amount, the limit, and how to raise it.

    Args:
        what: What it is, with its size where it is known, as in ``a line of 3 GB``.
        name: The bound.
        count: What the bound comes to here, where it depends on the file.

    Examples:
        >>> beyond("a line of 3 GB", "line")
        'a line of 3 GB; `line` allows 128 MB, SCORING_LIMITS=line=… more'
    """
    most = getattr(limits(), name) if count is None else count
    allowed = f"{most:,}" if name in ("values", "columns", "ratio", "pixels") else shown_size(most)
    return f"{what}; `{name}` allows {allowed}, {NAME}={name}=… more"
