"""The part of a run's document that shows how reliable stated confidences are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.extensions.pages.charts import line_chart
from scoring.report.document import DocumentTable, Plot, TableColumn
from scoring.report.of.summary import ELSEWHERE

MAX_BINS = 10


def reliability_blocks(metric: str, bins: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable | Plot]:
    """Yield the table and the plot of a reliability curve, which shows the mean score at each level of confidence.

    Args:
        metric: The title of the metric whose details contain the curve.
        bins: The mean confidence, the mean score and the number of records of each bin.
    """
    cells = [(TableColumn(f"mean {name}", "number"), name) for name in ("confidence", "score")]
    count = (TableColumn("records", "count"), "records")
    yield DocumentTable.of(bins, *cells, count, title=f"Reliability of {metric}", brief=MAX_BINS, rest=ELSEWHERE)
    curve = {"found": [(one["confidence"], one["score"]) for one in bins]}
    stated = {"as stated": [(0.0, 0.0), (1.0, 1.0)]}
    chart = line_chart(curve, title=f"Reliability of {metric}", x="confidence", y="score", reference=stated)
    yield Plot(f"{metric}: reliability", chart)
