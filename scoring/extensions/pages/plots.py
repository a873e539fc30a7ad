"""Plot the tables of metrics as static SVG, without any library: line charts and heat maps.

Every text that comes from data is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

#: Colours that most kinds of colour vision can distinguish (Okabe and Ito), repeated with dashes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
LEFT, TOP, WIDTH, HEIGHT, SIDE = 60, 40, 420, 320, 190
#: More lines or cells than this can't be distinguished; the data is in the run folder.
MOST_LINES, MOST_CELLS = 16, 40


def plots_of(details: Mapping[str, Any]) -> dict[str, str]:
    """Return plots of the precision-recall curves and confusion matrices among a metric's details, as SVG by name.

    Examples:
        >>> list(plots_of({"confusion_matrix": {"cat": {"cat": {"count": 3}}}}))
        ['confusion_matrix']
    """
    plots: dict[str, str] = {}
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


def _interpolated(curves: Mapping[str, Any], threshold: float) -> str:
    series = {}
    for name, curve in curves.items():
        values = curve["precision"][0]
        last = max(len(values) - 1, 1)
        series[name] = [(i / last, value) for i, value in enumerate(values)]
    return line_chart(series, title=f"Interpolated precision at IoU {threshold:g}", x="recall", y="precision")


def _over_scores(labels: Mapping[str, Any]) -> str:
    series = {
        name: [
            (recall, precision)
            for recall, precision in zip(columns["recall"], columns["precision"], strict=True)
            if recall is not None and precision is not None and recall >= 0 and precision >= 0
        ]
        for name, columns in labels.items()
    }
    return line_chart(series, title="Precision and recall over score thresholds", x="recall", y="precision")


def _confusion(details: Mapping[str, Any]) -> str:
    matrix = details["confusion_matrix"]
    missed = details.get("unmatched_ground_truths", {})
    invented = details.get("unmatched_predictions", {})
    names = list(dict.fromkeys([*matrix, *(name for cells in matrix.values() for name in cells), *missed, *invented]))
    rows = [[_number(matrix.get(a, {}).get(b)) for b in names] + [_number(missed.get(a))] for a in names]
    rows.append([_number(invented.get(b)) for b in names] + [0.0])
    return _heat_map([*names, "(nothing)"], rows)


def _number(cell: Any) -> float:
    if isinstance(cell, Mapping):
        return float(next((cell[key] for key in ("count", "iou", "ratio") if key in cell), 0.0))
    return float(cell or 0.0)


def line_chart(series: Mapping[str, Sequence[tuple[float | None, float | None]]], *, title: str, x: str, y: str) -> str:
    """Return a chart of lines in the unit square as SVG, with a legend; points with an undefined value are left out.

    Examples:
        >>> line_chart({"<cat>": [(0, 1), (1, 0.5)]}, title="PR", x="recall", y="precision").count("&lt;cat&gt;")
        1
    """
    shown = list(series.items())[:MOST_LINES]
    body = [_frame(title, x, y)]
    for place, (name, points) in enumerate(shown):
        colour = COLOURS[place % len(COLOURS)]
        dash = "" if place < len(COLOURS) else ' stroke-dasharray="5 3"'
        kept = [(float(a), float(b)) for a, b in points if a is not None and b is not None]
        path = " ".join(f"{LEFT + a * WIDTH:.1f},{TOP + (1 - b) * HEIGHT:.1f}" for a, b in kept)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        top = TOP + 8 + 18 * place
        body.append(
            f'<line x1="{LEFT + WIDTH + 14}" x2="{LEFT + WIDTH + 36}" y1="{top}" y2="{top}" '
            f'stroke="{colour}" stroke-width="2"{dash}/>'
        )
        body.append(_text(LEFT + WIDTH + 42, top + 4, _short(name), "start"))
    if len(series) > len(shown):
        more = f"and {len(series) - len(shown)} more"
        body.append(_text(LEFT + WIDTH + 42, TOP + 12 + 18 * len(shown), more, "start"))
    return _document(LEFT + WIDTH + SIDE, TOP + HEIGHT + 60, body)


def _heat_map(names: Sequence[str], values: Sequence[Sequence[float]]) -> str:
    """Return a heat map as SVG: cells with their values, coloured by each value's share of the sum of its row."""
    names = names[:MOST_CELLS]
    size = 34 if len(names) <= 16 else 20
    left, top = 150, 150
    body = [_text(12, 20, "Confusion matrix", "start", 14)]
    body.append(_text(left, 40, "ground truth (rows) → prediction (columns)", "start"))
    for i, name in enumerate(names):
        body.append(_text(left - 6, top + size * i + size / 2 + 4, _short(name), "end"))
    for j, name in enumerate(names):
        across, down = left + size * j + size / 2, top - 6
        body.append(
            f'<text x="{across:.1f}" y="{down}" transform="rotate(-60 {across:.1f} {down})" '
            f'font-size="11">{escape(_short(name))}</text>'
        )
    for i, line in enumerate(values[: len(names)]):
        total = sum(line) or 1
        for j, value in enumerate(line[: len(names)]):
            body.append(_cell(left + size * j, top + size * i, size, value, value / total))
    # The titles must fit, too, even if there are few cells.
    return _document(max(left + size * len(names) + 30, 440), top + size * len(names) + 30, body)


def _cell(x: float, y: float, size: int, value: float, share: float) -> str:
    level = round(255 - 200 * max(0.0, min(1.0, share)))
    ink = "#ffffff" if share > 0.6 else "#202020"
    text = f"{value:g}" if float(value).is_integer() else f"{value:.2f}"
    box = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="rgb({level},{level},255)" stroke="#ffffff"/>'
    if not value or size < 30:
        return box
    return box + (
        f'<text x="{x + size / 2}" y="{y + size / 2 + 4}" text-anchor="middle" font-size="10" '
        f'fill="{ink}">{text}</text>'
    )


def _frame(title: str, x: str, y: str) -> str:
    parts = [_text(LEFT, 22, title, "start", 14)]
    for tick in range(6):
        share = tick / 5
        across, down = LEFT + share * WIDTH, TOP + (1 - share) * HEIGHT
        parts.append(f'<path d="M{LEFT} {down:.1f}h{WIDTH}M{across:.1f} {TOP}v{HEIGHT}" stroke="#dddddd"/>')
        parts.append(_text(LEFT - 8, down + 4, f"{share:g}", "end"))
        parts.append(_text(across, TOP + HEIGHT + 18, f"{share:g}", "middle"))
    parts.append(_text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, x, "middle"))
    middle = TOP + HEIGHT / 2
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" font-size="12" '
        f'transform="rotate(-90 16 {middle})">{escape(y)}</text>'
    )
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= 20 else name[:19] + "…"


def _document(width: float, height: float, body: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>'
        + "".join(body)
        + "</svg>\n"
    )
