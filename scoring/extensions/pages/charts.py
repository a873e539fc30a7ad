"""Plots as data: what is drawn, not how; a page, a file of a run folder and a figure for a paper are drawn from these.

A chart is computed once, and each way of drawing (`scoring.extensions.pages.drawing` for pages,
`scoring.extensions.pages.papers` for papers) reads nothing but the chart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from scoring.ranges import Better
from scoring.report.document import Plot
from scoring.report.numbers import NOTHING

Numbers: TypeAlias = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""The titles of columns, and the cells row by row."""

MOST_LINES, MOST_CELLS, MOST_ROWS = 16, 40, 40
"""More lines, cells or rows than this can't be distinguished in one drawing; the data have all of them."""
BINS = 20


class Curve(Struct, frozen=True):
    """A line of a chart by its points; a reference curve (such as the diagonal) is not data, and drawn thin."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_reference: bool = False


class LineChart(Struct, frozen=True):
    """Curves in the unit square, such as precision over recall."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the points of all curves as a table."""
        return (
            ("line", self.x, self.y),
            [(curve.name, *point) for curve in self.curves if not curve.is_reference for point in curve.points],
        )


class Histogram(Struct, frozen=True):
    """The number of scores between each two neighbouring edges; the last edge belongs to the last bar."""

    title: str
    x: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    better: Better = "higher"
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the bars as a table."""
        return ("from", "to", "records"), list(zip(self.edges[:-1], self.edges[1:], self.counts, strict=True))


class ForestRow(Struct, frozen=True):
    """A row of a forest plot: a group or a run with its figure, and the ends of the figure's interval, if known."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


class Forest(Struct, frozen=True):
    """Figures with their intervals, one below the other on one axis.

    Args:
        title: The title.
        x: The title of the axis.
        rows: The rows, from top to bottom.
        ends: The ends of the axis.
        better: Which values are better; intervals beyond the reference are coloured by it.
        reference: The value of all together, drawn as a line; None for none.
        is_whole: Whether values are whole numbers, such as ranks.
        note: A remark, such as on rows that are not drawn.
    """

    title: str
    x: str
    rows: tuple[ForestRow, ...]
    ends: tuple[float, float]
    better: Better = "higher"
    reference: float | None = None
    is_whole: bool = False
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the rows as a table."""
        return ("", self.x, "from", "to", ""), [(one.name, one.value, one.low, one.high, one.note) for one in self.rows]


class Matrix(Struct, frozen=True):
    """A table of numbers as a heat map, coloured by each number's share of the sum of its row."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float, ...], ...]
    y: str = "ground truth"
    x: str = "prediction"
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the cells as a table."""
        return (f"{self.y} ↓ {self.x} →", *self.columns), [
            (name, *line) for name, line in zip(self.rows, self.cells, strict=True)
        ]


class Changes(Struct, frozen=True):
    """Scores of the same records in two runs: for each pair of values the number of records that have it."""

    title: str
    x: str
    y: str
    points: tuple[tuple[float, float, int], ...]
    ends: tuple[float, float]
    better: Better = "higher"
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the pairs of values as a table."""
        return (self.x, self.y, "records"), self.points


Outline: TypeAlias = Literal["found", "missed", "confused", "invented", "below the score"]


class ShapeOutline(Struct, frozen=True):
    """A box, polygon or mask on a picture, as the path of an SVG in pixels of the picture.

    Args:
        path: Commands of an SVG path, made of numbers alone.
        label: The text beside it.
        became: What became of it in matching.
        is_truth: Whether it is a ground truth; otherwise it is a prediction.
        at: The left top corner of the label.
        is_area: Whether it is filled, as masks are.
    """

    path: str
    label: str
    became: Outline
    is_truth: bool
    at: tuple[float, float]
    is_area: bool = False


class MarkedPicture(Struct, frozen=True):
    """An image with what is marked on it; `image` is the address of its data, "" where there is none to show."""

    title: str
    width: float
    height: float
    marks: tuple[ShapeOutline, ...]
    image: str = ""
    note: str = ""

    def numbers(self) -> Numbers:
        """Return the marks as a table."""
        sides = {True: "ground truth", False: "prediction"}
        return ("", "label", "became"), [(sides[one.is_truth], one.label, one.became) for one in self.marks]


Chart: TypeAlias = LineChart | Histogram | Forest | Matrix | Changes | MarkedPicture


# ---- charts of plain data


def histogram_of(
    values: Iterable[float],
    ends: Sequence[float | None],
    *,
    title: str = "Scores",
    x: str = "score",
    better: Better = "higher",
    without: int = 0,
) -> Histogram | None:
    """Return the histogram of the scores of records; None without any.

    Args:
        values: The scores; those that are not finite are left out and counted.
        ends: The range of scores; an end that is None or infinite is the least or the largest score.
        title: The title.
        x: The title of the axis.
        better: Which scores are better.
        without: The number of records without a score.

    Examples:
        >>> histogram_of([0.0, 1.0, 1.0], (0.0, 1.0)).counts[-1]
        2
    """
    import numpy as np

    given = np.fromiter(values, dtype=np.float64)
    found = given[np.isfinite(given)]
    if not found.size:
        return None
    low, high = _finite(ends, (float(found.min()), float(found.max())))
    counts, edges = np.histogram(np.clip(found, low, high), bins=_bins(found, low, high), range=(low, high))
    lost = without + given.size - found.size
    note = f"{found.size:,} records" + (f"; not drawn: {lost:,} without a score" if lost else "")
    return Histogram(title, x, tuple(edges.tolist()), tuple(counts.tolist()), better, note)


def _bins(found: Any, low: float, high: float) -> int:
    """Return the number of bars: one for each whole number if all values are whole and few, else `BINS`."""
    width = high - low
    return round(width) + 1 if 2 <= width <= BINS and not (found % 1).any() and not (low % 1) else BINS


def _finite(ends: Sequence[float | None], seen: tuple[float, float]) -> tuple[float, float]:
    low, high = (
        bound if own is None or not math.isfinite(own) else float(own)
        for own, bound in zip(ends or (None, None), seen, strict=True)
    )
    return (low, high) if low < high else (low - 0.5, low + 0.5)


def forest_of(
    rows: Sequence[ForestRow],
    ends: Sequence[float | None],
    *,
    title: str,
    x: str,
    better: Better = "higher",
    reference: float | None = None,
) -> Forest | None:
    """Return the forest plot of some figures; None for fewer than two rows with a finite value.

    Args:
        rows: The rows; the first `MOST_ROWS` are drawn.
        ends: The range of the figure; an end that is None is that of the values and intervals. Of a range that is
            mostly empty only the part around the intervals is drawn.
        title: The title.
        x: The title of the axis.
        better: Which values are better.
        reference: The value of all together.

    Examples:
        >>> forest_of([ForestRow("a", 0.5, 0.1, 0.6), ForestRow("b", 0.7)], (0, 1), title="By kind", x="mean").ends
        (0.0, 1.0)
        >>> forest_of([ForestRow("a", 0.5), ForestRow("b", 0.75)], (0, 1), title="By kind", x="mean").ends
        (0.4375, 0.8125)
    """
    kept = [one for one in rows if math.isfinite(one.value)]
    if len(kept) < 2:
        return None
    seen = [end for one in kept for end in (one.value, one.low, one.high) if end is not None and math.isfinite(end)]
    drawn = _near(_finite(ends, (min(seen), max(seen))), min(seen), max(seen))
    return Forest(title, x, tuple(kept[:MOST_ROWS]), drawn, better, reference, note=_left_out(len(kept), MOST_ROWS))


def _near(ends: tuple[float, float], first: float, last: float) -> tuple[float, float]:
    """Return the ends of an axis: the whole range if values fill most of it, else the part around them."""
    width = last - first
    if not 0 < width < 0.5 * (ends[1] - ends[0]):
        return ends
    return max(ends[0], first - width / 4), min(ends[1], last + width / 4)


def _left_out(total: int, most: int) -> str:
    return f"{most} of {total:,} are drawn" if total > most else ""


def confusion_plot(metric: str, matrix: Mapping[str, Any]) -> Iterator[Plot]:
    """Yield the plot of a confusion matrix of labels.

    Args:
        metric: The title of the metric whose details contain the matrix.
        matrix: The counts, by the correct and then by the predicted label.
    """
    yield Plot(f"{metric}: confusion matrix", _confusion({"confusion_matrix": matrix}))


def plots_of(details: Mapping[str, Any]) -> dict[str, Chart]:
    """Return the charts of the curves and confusion matrices among a metric's details, by name.

    Examples:
        >>> list(plots_of({"confusion_matrix": {"cat": {"cat": {"count": 3}}}}))
        ['confusion_matrix']
    """
    plots: dict[str, Chart] = {}
    curves = details.get("curves")
    if isinstance(curves, Mapping):
        plots["precision_recall"] = _interpolated(curves, details["iou_thresholds"][0])
    elif isinstance(curves, list):
        for curve in curves:
            plots[f"precision_recall_iou_{curve['iou_threshold']:g}"] = _over_scores(curve["labels"])
    elif "thresholds" in details and isinstance(details.get("labels"), Mapping):
        plots["precision_recall"] = _over_scores(details["labels"])
    if "confusion_matrix" in details:
        plots["confusion_matrix"] = _confusion(details)
    return plots


def _interpolated(curves: Mapping[str, Any], threshold: float) -> LineChart:
    series = {}
    for name, curve in curves.items():
        values = curve["precision"][0]
        last = max(len(values) - 1, 1)
        series[name] = [(place / last, value) for place, value in enumerate(values)]
    return line_chart(series, title=f"Interpolated precision at IoU {threshold:g}", x="recall", y="precision")


def _over_scores(labels: Mapping[str, Any]) -> LineChart:
    series = {
        name: [
            (recall, precision)
            for recall, precision in zip(columns["recall"], columns["precision"], strict=True)
            if recall is not None and precision is not None and recall >= 0 and precision >= 0
        ]
        for name, columns in labels.items()
    }
    return line_chart(series, title="Precision and recall over score thresholds", x="recall", y="precision")


def line_chart(
    series: Mapping[str, Sequence[tuple[float | None, float | None]]],
    *,
    title: str,
    x: str,
    y: str,
    reference: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> LineChart:
    """Return a chart of lines in the unit square; points with an undefined value are left out.

    Examples:
        >>> len(line_chart({"cat": [(0, 1), (1, None)]}, title="PR", x="recall", y="precision").curves[0].points)
        1
    """
    curves = [
        Curve(name, tuple((float(a), float(b)) for a, b in points if a is not None and b is not None))
        for name, points in series.items()
    ]
    curves += [Curve(name, tuple(points), True) for name, points in (reference or {}).items()]
    return LineChart(title, x, y, tuple(curves))


def _confusion(details: Mapping[str, Any]) -> Matrix:
    matrix = details["confusion_matrix"]
    missed, invented = (details.get(f"unmatched_{side}", {}) for side in ("ground_truths", "predictions"))
    names = list(dict.fromkeys([*matrix, *(name for cells in matrix.values() for name in cells), *missed, *invented]))
    shown = names[:MOST_CELLS]
    rows = [[_number(matrix.get(a, {}).get(b)) for b in shown] for a in shown]
    columns = shown
    if missed or invented:
        rows = [[*line, _number(missed.get(name))] for name, line in zip(shown, rows, strict=True)]
        rows.append([*(_number(invented.get(name)) for name in shown), 0.0])
        columns = [*shown, NOTHING]
    cells, note = tuple(map(tuple, rows)), _left_out(len(names), MOST_CELLS)
    return Matrix("Confusion matrix", tuple(columns), tuple(columns), cells, note=note)


def _number(cell: Any) -> float:
    if isinstance(cell, Mapping):
        return float(next((cell[key] for key in ("count", "iou", "ratio") if key in cell), 0.0))
    return float(cell or 0.0)
