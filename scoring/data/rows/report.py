"""A report of oddities of the input: all are counted, with the first few examples; nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

MAX_EXAMPLES = 10

# Every kind of oddity, with the description shown to users.
KINDS: dict[str, str] = {
    "bad_rows": "unreadable row, unscored",
    "bad_predictions": "prediction row unreadable or without id, joined to nothing",
    "nan_values": "row with NaN, which JSON does not have, read as missing (write `null`)",
    "turned_numbers": "column of whole numbers that are floats, since some are missing (in pandas, use `Int64`)",
    "column_nulls": "null in columns, compared as a value, though its key may not have been there",
    "no_id": "reference without id, unscored (write `id` in both files, or `record: {id: NAME}`)",
    "repeated_ids": "repeated id, every row scored",
    "uncompared_ids": "ids were not compared: that takes memory for each (`--state exact` does)",
    "repeated_predictions": "repeated prediction id, only the first scored",
    "repeated_references": "id with two different references, unscored",
    "missing_predictions": "reference without prediction, unscored",
    "surplus_predictions": "prediction without reference, left out",
    "alike_ids": "prediction id that matches a reference id except for case and blanks (write both alike)",
    "shared_keys": "key in both files with different values, the reference's used",
    "empty_attributes": "attribute that the spec names and no record has (is its name right?)",
    "empty_paths": "path of a metric that no record has (is its name right?)",
    "named_keys": "field that compares whole answers, which have its name as a key (`parse: json` reads it there)",
    "empty_fields": "field that no response has (is its name right?)",
    "never_equal": "field or metric whose answers can never equal their references, since their types differ",
    "unequal_types": "pair that is never equal, since the types differ",
    "other_forms": "pair that differs only in the Unicode form (`normalize_unicode` makes one of them)",
    "invisible": "pair that differs only in invisible characters",
    "blanks": "pair that differs only in blanks (`strip`, `collapse_spaces`)",
    "cases": "pair that differs only in upper and lower case (`casefold`)",
    "empty_answers": "empty answer to what has a reference",
    "error_answers": "answer that reads like an error of the system that was to answer",
    "same_answer": "one and the same answer to all",
    "partial_attributes": "record without an attribute that the spec names (as a cluster, it is alone)",
    "partial_fields": "response without a field",
    "other_keys": "key that nothing reads where a field is missing (is its name right?)",
    "alike_groups": "group that equals another one except for case, blanks or the Unicode form",
    "alike_labels": "label that equals another one except for case, blanks or the Unicode form",
    "percents": "number above 1 where shares from 0 to 1 are expected (are they percent?)",
    "idle_fields": "field that no reference has, applicable to no record (is its name right?)",
    "empty_labels": "label of `label_map` that the data does not have (is its name right?)",
    # Oddities that only the data of a suite can have.
    "no_task": "row that names no task, left out",
    "unknown_tasks": "row or file of a task that is not in the suite, left out",
    "tasks_without_data": "task without data, unscored",
    "tasks_without_attributes": "task that the attributes file does not list",
    "attributes_without_task": "attributes of a task that is not in the suite",
    "repeated_tasks": "task with two results, only the first used",
}


@dataclass(slots=True)
class Oddity:
    """The count of one kind of oddity, and its first examples."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


class InputReport:
    """A collector of oddities of the input while it is read.

    Examples:
        >>> report = InputReport()
        >>> report.add("missing_predictions", "q7")
        >>> report.to_json()
        {'missing_predictions': {'count': 1, 'examples': ['q7']}}
    """

    def __init__(self) -> None:
        self._found: dict[str, Oddity] = {}

    def add(self, kind: str, example: str, times: int = 1) -> None:
        """Count an oddity of a kind from `KINDS`, which occurred `times` times, with one example."""
        oddity = self._found.setdefault(kind, Oddity())
        oddity.count += times
        if len(oddity.examples) < MAX_EXAMPLES:
            oddity.examples.append(example[:200])

    def take(self, found: Mapping[str, Any]) -> None:
        """Add the counts of another report of the same run, as plain data; its examples follow the existing ones."""
        for kind, more in found.items():
            oddity = self._found.setdefault(kind, Oddity())
            oddity.count += int(more["count"])
            oddity.examples += [str(one) for one in more["examples"]][: MAX_EXAMPLES - len(oddity.examples)]

    def to_json(self) -> dict[str, Any]:
        """Return the kinds that occurred, in a fixed order."""
        return {kind: asdict(self._found[kind]) for kind in KINDS if kind in self._found}
