"""The summary of a task over a data set of images or labelled data, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report import numbers
from scoring.report.style import Style
from scoring.report.table import table
from scoring.report.visible import shorten, visible

_MAX_FIGURES = 12
_MAX_WORST = 5
_WIDTH = 100

Part = Mapping[str, Any]


def vision_text(summary: Mapping[str, Any], style: Style) -> str:
    """The whole summary: metrics, breakdowns and worst items of each label key."""
    parts = [_title(summary, style)]
    for key, part in summary["keys"].items():
        if len(summary["keys"]) > 1:
            parts.append(style.bold(visible(key)))
        parts += _key(part, style)
    parts.append(style.dim(visible(str(summary["signature"]))))
    return "\n\n".join(part for part in parts if part)


def _title(summary: Mapping[str, Any], style: Style) -> str:
    name = f"{summary['task']['name']} {summary['task']['version']}".strip()
    sizes = [str(summary["records"])]
    sizes += [counted(summary["images"], "image")] if "images" in summary else []
    sizes += [str(summary["geometry"])] if "geometry" in summary else []
    return f"{style.bold(visible(name))}  {style.dim(' · '.join(sizes))}"


def _key(part: Part, style: Style) -> Iterator[str]:
    yield table(
        [
            [visible(metric["metric"]), numbers.score(metric["value"]), _figures(metric["details"])]
            for metric in part["metrics"]
        ]
    )
    for name, groups in part["by"].items():
        metrics = [visible(metric["metric"]) for metric in part["metrics"]]
        rows = [
            [shorten(visible(value), 40), *(numbers.score(metric["value"]) for metric in found)]
            for value, found in groups.items()
        ]
        right = range(1, len(metrics) + 1)
        yield table(rows, [f"by {visible(name)}", *metrics], right=list(right), style=style)
    yield _worst(part["worst"], style)


def _figures(details: Mapping[str, Any]) -> str:
    """The single figures among a metric's details; its tables stand in the summary file."""
    single = {name: value for name, value in details.items() if type(value) in (int, float)}
    return shorten(
        "  ".join(
            f"{visible(name)} {value if type(value) is int else numbers.score(value)}"
            for name, value in list(single.items())[:_MAX_FIGURES]
        ),
        _WIDTH,
    )


def _worst(worst: Sequence[Part], style: Style) -> str:
    rows = [
        [
            shorten(visible(str(item["id"])), 40),
            *(
                f"{visible(name)} {value if type(value) is int else shorten(visible(numbers.score(value)), 60)}"
                for name, value in item.items()
                if name != "id"
            ),
        ]
        for item in worst[:_MAX_WORST]
    ]
    width = max(map(len, rows), default=0)
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    return table(rows, ["lowest", *[""] * (width - 1)], style=style) if rows else ""
