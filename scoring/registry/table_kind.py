"""Kinds of data sets that are scored as a whole, ``records: NAME`` of a task, as extensions bring them.

A kind is a plug-in of the group ``scoring.tables``: its entry point is called as the word behind ``records:`` and names
a `TableKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from scoring.registry import plugins
from scoring.registry.extension import provided
from scoring.values import Type

GROUP = "scoring.tables"
NO_KINDS = frozenset({"rows", "table", "suite", "pack"})
"""Words that say what a file is that has no data set of a certain kind."""


class TableResult(Protocol):
    """The figures of a data set that was scored."""

    @property
    def data(self) -> dict[str, Any]:
        """The summary as plain data."""

    @property
    def plots(self) -> Mapping[str, str]:
        """Plots as SVG, by the name of their file."""

    @property
    def records(self) -> Any:
        """One result for each record, as `scoring.outcomes.Results`."""

    @property
    def places(self) -> Sequence[str]:
        """The location of each record in the data set."""


@dataclass(frozen=True, slots=True)
class TableKind:
    """One kind of data set, from its files to the comparison of its runs.

    What one function returns as settings or as a table is opaque to everybody but the others.

    Args:
        spec: The class of the model that holds the keys of its files, `scoring.format.model.TaskSpec` or one below it.
        reads: The type of the language that its metrics read.
        settings: Returns the settings of a spec from the spec and its folder; raises ValueError, TypeError or OSError
            where they make no sense.
        sources: Returns the files by their roles (``groundtruth``, ``predictions``) from the spec, its folder, and what
            was given in place of the files that the spec names.
        read: Returns the table from settings, ground truth, predictions and the most records that are wanted.
        attributes: Returns what breakdowns may read of each record of a table.
        evaluate: Returns the result from settings, metrics by name, the table, intervals, seed and processes.
        story: Returns the way of one record as plain data, from settings, metrics by name, the table and its id.
        document: Returns a `Document` of a story.
        keyed: Returns the parts of a table by the key of their labels.
        figure: Returns a figure that a comparison draws again, from its name, the metric and the table.
        compare: Returns the comparison of two runs from them, from a function that gives the `figure` of a run, and
            from how resamples are drawn.
        boards: Returns the boards of several runs, likewise.
        audit: Returns what an audit finds, from metrics by name, the table and what specs declare; None where there are
            no laws.
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
    """Return the kind of data set that is called so.

    Raises:
        InputError: when no extension provides it.
    """
    found: TableKind = provided(GROUP, records, f"`records: {records}`")
    return found


def has_table_kind(records: str) -> bool:
    """Tell whether an extension provides the kind, without importing anything.

    Examples:
        >>> has_table_kind("spreadsheet")
        False
    """
    return records in table_kinds(plugins.own) or records in table_kinds(plugins.others)


def table_kinds(found: Callable[[str], tuple[plugins.PlugIn, ...]]) -> Iterator[str]:
    """Return the names of kinds of data sets, among our own plug-ins, those of others, or all.

    Examples:
        >>> list(table_kinds(lambda group: (plugins.PlugIn("spans", "house.spans"), plugins.PlugIn("rows", "house"))))
        ['spans']
    """
    return (plugin.name for plugin in found(GROUP) if plugin.name not in NO_KINDS)
