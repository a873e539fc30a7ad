"""A reliability curve is a part of a report."""

from __future__ import annotations

from scoring.report.of.summary import summary_document
from scoring.report.render import render
from tests.support.summaries import summary_of


def test_a_reliability_curve_is_a_table_and_a_plot() -> None:
    records = [{"id": n, "share": n % 2, "sure": n / 20} for n in range(20)]
    summary = summary_of(['ece(confidence="sure", bins=5)'], records)
    assert [one["records"] for one in summary["metrics"][0]["details"]["reliability"]] == [5, 4, 4, 4, 3]
    text, page = (render(summary_document(summary), form) for form in ("text", "html"))
    assert "mean confidence" in text
    assert page.count('<svg class="chart"') == 1
