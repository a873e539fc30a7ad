"""What metrics of records tell beside their figures: ratings of all sides, and reliability curves of confidences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.report.document import DocumentTable, Plot, TableColumn

_BRIEF = 10
_REST = "in summary.json"


def details_of(metrics: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable | Plot]:
    """Tables of what metrics tell in rows, each once, and a plot of each reliability curve.

    Examples:
        >>> ratings = {"x": {"rating": 1020.5, "low": 990.0, "high": 1051.0, "comparisons": 7}}
        >>> next(details_of([{"metric": "elo", "details": {"ratings": ratings}}])).rows
        (['x', 1020.5, 990.0, 1051.0, 7],)
    """
    shown: list[Any] = []
    for metric in metrics:
        details = metric.get("details", {})
        for name, blocks in (("ratings", _ratings), ("reliability", _reliability)):
            if details.get(name) and details[name] not in shown:
                shown.append(details[name])
                yield from blocks(metric["metric"], details[name])


def _ratings(metric: str, ratings: Mapping[str, Mapping[str, Any]]) -> Iterator[DocumentTable]:
    rows = [{"side": side, **row} for side, row in ratings.items()]
    figures = [name for name in ("rating", "low", "high") if all(name in row for row in rows)]
    columns = [(TableColumn(name, "number"), name) for name in figures]
    count = (TableColumn("comparisons", "count"), "comparisons")
    side = (TableColumn("side", width=40), "side")
    yield DocumentTable.of(rows, side, *columns, count, title=f"Ratings of {metric}", brief=_BRIEF, rest=_REST)


def _reliability(metric: str, bins: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable | Plot]:
    from scoring.vision.plots import line_chart

    cells = [(TableColumn(f"mean {name}", "number"), name) for name in ("confidence", "score")]
    count = (TableColumn("records", "count"), "records")
    yield DocumentTable.of(bins, *cells, count, title=f"Reliability of {metric}", brief=_BRIEF, rest=_REST)
    curve = {"stated": [(0.0, 0.0), (1.0, 1.0)], "found": [(one["confidence"], one["score"]) for one in bins]}
    yield Plot(f"{metric}: reliability", line_chart(curve, title="Reliability", x="confidence", y="score"))
