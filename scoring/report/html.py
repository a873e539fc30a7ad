"""A self-contained HTML page of a run: no network, no foreign script, everything of the data escaped."""

from __future__ import annotations

import base64
import hashlib
import html
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from scoring.data.rows.report import KINDS
from scoring.data.strict_json import dumps, plain
from scoring.engine.runs.record_line import record_data
from scoring.report import numbers
from scoring.report.summary_text import interval, label
from scoring.report.visible import shorten, visible
from scoring.result import FieldResult, RecordResult

MAX_RECORDS = 500
_STATUSES = ("scored", "not_applicable", "unparsed", "unscored")


def html_report(summary: Mapping[str, Any], records: Sequence[RecordResult]) -> str:
    """The page.

    Args:
        summary: The summary of the run.
        records: The results; the lowest scores are shown, up to `MAX_RECORDS`.
    """
    style, script = _resource("page.css"), _resource("page.js")
    title = f"{summary['task']['name']} {summary['task']['version']}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="dim"><code>{escape(summary["signature"])}</code></p>',
        _cards(summary),
        _fields(summary["fields"]),
        *(_breakdown(name, groups) for name, groups in summary["by"].items()),
        _reasons(summary["reasons"]),
        _inputs(summary["inputs"]),
        _records(records),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            # The page may run its own script and nothing else, whatever the data holds.
            f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            f"style-src '{_hash(style)}'; script-src '{_hash(script)}'\">",
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *(part for part in body if part),
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def escape(value: object) -> str:
    """Text of the data as HTML text.

    Examples:
        >>> escape("<script>\\u202e")
        '&lt;script&gt;\\\\u202e'
    """
    return html.escape(visible(str(value)))


def _resource(name: str) -> str:
    return files("scoring.report").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _cards(summary: Mapping[str, Any]) -> str:
    cards = [
        _card(metric["metric"], numbers.score(metric["value"]), interval(metric), _bounds(metric))
        for metric in summary["metrics"]
    ]
    counts = summary["counts"]
    outcomes = " · ".join(f"{counts[status]} {status.replace('_', ' ')}" for status in _STATUSES if counts[status])
    cards.append(_card("coverage", numbers.percent(summary["coverage"]), f"{counts['records']} records", outcomes))
    return f'<div class="cards">{"".join(cards)}</div>'


def _card(name: str, value: str, *notes: str) -> str:
    shown = "".join(f'<div class="dim">{escape(note)}</div>' for note in notes if note)
    return f'<div class="card">{escape(name)}<b>{escape(value)}</b>{shown}</div>'


def _bounds(metric: Mapping[str, Any]) -> str:
    if not metric["bounds"]:
        return ""
    low, high = metric["bounds"]
    return f"{numbers.score(low)} … {numbers.score(high)} with unscored records at 0 … 1"


def _fields(fields: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            _text(field["field"]),
            _number("–" if field["weight"] is None else numbers.weight(field["weight"])),
            _number(numbers.score(field["mean"])),
            _bar(field["mean"]),
            *(_number(str(field[status] or "")) for status in _STATUSES),
        ]
        for field in fields
    ]
    return _section("Fields", ["field", "#weight", "#mean", "", *(f"#{status}" for status in _STATUSES)], rows)


def _breakdown(name: str, groups: Sequence[Mapping[str, Any]]) -> str:
    metrics = groups[0]["metrics"] if groups else []
    header = ["group", "#records", "#coverage", *(f"#{metric['metric']}" for metric in metrics), ""]
    rows = [
        [
            _text(label(group["group"])),
            _number(str(group["counts"]["records"])),
            _number(numbers.percent(group["coverage"])),
            *(_figure(metric) for metric in group["metrics"]),
            _bar(group["metrics"][0]["value"] if group["metrics"] else None),
        ]
        for group in groups
    ]
    return _section(f"By {name}", header, rows)


def _figure(metric: Mapping[str, Any]) -> str:
    """A figure with its interval below."""
    spread = f'<div class="dim">{escape(interval(metric))}</div>' if interval(metric) else ""
    return f'<td class="number">{escape(numbers.score(metric["value"]))}{spread}</td>'


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [_number(str(one["count"])), _text(one["status"].replace("_", " ")), _text(one["reason"])] for one in reasons
    ]
    return _section("Records without a score", ["#count", "outcome", "reason"], rows)


def _inputs(inputs: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        [_number(str(found["count"])), _text(KINDS[kind]), _text(", ".join(found["examples"]))]
        for kind, found in inputs.items()
    ]
    return _section("About the input", ["#count", "what", "examples"], rows)


def _records(records: Sequence[RecordResult]) -> str:
    lowest = sorted(records, key=lambda result: (_rank(result), str(result.id)))[:MAX_RECORDS]
    rows = [_record(result) for result in lowest]
    note = f'<span class="dim">{len(lowest)} of {len(records)} records</span>' if len(lowest) < len(records) else ""
    tools = f'<p><input id="filter" placeholder="filter records" aria-label="filter records"> {note}</p>'
    header = ["id", "#score", "outcome", "fields", "parsed"]
    return _section("Records, lowest scores first", header, rows, "records", tools)


def _rank(result: RecordResult) -> float:
    """Records without a score stand before all others."""
    value = result.score
    return value if isinstance(value, (int, float)) and math.isfinite(value) else -math.inf


def _record(result: RecordResult) -> list[str]:
    data = record_data("", result)
    outcome = data["status"].replace("_", " ") + (f": {data['reason']}" if "reason" in data else "")
    return [
        f'<td class="id">{escape(shorten(str(data["id"]), 80))}</td>',
        _number(numbers.score(plain(data["score"]))),
        _text(outcome, "text" if data["status"] == "scored" else "text bad"),
        f'<td class="text">{"".join(_compared(part) for part in result.fields.values())}</td>',
        f'<td class="text"><code>{escape(shorten(dumps(data["parsed"]), 300))}</code></td>',
    ]


def _compared(part: FieldResult) -> str:
    """A field's score; where it is not 1, also the two values that were compared."""
    score = numbers.score(plain(part.score))
    values = ""
    if part.score != 1 and (part.prediction is not None or part.reference is not None):
        pair = (shorten(dumps(value), 80) for value in (part.prediction, part.reference))
        values = f'<div class="dim"><code>{escape(" ≠ ".join(pair))}</code></div>'
    return f"<div>{escape(part.name)} <b>{escape(score)}</b>{values}</div>"


def _section(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], identifier: str = "", tools: str = ""
) -> str:
    lines = ["<tr>" + "".join(row) + "</tr>" for row in rows]
    if not lines:
        return ""
    heads = "".join(
        f'<th class="number">{escape(name[1:].replace("_", " "))}</th>'
        if name.startswith("#")
        else f"<th>{escape(name)}</th>"
        for name in header
    )
    mark = f' id="{identifier}"' if identifier else ""
    body = "\n".join(lines)
    table = f"<table{mark}><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    return f"<h2>{escape(title)}</h2>\n{tools}{table}"


def _text(value: object, kind: str = "text") -> str:
    return f'<td class="{kind}">{escape(value)}</td>'


def _number(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>'


def _bar(value: Any) -> str:
    share = min(1.0, max(0.0, value)) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0
    # A width attribute would need inline style, which the page's policy forbids; an SVG does not.
    return (
        f'<td class="bar"><svg class="bar" width="120" height="8" role="img" aria-label="{share:.0%}">'
        f'<rect width="{share * 120:.1f}" height="8" rx="3" fill="currentColor" opacity="0.6"/></svg></td>'
    )
