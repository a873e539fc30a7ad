"""What metrics tell beside their figures stands in the report: ratings of all sides, reliability curves."""

from __future__ import annotations

from typing import Any

import scoring
from scoring.report.of.summary import summary_document
from scoring.report.render import render


def summary_of(metrics: list[Any], records: list[dict[str, Any]]) -> dict[str, Any]:
    spec = {"kind": "task", "name": "t", "fields": {"share": {"formula": "record.share"}}, "metrics": metrics}
    return dict(scoring.evaluate(spec, records).summary)


def test_ratings_of_all_sides_are_listed_once_and_escaped() -> None:
    """Given two figures of the same ratings, one of a side with a hostile name, then one table has all sides."""
    names = ["ant", "<script>bee", "cat"]
    records = [
        {"id": n, "share": [1, 0, 0.5][n % 3], "a": names[n % 3], "b": names[(n + n // 3) % 3]} for n in range(30)
    ]
    metrics = [f'bradley_terry(first="a", second="b"{more})' for more in ("", ', model="cat"')]
    summary = summary_of(metrics, records)
    text, page = (render(summary_document(summary), form) for form in ("text", "html"))
    assert len([line for line in text.splitlines() if "comparisons" in line and "fewer than" not in line]) == 1
    assert all(name in text for name in names)
    assert "<script>bee" not in page
    assert "&lt;script&gt;bee" in page


def test_a_reliability_curve_is_a_table_and_a_plot() -> None:
    records = [{"id": n, "share": n % 2, "sure": n / 20} for n in range(20)]
    summary = summary_of(['ece(confidence="sure", bins=5)'], records)
    assert [one["records"] for one in summary["metrics"][0]["details"]["reliability"]] == [5, 4, 4, 4, 3]
    text, page = (render(summary_document(summary), form) for form in ("text", "html"))
    assert "mean confidence" in text
    assert page.count("<img") == 1
