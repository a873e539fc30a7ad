"""Summaries of runs over records whose scores are given."""

from __future__ import annotations

from typing import Any

import scoring


def summary_of(metrics: list[Any], records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the summary with these metrics, where the score of a record is its `share`."""
    spec = {"kind": "task", "name": "t", "fields": {"share": {"score": "record.share"}}, "metrics": metrics}
    return dict(scoring.evaluate(spec, records).summary)
