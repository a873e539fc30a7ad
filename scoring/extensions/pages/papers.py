"""Draw charts as figures for papers, by Matplotlib: SVG files whose texts stay texts, the same bytes each time.

Texts of the data are plain texts here, too: no mathematics is read in them, and what is not seen is written as escapes.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring.data.os_errors import refused
from scoring.errors import InputError
from scoring.extensions.pages import charts
from scoring.extensions.pages.charts import Chart, Forest, Histogram, LineChart, Matrix
from scoring.extensions.pages.drawing import change_of, shade_of, side_of_row
from scoring.report.visible import shorten, visible

WIDTH = 3.4
"""Inches: a column of two."""
#: Colours that most kinds of colour vision can distinguish (Okabe and Ito), repeated with dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a6d00")
SHADES = {"s": "#2f5fb3", "s0": "#d55e00", "s1": "#b8742f", "s2": "#6f7785", "s3": "#3f86bd", "s4": "#0072b2"}
SIDES = {"good": "#006f43", "bad": "#b3410a", "same": "#5d687a"}
MARKERS = {"good": "^", "bad": "v", "same": "o"}
_SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "scoring",
    "text.parse_math": False,
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dfe3e9",
    "legend.frameon": False,
    "legend.fontsize": 7,
}


def figure_writer(folder: str | Path) -> Callable[[Mapping[str, Chart]], list[Path]]:
    """Return a function that writes charts, by the names of their files, into a folder, which is made, and returns
    the files.

    Args:
        folder: The folder. Files in it that have the name of a plot are replaced.

    Raises:
        InputError: when Matplotlib is not installed.
    """
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError:
        raise InputError("--plots needs the extra `plots`: pip install 'scoring-dsl[plots]'") from None
    return lambda charts: write_paper_figures(charts, Path(folder))


def write_paper_figures(named: Mapping[str, Chart], folder: Path) -> list[Path]:
    """Write charts into a folder as SVG, by the names of their files, and return the files.

    Raises:
        InputError: when the folder can't be written to.
    """
    found = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, chart in named.items():
            path = folder / name
            if path.is_symlink():  # what it points to is not ours to replace
                raise InputError(f"can't write {path}: it is a link")
            path.write_text(paper_figure(chart), "utf-8")
            found.append(path)
    except OSError as error:
        raise InputError(f"can't write {folder}: {refused(error)}") from error
    return found


def paper_figure(chart: Chart) -> str:
    """Return a chart as the text of an SVG file, a column wide, without a title, since a caption stands below it."""
    matplotlib = importlib.import_module("matplotlib")
    figures = importlib.import_module("matplotlib.figure")
    canvas = importlib.import_module("matplotlib.backends.backend_svg")
    draw, height = _DRAWERS[type(chart)]
    with matplotlib.rc_context(_SETTINGS):
        figure = figures.Figure((WIDTH, height(chart)), layout="constrained")
        draw(chart, figure.subplots())
        text = io.StringIO()
        canvas.FigureCanvasSVG(figure).print_svg(
            text, metadata={"Date": None, "Creator": None, "Title": _text(chart.title)}
        )
    return text.getvalue()


def _text(text: str, columns: int = 60) -> str:
    return visible(shorten(text, columns)).replace("\n", " ")


def _histogram(chart: Histogram, axes: Any) -> None:
    starts, ends = chart.edges[:-1], chart.edges[1:]
    shades = [
        shade_of((a + b) / 2, chart.edges[0], chart.edges[-1], chart.better) for a, b in zip(starts, ends, strict=True)
    ]
    widths = [b - a for a, b in zip(starts, ends, strict=True)]
    colours = [SHADES[shade] for shade in shades]
    axes.bar(starts, chart.counts, widths, align="edge", color=colours, edgecolor="white", linewidth=0.5)
    axes.set_xlim(chart.edges[0], chart.edges[-1])
    axes.grid(visible=False, axis="x")
    axes.set_xlabel(_text(chart.x))
    axes.set_ylabel("records")


def _forest(chart: Forest, axes: Any) -> None:
    if chart.reference is not None:
        axes.axvline(chart.reference, color="#5d687a", linewidth=0.8, linestyle="--")
    for place, row in enumerate(chart.rows):
        side = side_of_row(row, chart)
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [place, place], color=SIDES[side], linewidth=1)
        axes.plot([row.value], [place], MARKERS[side], color=SIDES[side], markersize=4)
    axes.set_yticks(range(len(chart.rows)), [_text(row.name, 30) for row in chart.rows])
    axes.set_ylim(len(chart.rows) - 0.5, -0.5)
    margin = (chart.ends[1] - chart.ends[0]) * 0.03
    axes.set_xlim(chart.ends[0] - margin, chart.ends[1] + margin)
    if chart.is_whole:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(_text(chart.x))


def _lines(chart: LineChart, axes: Any) -> None:
    place = 0
    for curve in chart.curves:
        points = tuple(zip(*curve.points, strict=True)) or ((), ())
        if curve.is_reference:
            axes.plot(*points, color="#5d687a", linewidth=0.8, linestyle="--")
        elif place < charts.MOST_LINES:
            style = "-" if place < len(COLOURS) else "--"
            mark = "." if len(curve.points) <= 25 else ""
            colour = COLOURS[place % len(COLOURS)]
            axes.plot(*points, style, marker=mark, color=colour, linewidth=1.2, label=_text(curve.name, 24))
            place += 1
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(_text(chart.x))
    axes.set_ylabel(_text(chart.y))
    if place > 1:
        # A name that begins with an underscore is left out of a legend that is made by itself.
        lines = [line for line in axes.get_lines() if line.get_linewidth() > 1]
        axes.legend(lines, [line.get_label() for line in lines])


def _matrix(chart: Matrix, axes: Any) -> None:
    shares = [[value / (sum(line) or 1) for value in line] for line in chart.cells]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(chart.columns)), [_text(name, 16) for name in chart.columns], rotation=55, ha="right")
    axes.set_yticks(range(len(chart.rows)), [_text(name, 16) for name in chart.rows])
    axes.grid(visible=False)
    if len(chart.rows) <= 12:
        for row, line in enumerate(chart.cells):
            for column, value in enumerate(line):
                told = f"{value:g}" if float(value).is_integer() else f"{value:.2f}"
                ink = "white" if shares[row][column] > 0.6 else "black"
                if value:
                    axes.text(column, row, told, ha="center", va="center", color=ink, fontsize=6)
    axes.set_xlabel(_text(chart.x))
    axes.set_ylabel(_text(chart.y))


def _changes(chart: charts.Changes, axes: Any) -> None:
    most = max((count for *_, count in chart.points), default=1)
    for side in SIDES:
        own = [one for one in chart.points if change_of(one[0], one[1], chart.better) == side]
        sizes = [6 + 60 * count / most for *_, count in own]
        places = [[one[end] for one in own] for end in (0, 1)]
        axes.scatter(*places, sizes, color=SIDES[side], marker=MARKERS[side], alpha=0.6, linewidths=0)
    axes.plot(chart.ends, chart.ends, color="#5d687a", linewidth=0.8, linestyle="--")
    axes.set_aspect("equal")
    axes.set_xlabel(_text(chart.x))
    axes.set_ylabel(_text(chart.y))


_DRAWERS: dict[type, tuple[Callable[[Any, Any], None], Callable[[Any], float]]] = {
    Histogram: (_histogram, lambda chart: 1.9),
    Forest: (_forest, lambda chart: 0.7 + 0.19 * len(chart.rows)),
    LineChart: (_lines, lambda chart: 2.6),
    Matrix: (_matrix, lambda chart: WIDTH),
    charts.Changes: (_changes, lambda chart: 3.2),
}
