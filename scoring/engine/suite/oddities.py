"""What was odd about the data of a suite, beside what can be odd about any input."""

from __future__ import annotations

from scoring.data.rows.report import InputReport


class SuiteReport(InputReport):
    """Collects the oddities of a suite's data.

    Examples:
        >>> report = SuiteReport()
        >>> report.add("unknown_tasks", "chess (line 3)")
        >>> report.to_json()
        {'unknown_tasks': {'count': 1, 'examples': ['chess (line 3)']}}
    """
