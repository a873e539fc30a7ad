"""The interface of the data from which metrics are computed: records of a file, tasks of a suite, or images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self


class Table(Protocol):
    """A table of the items of a data set, each with an id and attributes.

    Breakdowns, crossing, intervals, clusters and processes require nothing else, so they work for every class with this
    interface.
    """

    def __len__(self) -> int:
        """Return the number of rows."""

    @property
    def ids(self) -> Sequence[Any]:
        """The id of each row."""

    def column(self, name: str, /) -> Sequence[Any]:
        """Return an attribute's value for each row, None if it has none."""

    def select(self, indices: Sequence[int], /) -> Self:
        """Return the rows at some positions, in the order of ``indices``."""

    def keyed(self, keys: Sequence[Any], column: str | None = None, /) -> Self:
        """Return the table with ``keys`` as ids, for example ids that include a cluster.

        With a column's name, that column gets them instead, for metrics whose units are not the rows themselves.
        """
