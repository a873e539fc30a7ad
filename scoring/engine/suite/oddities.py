"""What was odd about the data of a suite, beside what can be odd about any input."""

from __future__ import annotations

from typing import Any

from scoring.data.rows.report import KINDS, InputReport

SUITE_KINDS: dict[str, str] = {
    "no_task": "row that names no task, left out",
    "unknown_tasks": "row or file of a task that is not in the suite, left out",
    "tasks_without_data": "task without data, unscored",
    "tasks_without_attributes": "task that the attributes file does not know",
    "attributes_without_task": "attributes of a task that is not in the suite",
    "repeated_tasks": "task with two results, only the first used",
}
WORDS = {**KINDS, **SUITE_KINDS}


class SuiteReport(InputReport):
    """Collects the oddities of a suite's data.

    Examples:
        >>> report = SuiteReport()
        >>> report.add("unknown_tasks", "chess (line 3)")
        >>> report.to_json()
        {'unknown_tasks': {'count': 1, 'examples': ['chess (line 3)']}}
    """

    def to_json(self) -> dict[str, Any]:
        """The kinds that occurred, in a fixed order."""
        own = {
            kind: {"count": self._found[kind].count, "examples": self._found[kind].examples}
            for kind in SUITE_KINDS
            if kind in self._found
        }
        return {**super().to_json(), **own}
