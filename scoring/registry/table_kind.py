"""Kinds of data sets that are scored as a whole, ``records: NAME`` of a task, which extensions provide.

A kind is a plug-in of the group ``scoring.tables``: the name of its entry point is the word after ``records:``, and its
value is a `TableKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from scoring.registry import plugins
from scoring.registry.extension import provided
from scoring.values import Type


class TableResult(Protocol):
    """The result of scoring a data set as a whole."""

    @property
    def data(self) -> dict[str, Any]:
        """The summary of the run, with all figures, as plain data."""

    @property
    def pictures(self) -> Callable[[], Iterable[Any]]:
        """Returns further blocks of the page of the run, such as images with what was found on them."""

    @property
    def records(self) -> Any:
        """One result for each record, as `scoring.outcomes.Results`."""

    @property
    def places(self) -> Sequence[str]:
        """The position of each record in the data set, as a text."""


class TableKind(Struct, frozen=True):
    """One kind of data set, from its files to the comparison of its runs.

    Settings and tables are opaque values: only these functions know their structure.

    Args:
        spec: The class that models the keys of its files, `scoring.format.model.TaskSpec` or a subclass.
        reads: The type of the language that its metrics read.
        settings: Returns the settings of a spec, given the spec and its folder; raises ValueError, TypeError or OSError
            if they are invalid.
        sources: Returns the files by role (``groundtruth``, ``predictions``), given the spec, its folder, and the
            sources that replace the files named in the spec.
        read: Returns the table, given settings, ground truth, predictions and the most records to read.
        attributes: Returns the attributes of each record of a table for breakdowns.
        evaluate: Returns the result, given settings, metrics by name, the table, intervals, seed and processes.
        story: Returns the explanation of one record as plain data, given settings, metrics by name, the table and the
            record's id.
        document: Returns a `Document` for such an explanation.
        keyed: Returns by key the part of a table for each key under which its records have labels.
        figure: Returns a figure for resampling in comparisons, given its name, the metric and the table.
        compare: Returns the comparison of two runs, given the runs, a function that returns the `figure` of a run, and
            the method of resampling.
        boards: Returns the leaderboards of several runs, given the runs and the two further arguments of `compare`.
        audit: Returns the findings of an audit, given metrics by name, the table and the declarations of specs; None if
            there are no laws.
    """

    spec: type
    reads: Type
    settings: Callable[[Any, Path], Any]
    sources: Callable[..., dict[str, Any]]
    read: Callable[[Any, Any, Any, int | None], Any]
    attributes: Callable[[Any], Sequence[Mapping[str, Any]]]
    evaluate: Callable[..., TableResult]
    story: Callable[[Any, Mapping[str, Any], Any, str | None], dict[str, Any]]
    document: Callable[[Any], Any]
    keyed: Callable[[Any], Mapping[str, Any]]
    figure: Callable[[str, Any, Any], Any]
    compare: Callable[[Any, Any, Callable[[Any], Any], Any], dict[str, Any]]
    boards: Callable[[Sequence[Any], Callable[[Any], Any], Any], list[Any]]
    audit: Callable[..., list[Any]] | None = None


def table_kind(records: str) -> TableKind:
    """Return the description of the kind of data set that a task names under its key `records`.

    Raises:
        InputError: when no extension provides it.
    """
    found: TableKind = provided(plugins.TABLES, records, f"`records: {records}`")
    return found
