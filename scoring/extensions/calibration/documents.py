"""The parts of a run's document about confidences: how reliable they are, and the curves that they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.extensions.pages.charts import line_chart
from scoring.report.document import DocumentTable, Plot, TableColumn
from scoring.report.of.summary import ELSEWHERE

MAX_BINS = 10


def roc_plot(metric: str, points: Sequence[tuple[float, float]]) -> Iterator[Plot]:
    """Yield the plot of a ROC curve.

    Args:
        metric: The title of the metric whose details contain the curve.
        points: The false and the true positive rate at each threshold.
    """
    chance = {"chance": [(0.0, 0.0), (1.0, 1.0)]}
    labels = {"x": "false positive rate", "y": "true positive rate"}
    yield Plot(f"{metric}: ROC curve", line_chart({metric: points}, title="ROC curve", reference=chance, **labels))


def precision_recall_plot(metric: str, points: Sequence[tuple[float, float]]) -> Iterator[Plot]:
    """Yield the plot of a precision-recall curve.

    Args:
        metric: The title of the metric whose details contain the curve.
        points: The recall and the precision at each threshold.
    """
    chart = line_chart({metric: points}, title="Precision and recall", x="recall", y="precision")
    yield Plot(f"{metric}: precision-recall curve", chart)


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
