"""Filters on the annotations of a data set, and label maps: which items count, and under which label."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from scoring.diagnostics.words import listed
from scoring.extensions.vision.arrays import Ints
from scoring.extensions.vision.classification.table import Classifications
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.faults import BrokenRecords, Fault, Faults
from scoring.extensions.vision.vocabulary import Vocabulary
from scoring.values import Record


def filter_of(conditions: Mapping[str, Any]) -> Callable[[Record], bool]:
    """Return a function of a record that returns True if every condition holds for the record's attributes.

    A condition on an attribute is a value it must equal, a list of values it may have, or a range
    `{min: …, max: …}` whose ends may be omitted. A record without the attribute does not pass.

    Examples:
        >>> small = filter_of({"area": {"max": 100}, "split": ["a", "b"]})
        >>> small({"area": 9, "split": "a"}), small({"area": 9})
        (True, False)
    """
    tests = [(name, _test(name, condition)) for name, condition in conditions.items()]
    return lambda record: all(name in record and test(record[name]) for name, test in tests)


def check_attributes(side: str, conditions: Mapping[str, Any], records: Collection[Record], where: str) -> None:
    """Check that some record has each attribute that a condition names; one that none has is probably misspelt, and
    would exclude every record.

    Args:
        side: The key of `filters` that the conditions are under, for messages.
        conditions: The conditions by attribute.
        records: The records; without any, nothing is checked.
        where: The location of the records, for messages.

    Raises:
        BrokenRecords: with every such attribute.
    """
    faults = Faults()
    for name in conditions if records else ():
        if not any(name in record for record in records):
            faults.add(where, f"nothing here has `{name}`, which `filters.{side}` names; check the name")
    faults.check()


def check_kept(side: str, before: int, after: int, where: str) -> None:
    """Check that a filter left any of the items.

    Args:
        side: The key of `filters` that the filter is under, for messages.
        before: The number of items before filtering.
        after: The number of items that are left.
        where: The location of the items, for messages.

    Raises:
        BrokenRecords: when there were items and none is left.
    """
    if before and not after:
        raise BrokenRecords([Fault(where, f"`filters.{side}` leaves none of the {before} there; relax it")])


def check_labels(wanted: Sequence[str], names: Sequence[str], where: str) -> None:
    """Check that the data has at least one of the labels that the spec lists.

    Args:
        wanted: The labels that the spec lists.
        names: The labels of the data; without any, nothing is checked.
        where: The location of the data, for messages.

    Raises:
        BrokenRecords: when the data has only other labels.
    """
    if names and not set(wanted) & set(names):
        raise BrokenRecords([Fault(where, f"no label here is in `labels`; there are {listed(names, 'and')}")])


def _test(name: str, condition: Any) -> Callable[[Any], bool]:
    if isinstance(condition, Mapping):
        unknown = set(condition) - {"min", "max"}
        if unknown:
            raise ValueError(f"a range filter has `min` and `max`, not {', '.join(sorted(unknown))}")
        low, high = condition.get("min", -np.inf), condition.get("max", np.inf)
        if low > high:
            raise ValueError(f"the range of the filter `{name}` is empty: min {low} is greater than max {high}")
        return lambda value: isinstance(value, int | float) and bool(low <= value <= high)
    if isinstance(condition, Sequence) and not isinstance(condition, str):
        return lambda value: value in condition
    return lambda value: bool(value == condition)


LabelledTable = TypeVar("LabelledTable", Detections, Classifications)


def rename_labels(table: LabelledTable, label_map: Mapping[str, str]) -> LabelledTable:
    """Return the table with its labels renamed by `label_map`; if several labels of a classified datum get the same
    name, only the highest score is kept.
    """
    labels, place = _renamed(table.labels, label_map)
    if isinstance(table, Detections):
        return replace(table, labels=labels, truth_label=place[table.truth_label], row_label=place[table.row_label])
    return replace(table, labels=labels, truth=place[table.truth], row_label=place[table.row_label]).without_repeats()


def _renamed(labels: Vocabulary, label_map: Mapping[str, str]) -> tuple[Vocabulary, Ints]:
    """Return the vocabulary of the new names, in order of first use, and the index in it of each old label; a label
    that is not in the map keeps its name.

    Examples:
        >>> found, places = _renamed(Vocabulary.declared(["cat", "kitten", "dog"]), {"kitten": "cat"})
        >>> found.names, places.tolist()
        (('cat', 'dog'), [0, 0, 1])
    """
    index: dict[str, int] = {}
    place = np.array([index.setdefault(label_map.get(name, name), len(index)) for name in labels.names], dtype=np.int64)
    seen = np.full(len(index), np.iinfo(np.int64).max)
    np.minimum.at(seen, place, labels.seen)
    return Vocabulary(tuple(index), seen), place


def with_labels(table: LabelledTable, wanted: Sequence[str]) -> LabelledTable:
    """Return the table with only the ground truths and detections, or the data and scored labels, whose label is in
    `wanted`.
    """
    known = set(wanted)
    chosen = np.array([name in known for name in table.labels.names], dtype=np.bool_)
    if isinstance(table, Detections):
        return table.keep(chosen[table.truth_label], chosen[table.row_label])
    part = table.part(chosen[table.truth])
    return part.with_rows(chosen[part.row_label])
