"""A part of a file that one worker reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Slice:
    """A contiguous part of one file: bytes of a text, row groups of Parquet, batches of Arrow.

    Args:
        address: Where the file is; it may hold credentials, so it is never shown.
        kind: Its format with what was said about it, such as `csv,delimiter=tab`.
        start: Where the part begins: a byte, or the number of a row group or batch.
        stop: Where it ends, None for the end of the file.
        first: How many lines or rows stand before it; None until they are counted.
        sha256: The digest of its bytes, None until they are read.
        stamp: What its file looked like when it was cut, where its bytes have no digest, see `address.stamp`.
        extra: Keys that its folder gives each row (`lang=de/`).
        label: How places call the file, where there are several.
        skip: How many of its rows are left out, from its begin on; for a part that is taken apart.
        take: How many are read behind them, None for all.
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

    def halves(self, rows: int) -> tuple[Slice, Slice]:
        """Return a part with that many rows as two halves.

        Examples:
            >>> [(half.skip, half.take) for half in Slice("a.jsonl", "jsonl", skip=4).halves(5)]
            [(4, 2), (6, 3)]
        """
        middle = rows // 2
        before, behind = replace(self, take=middle), replace(self, skip=self.skip + middle, take=rows - middle)
        return before, behind
