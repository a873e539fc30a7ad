"""The part of a run's document that lists the ratings of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.report.document import DocumentTable, TableColumn
from scoring.report.of.summary import ELSEWHERE

MAX_RATINGS = 10


def ratings_table(metric: str, ratings: Mapping[str, Mapping[str, Any]]) -> Iterator[DocumentTable]:
    """Yield a table of the ratings of models (or other sides), with their intervals and numbers of comparisons.

    Args:
        metric: The title of the metric that has the ratings among its details.
        ratings: The rating, interval and number of comparisons of each side, by its name.

    Examples:
        >>> found = {"x": {"rating": 1020.5, "low": 990.0, "high": 1051.0, "comparisons": 7}}
        >>> next(ratings_table("elo", found)).rows
        (['x', 1020.5, 990.0, 1051.0, 7],)
    """
    rows = [{"side": side, **row} for side, row in ratings.items()]
    figures = [name for name in ("rating", "low", "high") if all(name in row for row in rows)]
    columns = [(TableColumn(name, "number"), name) for name in figures]
    count = (TableColumn("comparisons", "count"), "comparisons")
    side = (TableColumn("side", width=40), "side")
    yield DocumentTable.of(rows, side, *columns, count, title=f"Ratings of {metric}", brief=MAX_RATINGS, rest=ELSEWHERE)
