"""Limits on the size of input files, checked before memory is taken, and the one way to change them.

A small file can expand to a large one (compression, dictionaries, sizes in headers), and a large one may lack the
line ends or separators that a reader searches for. The limits are above the needs of benchmarks (images as base64 in a
line, annotations of a whole data set in one JSON text), and below the memory of a machine. Only the user can change
them, by `SCORING_LIMITS`, as in `SCORING_LIMITS=line=1GB,ratio=1000`; a file, spec or run folder can't.
"""

from __future__ import annotations

import os
from functools import lru_cache

from msgspec import Struct

from scoring.errors import InputError
from scoring.lazy_pattern import lazy_pattern

NAME = "SCORING_LIMITS"
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = lazy_pattern(r"([0-9]{1,15})([KMGT]?)B?", 2)  # 2 is re.IGNORECASE; numbers of more than 15 digits are refused


class DataLimits(Struct, frozen=True):
    """The limits in effect; sizes are in bytes.

    Args:
        line: The size of a line of text or a row of CSV; a longer one is a bad row, and the next one is read.
        cell: The size of a cell of CSV, Parquet or Arrow; a row with a larger one is a bad row.
        values: The number of keys, numbers, texts, lists and objects in the JSON of one row; a row with more is a bad
            one. A file of one JSON text may have as many as it has stored bytes, if that is more.
        columns: The number of columns of CSV, Parquet and Arrow.
        whole: The size of data that is kept in memory as a whole: a file of one JSON text, standard input, or another
            pipe.
        unpacked: The decompressed size that any compressed file may have; for larger sizes, `ratio` applies.
        ratio: The decompressed size of a file as a multiple of its compressed size.
        batch: The memory for reading a Parquet or Arrow file at a time, or `ratio` times its size if that is more.
        pixels: The number of pixels of an image or a mask.

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
    """Return the limits in effect: those given by `SCORING_LIMITS`, and the defaults of all others.

    Raises:
        InputError: when `SCORING_LIMITS` is malformed.
    """
    return read_limits(os.environ.get(NAME, ""))


@lru_cache(maxsize=8)
def read_limits(text: str) -> DataLimits:
    """Return the limits given by a text, and the defaults of all others.

    Args:
        text: Names with sizes, as in ``line=1GB,columns=500``: whole numbers from 1; K, M, G and T are powers of 1,000.

    Raises:
        InputError: when the text is malformed.
    """
    found: dict[str, int] = {}
    known = DataLimits.__struct_fields__
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, size = (piece.strip() for piece in part.partition("="))
        number = _SIZE.fullmatch(size)
        if name not in known:
            from scoring.diagnostics.suggest import did_you_mean

            advice = did_you_mean(name, known, f"the limits are {', '.join(known)}")
            raise InputError(f"{NAME}: there is no limit {name!r:.40}; {advice}")
        if number is None or not int(number[1]):
            raise InputError(f"{NAME}: {size!r:.40} is not a size for `{name}`; write a whole number: {name}=64MB")
        if name in found:
            raise InputError(f"{NAME}: `{name}` is given twice")
        found[name] = int(number[1]) * _UNITS[number[2].upper()]
    return DataLimits(**found)


def shown_size(size: int) -> str:
    """Return a number of bytes in a human-readable unit.

    Examples:
        >>> shown_size(314_572_842), shown_size(800), shown_size(3 * 10**9)
        ('315 MB', '800 bytes', '3 GB')
    """
    for unit, scale in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 999.5 * scale else f"{size // scale:,} {unit}"
    return f"{size} bytes"


def limit_message(what: str, name: str, count: int | None = None) -> str:
    """Return the message for data that exceeds a limit: its size, the limit, and how to raise it.

    Args:
        what: The data, with its size where it is known, as in ``a line of 3 GB``.
        name: The name of the limit.
        count: The value of the limit here, where it depends on the file.

    Examples:
        >>> limit_message("a line of 3 GB", "line")
        'a line of 3 GB; `line` allows 128 MB, SCORING_LIMITS=line=… allows more'
    """
    most = getattr(limits(), name) if count is None else count
    allowed = f"{most:,}" if name in ("values", "columns", "ratio", "pixels") else shown_size(most)
    return f"{what}; `{name}` allows {allowed}, {NAME}={name}=… allows more"
