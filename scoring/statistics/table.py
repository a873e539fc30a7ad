"""The table from which the metrics of a task are computed: records of a file, tasks of a suite, images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self


class Table(Protocol):
    """Things that a data set is made of, each with an id and attributes.

    Breakdowns, crossing, intervals, clusters and processes ask for nothing else, so what has this face gets all of
    them.
    """

    def __len__(self) -> int:
        """Return how many there are."""

    @property
    def ids(self) -> Sequence[Any]:
        """The id of each."""

    def column(self, name: str, /) -> Sequence[Any]:
        """Return an attribute of each, None where it has none."""

    def select(self, places: Sequence[int], /) -> Self:
        """Return some of the rows, in the order of ``places``."""

    def keyed(self, keys: Sequence[Any], column: str | None = None, /) -> Self:
        """Return the same rows under other ids, so that a statistic's units carry more than their names.

        With a column, that is replaced by them: a metric's units need not be the things themselves.
        """
