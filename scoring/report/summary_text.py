"""The summary of a run as a terminal shows it: headline, coverage, bounds, fields, breakdowns, what was odd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.data.rows.report import KINDS
from scoring.diagnostics.words import counted
from scoring.report import numbers
from scoring.report.judge_text import judge_text
from scoring.report.style import Style
from scoring.report.table import table
from scoring.report.visible import shorten, visible

_MAX_GROUPS = 30
_MAX_METRICS = 4
_MAX_FIELDS = 40
_REASON_WIDTH = 90

Summary = Mapping[str, Any]


def summary_text(summary: Summary, style: Style) -> str:
    """The whole summary, section by section; empty sections are left out."""
    sections = [
        _title(summary, style),
        _headline(summary, style),
        _fields(summary, style),
        *_breakdowns(summary, style),
        _reasons(summary, style),
        _inputs(summary, style),
        judge_text(summary, style),
        style.dim(visible(str(summary["signature"]))),
    ]
    return "\n\n".join(section for section in sections if section)


def _title(summary: Summary, style: Style) -> str:
    task = summary["task"]
    name = f"{task['name']} {task['version']}".strip()
    return f"{style.bold(visible(name))}  {style.dim(counted(summary['counts']['records'], 'record'))}"


def _headline(summary: Summary, style: Style) -> str:
    rows = [
        [visible(metric["metric"]), numbers.score(metric["value"]), interval(metric), bounds(metric)]
        for metric in summary["metrics"]
    ]
    drawn = table([*rows, ["coverage", numbers.percent(summary["coverage"]), _outcomes(summary["counts"]), ""]])
    if not style.color:
        return drawn
    first, _, rest = drawn.partition("\n")
    return f"{style.bold(first)}\n{rest}"


def interval(metric: Mapping[str, Any]) -> str:
    """A metric's confidence interval.

    Examples:
        >>> interval({"interval": [0.4, 0.6], "level": 0.95})
        '95% [0.4000, 0.6000]'
        >>> interval({"interval": None})
        ''
    """
    if not metric.get("interval"):
        return ""
    low, high = metric["interval"]
    level = f"{metric['level'] * 100:g}% " if metric.get("level") else ""
    return f"{level}[{numbers.score(low)}, {numbers.score(high)}]"


def bounds(metric: Mapping[str, Any]) -> str:
    """What the metric would be if every record without a score counted 0, and 1; nothing where all have one."""
    if not metric.get("bounds"):
        return ""
    low, high = metric["bounds"]
    return f"{numbers.score(low)} … {numbers.score(high)} if records without a score counted 0 … 1"


def _outcomes(counts: Mapping[str, int]) -> str:
    parts = [f"{counts['scored']} scored"]
    for status in ("not_applicable", "unparsed", "unscored"):
        if counts[status]:
            parts.append(f"{counts[status]} {status.replace('_', ' ')}")
    by_policy = counts["with_score"] - counts["scored"]
    if by_policy:
        parts.append(f"{by_policy} of them counted by the spec's policy")
    if counts["not_parsed"] and counts["not_parsed"] != counts["unparsed"]:
        parts.append(f"{counts['not_parsed']} responses did not parse")
    if counts.get("pass_undecided"):
        parts.append(f"{counts['pass_undecided']} with `pass` undecided, left out of pass_rate")
    return " · ".join(parts)


def _fields(summary: Summary, style: Style) -> str:
    fields: Sequence[Mapping[str, Any]] = summary["fields"]
    if not fields:
        return ""
    rows = [
        [
            visible(shorten(field["field"], 40)),
            numbers.weight(field["weight"]) if field["weight"] is not None else "–",
            numbers.score(field["mean"]),
            *(_zero(field[key]) for key in _OUTCOMES),
        ]
        for field in fields[:_MAX_FIELDS]
    ]
    header = ["field", "weight", "mean", *(key.replace("_", " ") for key in _OUTCOMES)]
    drawn = _table(rows, header, style, left=(0,))
    return drawn + _more(len(fields), _MAX_FIELDS, style)


_OUTCOMES = ("scored", "not_applicable", "unparsed", "unscored")


def _zero(number: int) -> str:
    return str(number) if number else ""


def _table(rows: list[list[str]], header: list[str], style: Style, left: Sequence[int]) -> str:
    """A table of numbers without its empty columns; the columns in ``left`` hold text."""
    kept = [at for at in range(len(header)) if any(row[at] for row in rows)]
    right = [place for place, at in enumerate(kept) if at not in left]
    return table([[row[at] for at in kept] for row in rows], [header[at] for at in kept], right, style)


def _breakdowns(summary: Summary, style: Style) -> list[str]:
    return [_breakdown(name, groups, style) for name, groups in summary["by"].items()]


def _breakdown(name: str, groups: Sequence[Mapping[str, Any]], style: Style) -> str:
    rows = []
    for group in groups[:_MAX_GROUPS]:
        cells = []
        for metric in group["metrics"][:_MAX_METRICS]:
            cells += [numbers.score(metric["value"]), interval({**metric, "level": None})]
        rows.append(
            [
                visible(shorten(label(group["group"]), 40)),
                str(group["counts"]["records"]),
                numbers.percent(group["coverage"]),
                *cells,
            ]
        )
    level = next((metric["level"] for group in groups for metric in group["metrics"] if metric.get("level")), 0.95)
    share = f"{level * 100:g}%"
    names = [shorten(metric["metric"], 24) for metric in groups[0]["metrics"]] if groups else []
    titles = [cell for name in names[:_MAX_METRICS] for cell in (visible(name), share)]
    header = [f"by {visible(name)}", "records", "coverage", *titles]
    drawn = _table(rows, header, style, left=(0, *range(4, len(header), 2)))
    left_out = ", ".join(names[_MAX_METRICS:])
    more = "\n" + style.dim(visible(f"… and {left_out} with --json or in the run folder")) if left_out else ""
    return drawn + _more(len(groups), _MAX_GROUPS, style) + more


def label(group: Any) -> str:
    """A group's name as text.

    Examples:
        >>> label(None), label(True), label("de")
        ('(none)', 'true', 'de')
    """
    if group is None:
        return "(none)"
    if isinstance(group, bool):
        return str(group).lower()
    return str(group)


def _reasons(summary: Summary, style: Style) -> str:
    rows = [
        [f"{found['count']} ×", found["status"].replace("_", " "), visible(shorten(found["reason"], _REASON_WIDTH))]
        for found in summary["reasons"]
    ]
    return table(rows, ["", "without a score", "reason"], right=[0], style=style) if rows else ""


def _inputs(summary: Summary, style: Style) -> str:
    lines = []
    for kind, found in summary["inputs"].items():
        shown = ", ".join(visible(shorten(example, 100)) for example in found["examples"][:3])
        more = ", …" if found["count"] > 3 else ""
        lines.append(f"{style.warn('input')}: {found['count']} × {KINDS[kind]}: {shown}{more}")
    return "\n".join(lines)


def _more(total: int, shown: int, style: Style) -> str:
    return "\n" + style.dim(f"… and {total - shown} more in summary.json") if total > shown else ""
