"""The description of a part of a file, which one worker reads, possibly on another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive rows of one file: bytes of a text file, row groups of Parquet, batches of Arrow.

    Args:
        address: The path or address of the file; it may contain credentials, so it is never shown.
        kind: The file's format with its settings, such as `csv,delimiter=tab`.
        start: The start of the part: a byte offset, or the index of a row group or batch.
        stop: The end of the part, exclusive; None for the end of the file.
        first: The number of lines or rows before the part; None until they are counted.
        sha256: The digest of the part's bytes, None if it is not known.
        stamp: The stamp of the file when it was cut, if there is no digest, see `address.stamp`.
        extra: Keys that the file's folder adds to each row (`lang=de/`).
        label: The file's name in the positions of rows, where there are several files.
        skip: The number of rows at the beginning of the part that are left out, for a part that is cut further.
        take: The number of rows to read after these, None for all.
    """

    address: str = field(repr=False)
    kind: str
    start: int = 0
    stop: int | None = None
    first: int | None = 0
    sha256: str | None = None
    stamp: str | None = None
    extra: Mapping[str, str | None] = field(default_factory=dict)
    label: str = ""
    skip: int = 0
    take: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the part is the whole file."""
        return not self.start and self.stop is None
