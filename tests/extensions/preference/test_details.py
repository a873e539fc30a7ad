"""Ratings are a part of a report."""

from __future__ import annotations

from scoring.report.of.summary import summary_document
from scoring.report.render import render
from tests.support.summaries import summary_of


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
