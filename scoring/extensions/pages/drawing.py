"""Draw charts as SVG for pages: shapes with classes, which the page's style colours for light, dark and print.

No library is used, so a page needs none; every text that comes from data is escaped. Nothing here has an inline style,
which the policy of the page forbids.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scoring.extensions.pages import charts
from scoring.extensions.pages.charts import Chart, Forest, LineChart, MarkedPicture, Matrix
from scoring.extensions.pages.templates import escape_html, resource
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import Better

WIDTH = 440
"""Of every drawing but those of pictures, in units of which a letter is 11 high: as wide as a telephone shows."""
MOST_PIXELS = 560
"""The longer side of a picture as it is drawn."""


def draw_chart(chart: Chart) -> str:
    """Return a chart as an SVG element for a page, which a screen reader reads as one picture with its title."""
    width, height, inner = _DRAWERS[type(chart)](chart)
    title = escape_html(chart.title)
    head = f'<svg class="chart" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img"'
    return f"{head}><title>{title}</title>{''.join(inner)}</svg>"


def draw_file(chart: Chart) -> str:
    """Return a chart as an SVG file with its own style, in light colours on white."""
    drawn = draw_chart(chart).replace(
        "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" ', 1
    )
    head, end, rest = drawn.partition("</title>")
    style = resource("chart.css").partition("@media")[0].replace(".scoring ", "")
    known = dict(re.findall(r"(--\w+): ([^;]+);", style))
    # Programs other than browsers know no variables of CSS.
    style = re.sub(r"var\((--\w+)\)", lambda found: known[found[1]], re.sub(r"--\w+: [^;]+;\s*", "", style))
    return f'{head}{end}<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{rest}\n'


def _text(x: float, y: float, text: str, anchor: str = "start", look: str = "") -> str:
    look = f' class="{look}"' if look else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}>{escape_html(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{look}"/>'


def _short(text: str, most: int = 22) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from `low` to `high`, about `most` of them.

    Examples:
        >>> _ticks(0, 1), _ticks(-3, 12)
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5.0, 10.0])
    """
    width = (high - low) / most
    if not 0 < width < math.inf:
        return [low]
    unit = 10.0 ** math.floor(math.log10(width))
    step = next((unit * times for times in (1, 2, 5, 10) if unit * times >= width * (1 - 1e-9)), unit * 10)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) + 0.0 for place in range(first, min(last, first + 2 * most + 2) + 1)]


class _Axis:
    """A scale from values to places in a drawing."""

    def __init__(self, ends: tuple[float, float], start: float, end: float) -> None:
        self.low, self.high = ends
        self._start, self._size = start, end - start

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self._start + min(1.0, max(0.0, share)) * self._size


def _across(axis: _Axis, top: float, bottom: float, title: str, whole: bool = False) -> list[str]:
    """Return the horizontal axis of a chart with its grid, numbers and title."""
    marks = _ticks(axis.low, axis.high)
    marks = [mark for mark in marks if not whole or mark == int(mark)]
    found = [_line(axis(mark), top, axis(mark), bottom, "grid") for mark in marks]
    found += [_text(axis(mark), bottom + 14, f"{mark:g}", "middle", "dim") for mark in marks]
    return [*found, _text((axis(axis.low) + axis(axis.high)) / 2, bottom + 29, title, "middle")]


def _upright(x: float, middle: float, title: str) -> str:
    turned = f"translate({x:.1f} {middle:.1f}) rotate(-90)"
    return f'<text transform="{turned}" text-anchor="middle">{escape_html(title)}</text>'


# ---- histogram


def _histogram(chart: charts.Histogram) -> tuple[float, float, list[str]]:
    left, right, top, bottom = 48, WIDTH - 12, 10, 170
    across = _Axis((chart.edges[0], chart.edges[-1]), left, right)
    most = max(chart.counts) or 1
    up = _Axis((0.0, most * 1.08), bottom, top)
    found = [_line(left, up(mark), right, up(mark), "grid") for mark in _ticks(0, most, 4)]
    found += [_text(left - 6, up(mark) + 4, f"{mark:g}", "end", "dim") for mark in _ticks(0, most, 4)]
    for low, high, count in zip(chart.edges[:-1], chart.edges[1:], chart.counts, strict=True):
        if count:
            x, y = across(low) + 0.5, min(up(count), bottom - 1)
            look = shade_of((low + high) / 2, across.low, across.high, chart.better)
            found.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(across(high) - x - 0.5, 1):.1f}" '
                f'height="{bottom - y:.1f}" class="{look}"><title>{low:g} … {high:g}: {count}</title></rect>'
            )
    found.append(_line(left, bottom, right, bottom, "axis"))
    words = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(str(chart.better), "")
    return (
        WIDTH,
        bottom + 36,
        [*found, *_across(across, bottom, bottom, f"{chart.x}{words}"), _upright(12, 90, "records")],
    )


def shade_of(value: float, low: float, high: float, better: Better) -> str:
    """Return the class of a bar's colour, from ``s0`` for the worst values to ``s4`` for the best; ``s`` if unknown.

    Examples:
        >>> (
        ...     shade_of(0.9, 0, 1, "higher"),
        ...     shade_of(0.9, 0, 1, "lower"),
        ...     shade_of(0.9, 0, 1, 1.0),
        ...     shade_of(0.9, 0, 1, None),
        ... )
        ('s4', 's0', 's4', 's')
    """
    if better is None:
        return "s"
    share = (value - low) / (high - low)
    if better == "lower":
        share = 1 - share
    elif better != "higher":
        share = 1 - abs(value - better) / max(abs(high - better), abs(low - better), 1e-300)
    return f"s{min(4, max(0, int(share * 5)))}"


# ---- forest


def _forest(chart: Forest) -> tuple[float, float, list[str]]:
    left, right, top, step = 142, WIDTH - 62, 8, 22
    bottom = top + step * len(chart.rows) + 4
    across = _Axis(chart.ends, left, right)
    found = _across(across, top, bottom, chart.x, chart.is_whole)
    if chart.reference is not None:
        found.append(_line(across(chart.reference), top, across(chart.reference), bottom, "reference"))
    for place, row in enumerate(chart.rows):
        y = top + step * place + step / 2 + 2
        look = side_of_row(row, chart)
        found.append(_text(left - 8, y + 4, _short(row.name), "end"))
        if row.low is not None and row.high is not None:
            ends = across(row.low), across(row.high)
            found.append(_line(ends[0], y, ends[1], y, f"whisker {look}"))
            found += [_line(end, y - 4, end, y + 4, f"whisker {look}") for end in ends]
        found.append(_point(across(row.value), y, look))
        found.append(_text(WIDTH - 4, y + 4, f"{row.value:g}" if chart.is_whole else f"{row.value:.4f}", "end"))
    return WIDTH, bottom + 36, found


def side_of_row(row: charts.ForestRow, chart: Forest) -> str:
    """Return whether a row's interval lies wholly on the better or the worse side of the reference: the class ``good``
    or ``bad``, else ``same``.

    Examples:
        >>> chart = Forest("", "", (), (0, 1), "lower", 0.5)
        >>> (
        ...     side_of_row(charts.ForestRow("", 0.2, 0.1, 0.3), chart),
        ...     side_of_row(charts.ForestRow("", 0.4, 0.1, 0.6), chart),
        ... )
        ('good', 'same')
    """
    if chart.reference is None or row.low is None or row.high is None or chart.better not in ("higher", "lower"):
        return "same"
    if row.low <= chart.reference <= row.high:
        return "same"
    return "good" if (row.low > chart.reference) == (chart.better == "higher") else "bad"


def _point(x: float, y: float, look: str) -> str:
    """Return the mark of a figure, of a shape of its own for what is better and worse: colours alone tell not all."""
    if look == "same":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="mark same"/>'
    end, base = (y - 5.5, y + 4) if look == "good" else (y + 5.5, y - 4)
    return f'<path d="M{x:.1f} {end:.1f}L{x + 5:.1f} {base:.1f}H{x - 5:.1f}Z" class="mark {look}"/>'


# ---- lines


def _lines(chart: LineChart) -> tuple[float, float, list[str]]:
    left, right, top, bottom = 48, WIDTH - 12, 10, 290
    across, up = _Axis((0.0, 1.0), left, right), _Axis((0.0, 1.0), bottom, top)
    found = [_line(left, up(mark), right, up(mark), "grid") for mark in _ticks(0, 1)]
    found += [_text(left - 6, up(mark) + 4, f"{mark:g}", "end", "dim") for mark in _ticks(0, 1)]
    found += [*_across(across, top, bottom, chart.x), _upright(12, (top + bottom) / 2, chart.y)]
    drawn = [one for one in chart.curves if not one.is_reference]
    shown = [*(one for one in chart.curves if one.is_reference), *drawn[: charts.MOST_LINES]]
    place = 0
    for curve in shown:
        look = "reference" if curve.is_reference else f"curve c{place % 8}{' dashed' if place >= 8 else ''}"
        points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in curve.points)
        found.append(f'<polyline points="{points}" class="{look}"/>')
        if not curve.is_reference:
            if len(curve.points) <= 25:
                found += [
                    f'<circle cx="{across(a):.1f}" cy="{up(b):.1f}" r="2.5" class="dot c{place % 8}"/>'
                    for a, b in curve.points
                ]
            x, y = left + (place % 2) * 190, bottom + 48 + (place // 2) * 17
            found += [_line(x, y - 4, x + 22, y - 4, look), _text(x + 28, y, _short(curve.name, 24))]
            place += 1
    if len(drawn) > charts.MOST_LINES:
        found.append(_text(left, bottom + 48 + (place // 2) * 17, f"and {len(drawn) - charts.MOST_LINES} more"))
        place += 2
    return WIDTH, bottom + 40 + ((place + 1) // 2) * 17, found


# ---- matrix


def _matrix(chart: Matrix) -> tuple[float, float, list[str]]:
    count = max(len(chart.columns), 1)
    size = min(44.0, (WIDTH - 120) / count)
    left, top = 112.0, 36 + 5.2 * min(14, max(map(len, chart.columns), default=0))
    found = [_text(8, 14, f"{chart.y} ↓   {chart.x} →", "start", "dim")]
    wanted = max(1, math.ceil(11 / size))  # every label, or every second or third where they would overlap
    for place, name in enumerate(chart.rows[::wanted]):
        found.append(_text(left - 6, top + size * place * wanted + size / 2 + 4, _short(name, 16), "end"))
    for place, name in enumerate(chart.columns[::wanted]):
        x = left + size * place * wanted + size / 2
        turned = f'transform="translate({x + 4:.1f} {top - 6:.1f}) rotate(-55)"'
        found.append(f"<text {turned}>{escape_html(_short(name, 14))}</text>")
    for row, line in enumerate(chart.cells):
        total = math.fsum(line) or 1.0
        for column, value in enumerate(line):
            found.append(_cell(left + size * column, top + size * row, size, value, value / total))
    return max(WIDTH, left + size * count + 30), top + size * len(chart.rows) + 12, found


def _cell(x: float, y: float, size: float, value: float, share: float) -> str:
    share = min(1.0, max(0.0, share))
    box = f'x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"'
    found = f'<rect {box} class="cell" fill-opacity="{0.04 + 0.96 * share:.2f}"/>'
    text = f"{value:g}" if float(value).is_integer() else f"{value:.2f}"
    if not value or size < 24 or len(text) * 6.2 > size:
        return found
    return found + _text(x + size / 2, y + size / 2 + 4, text, "middle", "over" if share > 0.5 else "")


# ---- changes


def _changes(chart: charts.Changes) -> tuple[float, float, list[str]]:
    left, right, top, bottom = 58, 58 + 300, 10, 310
    across, up = _Axis(chart.ends, left, right), _Axis(chart.ends, bottom, top)
    marks = _ticks(*chart.ends)
    found = [_line(left, up(mark), right, up(mark), "grid") for mark in marks]
    found += [_text(left - 6, up(mark) + 4, f"{mark:g}", "end", "dim") for mark in marks]
    found += [*_across(across, top, bottom, chart.x), _upright(12, (top + bottom) / 2, chart.y)]
    found.append(_line(left, bottom, right, top, "reference"))
    most = max((count for *_, count in chart.points), default=1)
    for before, after, count in sorted(chart.points, key=lambda one: -one[2]):
        look = change_of(before, after, chart.better)
        radius = 3 + 9 * math.sqrt(count / most)
        told = f"{before:g} → {after:g}: {count}"
        found.append(
            f'<circle cx="{across(before):.1f}" cy="{up(after):.1f}" r="{radius:.1f}" class="bubble {look}">'
            f"<title>{told}</title></circle>"
        )
    return WIDTH, bottom + 36, found


def change_of(before: float, after: float, better: Better) -> str:
    """Return the class of a change of a score: ``good``, ``bad`` or ``same``.

    Examples:
        >>> change_of(0.0, 1.0, "higher"), change_of(0.0, 1.0, "lower"), change_of(0.0, 0.2, 0.5), change_of(1, 1, None)
        ('good', 'bad', 'good', 'same')
    """
    if before == after or better is None:
        return "same"
    if better == "higher" or better == "lower":
        return "good" if (after > before) == (better == "higher") else "bad"
    nearer = abs(before - better) - abs(after - better)
    return "good" if nearer > 0 else "bad" if nearer < 0 else "same"


# ---- pictures

_PATH = lazy_pattern(r"[MLHhvVzZ0-9.e+\- ]*")
_ADDRESS = lazy_pattern(r"(data:image/jpeg;base64,[A-Za-z0-9+/=]*)?")


def _plain(form: re.Pattern[str], text: str) -> str:
    """Return a text that is not escaped, as it has nothing to escape; raise a ValueError if it is not of this form."""
    if form.fullmatch(text) is None:
        raise ValueError(f"{text[:40]!r} is no part of a picture")
    return text


def _picture(chart: MarkedPicture) -> tuple[float, float, list[str]]:
    size = max(chart.width, chart.height, 1.0)
    scale = MOST_PIXELS / size
    width, height = chart.width * scale, chart.height * scale
    found = [f'<rect width="{width:.1f}" height="{height:.1f}" class="ground"/>']
    if chart.image:
        found.append(f'<image href="{_plain(_ADDRESS, chart.image)}" width="{width:.1f}" height="{height:.1f}"/>')
    for mark in sorted(chart.marks, key=lambda one: not one.is_area):
        side = "of-truth" if mark.is_truth else "of-answer"
        look = f"shape {side} {mark.became.replace(' ', '-')}{' area' if mark.is_area else ''}"
        told = f"{'ground truth' if mark.is_truth else 'prediction'} {mark.label}: {mark.became}"
        found.append(
            f'<g transform="scale({scale:.6g})"><path d="{_plain(_PATH, mark.path)}" class="{look}">'
            f"<title>{escape_html(told)}</title></path></g>"
        )
    for mark in (one for one in chart.marks if one.label):
        x, y = (place * scale for place in mark.at)
        found.append(_text(x + 2, max(y - 3 if mark.is_truth else y + 12, 10), _short(mark.label), "start", "tag"))
    return width, height, found


_Drawn = Callable[[Any], tuple[float, float, Iterable[str]]]
_DRAWERS: dict[type, _Drawn] = {
    charts.Histogram: _histogram,
    Forest: _forest,
    LineChart: _lines,
    Matrix: _matrix,
    charts.Changes: _changes,
    MarkedPicture: _picture,
}


def path_of_points(points: Sequence[tuple[float, float]]) -> str:
    """Return the path of a closed outline by its corners; only numbers stand in it.

    Examples:
        >>> path_of_points([(0, 0), (2.5, 0), (2.5, 1)])
        'M0 0L2.5 0L2.5 1Z'
    """
    return f"M{'L'.join(f'{x:g} {y:g}' for x, y in points)}Z" if points else ""
