"""What was odd about the input: counted in full, with the first few examples; nothing is dropped silently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_EXAMPLES = 10

# Every kind of oddity, in the words that people read.
KINDS: dict[str, str] = {
    "bad_rows": "rows could not be read and are unscored",
    "bad_predictions": "prediction rows could not be read or have no id, and join no reference",
    "no_id": "references have no id and are unscored",
    "repeated_ids": "ids stand more than once; every row is scored",
    "repeated_predictions": "predictions repeat an id; only the first is scored",
    "repeated_references": "references repeat an id with another content; their records are unscored",
    "missing_predictions": "references have no prediction; their records are unscored",
    "surplus_predictions": "predictions have no reference and are not part of the data set",
    "shared_keys": "keys stand in both files with different values; the reference's value is used",
}


@dataclass(slots=True)
class Oddity:
    """How often one kind of thing happened, and its first examples."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


class InputReport:
    """Collects the oddities of the input while it is read.

    Examples:
        >>> report = InputReport()
        >>> report.add("missing_predictions", "q7")
        >>> report.to_json()
        {'missing_predictions': {'count': 1, 'examples': ['q7']}}
    """

    def __init__(self) -> None:
        self._found: dict[str, Oddity] = {}

    def add(self, kind: str, example: str) -> None:
        """Count one oddity of a kind from `KINDS`."""
        oddity = self._found.setdefault(kind, Oddity())
        oddity.count += 1
        if len(oddity.examples) < MAX_EXAMPLES:
            oddity.examples.append(example[:200])

    def to_json(self) -> dict[str, Any]:
        """The kinds that occurred, in a fixed order."""
        return {
            kind: {"count": self._found[kind].count, "examples": self._found[kind].examples}
            for kind in KINDS
            if kind in self._found
        }
