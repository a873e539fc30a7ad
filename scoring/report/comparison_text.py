"""A comparison of two runs as a terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.data.strict_json import dumps
from scoring.report import numbers
from scoring.report.style import Style
from scoring.report.table import table
from scoring.report.visible import shorten, visible

_FLIPS = 20


def comparison_text(data: Mapping[str, Any], style: Style, flips: int = _FLIPS) -> str:
    """The means, the difference with its interval and test, and the records that changed most."""
    first, second = data["runs"]
    sections = [
        table(
            [
                [visible(first["name"]), numbers.score(data["first"])],
                [visible(second["name"]), numbers.score(data["second"])],
            ],
            ["run", "mean"],
            [1],
            style,
        ),
        _verdict(data, style),
        _counts(data),
        _by_field(data["fields"], style),
        _flips(data["flips"], data["flip_count"], flips, style),
    ]
    return "\n\n".join(section for section in sections if section)


def _verdict(data: Mapping[str, Any], style: Style) -> str:
    if data["difference"] is None:
        return style.warn("no record has a score in both runs")
    spread = data["interval"]
    shown = f"{spread['confidence'] * 100:g}% [{signed(spread['low'])}, {signed(spread['high'])}]" if spread else ""
    word = "a real difference" if data["significant"] else "no evidence of a difference"
    effect = f"  effect {data['effect']:.2f}" if data["effect"] is not None else ""
    test = f"  p = {data['p_value']:.4f}" if data["p_value"] is not None else ""
    line = f"difference {style.bold(signed(data['difference']))}  {shown}{test}{effect}"
    return f"{line}\n{style.good(word) if data['significant'] else style.dim(word)}"


def _counts(data: Mapping[str, Any]) -> str:
    parts = [
        f"{data['records']} records in both",
        f"{data['better']} better",
        f"{data['worse']} worse",
        f"{data['equal']} equal",
    ]
    for key, word in (("only_first", "only the first scores"), ("only_second", "only the second scores")):
        if data[key]:
            parts.append(f"{data[key]} {word}")
    if data["stages"]:
        parts.append("changed by " + ", ".join(f"{stage} {count}" for stage, count in data["stages"].items()))
    return " · ".join(parts)


def _by_field(fields: Sequence[Mapping[str, Any]], style: Style) -> str:
    """The fields whose scores changed; a task with one field has nothing to add to its means."""
    rows = [
        [
            visible(shorten(field["field"], 40)),
            numbers.score(field["first"]),
            numbers.score(field["second"]),
            signed(field["second"] - field["first"]),
            str(field["changed"]),
        ]
        for field in fields
        if field["changed"]
    ]
    header = ["field", "first", "second", "difference", "changed"]
    return table(rows, header, [1, 2, 3, 4], style) if rows and len(fields) > 1 else ""


def _flips(found: Sequence[Mapping[str, Any]], total: int, most: int, style: Style) -> str:
    if not found or not most:
        return ""
    rows = [
        [
            visible(shorten(str(flip["id"]), 40)),
            f"{numbers.score(flip['before'])} → {numbers.score(flip['after'])}",
            flip["kind"],
            flip["stage"],
            _fields(flip["fields"]),
            _reasons(flip.get("reasons")),
        ]
        for flip in found[:most]
    ]
    drawn = table(rows, ["record", "score", "", "changed", "fields", ""], style=style)
    more = total - len(rows)
    return drawn + ("\n" + style.dim(f"… and {more} more") if more else "")


def _fields(changed: Mapping[str, Sequence[Any]]) -> str:
    parts = [
        f"{visible(shorten(name, 30))} {_value(before)} → {_value(after)}"
        for name, (before, after) in list(changed.items())[:4]
    ]
    return ", ".join(parts) + (", …" if len(changed) > 4 else "")


def _reasons(reasons: Sequence[str | None] | None) -> str:
    known = [reason for reason in reasons or () if reason]
    return visible(shorten(" → ".join(known), 90))


def _value(value: Any) -> str:
    return numbers.score(value) if value is None or isinstance(value, (int, float)) else dumps(value)


def signed(value: float) -> str:
    """A difference with its sign.

    Examples:
        >>> signed(0.5), signed(-0.25)
        ('+0.5000', '-0.2500')
    """
    return f"{value:+.4f}"
