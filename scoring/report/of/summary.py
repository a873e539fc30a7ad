"""The document of a run's summary: headline, coverage, bounds, fields, breakdowns, oddities of the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scoring.data.rows.report import KINDS
from scoring.diagnostics.words import counted, counted_reasons
from scoring.ranges import ScoreRange
from scoring.report import document as doc
from scoring.report import numbers
from scoring.report.document import DocumentTable, Piece, TableColumn
from scoring.report.render import drawer_of
from scoring.report.visible import shorten

MAX_GROUPS = 30
MAX_METRICS = 4
MAX_FIELDS = 40
MAX_NOTES = 10
ELSEWHERE = "in summary.json"
OUTCOMES = ("scored", "not_applicable", "unparsed", "unscored")

Summary = Mapping[str, Any]
Groups = Sequence[Mapping[str, Any]]


def summary_document(summary: Summary, task_tags: Sequence[frozenset[str]] = ()) -> doc.Document:
    """Return the document of a summary, with what extensions draw of it, and the signature as its last block.

    Args:
        summary: The summary as plain data.
        task_tags: The tags by which each task is selected on a page, for runs of several tasks.
    """
    blocks = next(filter(None, (drawer_of("run", name) for name in summary)), _of_records)
    return doc.Document((*blocks(summary, task_tags), signature(summary)))


def tag(name: str, label: str) -> str:
    """Return the tag that selects the records in the group `label` of the breakdown `name`, as on a page."""
    return f"{name} = {label}"


def _of_records(summary: Summary, task_tags: Sequence[frozenset[str]]) -> Iterator[doc.DocumentBlock]:
    """Yield the blocks of a run over records."""
    sizes = [str(summary["records"])] if "records" in summary else []
    sizes += [counted(summary["counts"]["records"], "record")] if "records" in summary.get("counts", {}) else []
    return summary_blocks(summary, sizes, map(headline_of, summary.get("metrics", ())), breakdowns(summary))


def summary_blocks(
    summary: Summary, sizes: Sequence[str], figures: Iterable[doc.Headline], tables: Iterable[DocumentTable]
) -> Iterator[doc.DocumentBlock]:
    """Yield the blocks of any run's summary, except its records and its signature.

    Args:
        summary: The summary as plain data.
        sizes: How much was scored, as texts for the title.
        figures: The figures of the headline without the coverage.
        tables: The tables of groups.
    """
    yield doc.Title(f"{summary['task']['name']} {summary['task']['version']}".strip(), " · ".join(sizes))
    yield from _headline(summary, figures)
    yield from _details(summary.get("metrics", ()))
    yield from _fields(summary.get("fields", ()), summary.get("ranges", {}))
    yield from tables
    yield from _reasons(summary.get("reasons", ()))
    yield from _inputs(summary.get("inputs", {}))
    yield from _of_extensions(summary)
    yield from _notes(summary.get("fields", ()))


def signature(data: Mapping[str, Any]) -> doc.Paragraph:
    """Return the signature in a summary, which names all that can affect a score, as a paragraph of lines."""
    lines = [
        *str(data["signature"]).split("\n"),
        *(f"{part}: {data[part]}" for part in ("meaning", "env") if part in data),
    ]
    return doc.Paragraph(tuple(Piece(line, "dim") for line in lines))


def _headline(summary: Summary, figures: Iterable[doc.Headline]) -> Iterator[doc.Headlines]:
    found = [*figures]
    if "coverage" in summary:
        found.append(doc.Headline("coverage", summary["coverage"], "share", (_outcomes(summary["counts"]), "")))
    if found:
        yield doc.Headlines(tuple(found))


def headline_of(metric: Mapping[str, Any], word: str = "records", left_out: str = "") -> doc.Headline:
    """Return the headline figure of a metric, given as in a summary, with its interval, bounds and other notes.

    `word` is the plural noun for what is scored; `left_out` says what the figure leaves out, by default what
    `not_counted` says.
    """
    what = shorten(f"= {metric['formula']}", 100) if metric.get("formula") else ""
    left_out = left_out or not_counted(metric, word)
    notes = [
        _interval(metric) or metric.get("reason", ""),
        " · ".join(filter(None, (what, _bounds(metric, word), rests_on(metric), left_out, metric.get("note")))),
    ]
    scale, better = scale_of(metric.get("range")), metric.get("better", "higher")
    return doc.Headline(metric["metric"], metric["value"], notes=tuple(notes), scale=scale, better=better)


def scale_of(ends: Sequence[float | None] | None) -> doc.BarScale:
    """Return the ends of a figure's bar, given its range as plain data; from 0 to 1 if that is None.

    Examples:
        >>> scale_of([0.0, 3.0]), scale_of(None)
        ((0.0, 3.0), (0.0, 1.0))
    """
    return (ends[0], ends[1]) if ends else (0.0, 1.0)


def common_scale(ranges: Sequence[Sequence[float | None] | None]) -> doc.BarScale:
    """Return a common scale for several figures, so that their bars can be compared.

    Examples:
        >>> common_scale([None, [0.5, 3.0]]), common_scale([[0.0, None], None])
        ((0.0, 3.0), (0.0, None))
    """
    lows, highs = zip(*map(scale_of, ranges), strict=True) if ranges else ((0.0,), (1.0,))
    return (None if None in lows else min(lows), None if None in highs else max(highs))


def rests_on(metric: Mapping[str, Any], *, brief: bool = False) -> str:
    """Return a text on the groups and records that a metric's figure over groups is based on, "" for other figures.

    Examples:
        >>> rests_on({"details": {"groups": 3, "left_out": 2, "samples": 4}})
        'from 1 of 3 groups, 4 records; the others have too few records'
        >>> rests_on({"details": {"groups": 3, "left_out": 2, "samples": 4}}, brief=True)
        '1 of 3 groups, 4 records'
    """
    details = metric.get("details") or {}
    if "samples" not in details:
        return ""
    groups, left, lacking = (details.get(name, 0) for name in ("groups", "left_out", "without_group"))
    used = f"{groups - left} of {counted(groups, 'group')}" if left else counted(groups, "group")
    lines = [f"{used}, {counted(details['samples'], 'record')}"]
    if brief:
        return lines[0]
    lines += ["the others have too few records"] if 0 < left < groups else []
    lines += [f"{counted(without, 'group')} without a value"] if (without := details.get("without_value", 0)) else []
    lines += [f"{counted(lacking, 'record')} in no group"] if lacking else []
    return f"from {'; '.join(lines)}"


def not_counted(metric: Mapping[str, Any], word: str = "records") -> str:
    """Return a text on the records that a metric's figure leaves out as they have no value for it, "" without any.

    Records without a score are only mentioned for formulas, since the line about coverage counts them for all other
    figures; a figure over no record at all has a reason instead.

    Examples:
        >>> not_counted({"details": {"not_counted": 3, "why_not": {"no right label": 2, "no score": 1}}})
        '2 records do not count: no right label (2)'
    """
    details = metric.get("details") or {}
    why = details.get("why_not", {})
    if not metric.get("formula"):
        why = {reason: count for reason, count in why.items() if reason != "no score"}
    if not why or not metric.get("units", 1):
        return ""
    count = sum(why.values())
    return f"{counted(count, word[:-1])} {'does' if count == 1 else 'do'} not count: {counted_reasons(why)}"


def _details(metrics: Sequence[Mapping[str, Any]]) -> Iterator[doc.DocumentBlock]:
    """Yield the blocks in which plug-ins show the details of metrics; equal details are shown only once."""
    shown: list[Any] = []
    for metric in metrics:
        for name, detail in metric.get("details", {}).items():
            if detail and detail not in shown and (drawn := drawer_of("metric", name)):
                shown.append(detail)
                yield from drawn(metric["metric"], detail)


def _interval(metric: Mapping[str, Any]) -> str:
    ends, method = metric.get("interval"), metric.get("method") or ""
    return f"{numbers.format_interval((*ends, metric.get('level')))} {method}".rstrip() if ends else ""


def _bounds(metric: Mapping[str, Any], word: str = "records") -> str:
    """Return a text with a metric's bounds, its values if all missing scores were the least or the greatest possible;
    or the reason why there are no bounds, or "" without a reason. `word` is the plural noun for what is scored."""
    if not metric.get("bounds"):
        why = metric.get("bounds_reason")
        return f"no bounds for {word} without a score: {why}" if why else ""
    low, high = metric["bounds"]
    counted_as = " … ".join(f"{end:g}" for end in ScoreRange.of_json(metric.get("scores")).ends)
    return f"{numbers.format_score(low)} … {numbers.format_score(high)} if {word} without a score counted {counted_as}"


def _outcomes(counts: Mapping[str, int]) -> str:
    parts = [f"{counts['scored']} scored"] if "scored" in counts else []
    parts += [f"{counts[status]} {status.replace('_', ' ')}" for status in OUTCOMES[1:] if counts.get(status)]
    by_policy = counts.get("with_score", 0) - counts.get("scored", 0)
    not_parsed = counts.get("not_parsed") if counts.get("not_parsed") != counts.get("unparsed") else 0
    remarks = (
        (by_policy > 0, f"{by_policy} of them counted by the spec's policy"),
        (not_parsed, f"{not_parsed} responses did not parse"),
        (counts.get("pass_undecided"), f"{counts.get('pass_undecided')} with `pass` undecided, left out of pass_rate"),
        (lacking := counts.get("records_without_score", 0), f"{counted(lacking, 'record')} without a score"),
    )
    return " · ".join([*parts, *(text for count, text in remarks if count)])


def _fields(fields: Sequence[Mapping[str, Any]], ranges: Mapping[str, Any]) -> Iterator[DocumentTable]:
    columns = ((TableColumn("field", width=40), "field"), (TableColumn("weight", "weight"), "weight"))
    counts = (
        (TableColumn(status.replace("_", " "), "count"), lambda entry, status=status: entry[status] or None)
        for status in OUTCOMES
    )
    scale = common_scale([ranges.get("fields", {}).get(entry["field"]) for entry in fields])
    mean = (TableColumn("mean", "number", bar=True, scale=scale), "mean")
    if fields:
        table = DocumentTable.of(fields, *columns, mean, *counts, title="Fields", brief=MAX_FIELDS, rest=ELSEWHERE)
        yield table.without_empty()


def breakdowns(summary: Summary, sizes: Sequence[str] = ("records",)) -> Iterator[DocumentTable]:
    """Yield the table of each breakdown in a summary; `sizes` are the counts of a group that have columns."""
    for name, groups in summary.get("by", {}).items():
        yield breakdown_table(f"by {name}", f"By {name}", groups, name, sizes)


def breakdown_table(
    head: str, title: str, groups: Groups, name: str, sizes: Sequence[str] = ("records",)
) -> DocumentTable:
    """Return the table of the counts and metrics of a breakdown's groups; `head` is the title of their column, and
    `sizes` are the counts that have columns."""
    metrics = groups[0]["metrics"] if groups else []
    sizes = [key for key in sizes if any(key in group.get("counts", {}) for group in groups)]
    of_records = sizes == ["records"]
    most = MAX_METRICS if of_records else len(metrics)
    covered = any("coverage" in group for group in groups)
    levels = [one["level"] for group in groups for one in group["metrics"] if one.get("level")]
    level = f"{(levels or [0.95])[0] * 100:g}%"
    cells: list[Any] = [
        (TableColumn(head, width=40), lambda one: Piece(label(one["group"]), picks=tag(name, label(one["group"])))),
        *((TableColumn(key, "count"), lambda one, key=key: one["counts"][key]) for key in sizes),
        *([(TableColumn("coverage", "share"), "coverage")] if covered else []),
    ]
    for place, metric in enumerate(metrics):
        column = [one["metrics"][place] for one in groups]
        scale, aside = common_scale([one.get("range") for one in column]), place >= most
        better, width = metric.get("better", "higher"), 24 if of_records else 0
        figure = TableColumn(metric["metric"], "number", width, True, scale, aside, better=better)
        cells += [
            (figure, lambda one, place=place: one["metrics"][place]["value"]),
            (
                TableColumn(level, "interval", aside=not of_records or aside),
                lambda one, place=place: one["metrics"][place].get("interval"),
            ),
            (
                TableColumn("rests on", aside=aside),
                lambda one, place=place: rests_on(one["metrics"][place], brief=True),
            ),
        ]
    columns = "with --json or in the run folder"
    table = DocumentTable.of(groups, *cells, title=title, brief=MAX_GROUPS, rest=ELSEWHERE, rest_columns=columns)
    return table.without_empty()


def label(group: Any) -> str:
    """Return the value that names a group as text, "(none)" for None.

    Examples:
        >>> label(None), label(True), label("de")
        ('(none)', 'true', 'de')
    """
    if group is None:
        return "(none)"
    return str(group).lower() if isinstance(group, bool) else str(group)


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable]:
    """Yield the table of reasons why records were not scored, also of those with a score by policy."""
    columns = (TableColumn("", "times"), TableColumn("not scored"), TableColumn("reason", width=160))
    rows = [[one["count"], one["status"].replace("_", " "), one["reason"]] for one in reasons]
    if rows:
        yield DocumentTable(columns, tuple(rows), "Records that were not scored")


def _inputs(inputs: Mapping[str, Mapping[str, Any]]) -> Iterator[doc.Paragraph]:
    lines: list[doc.Line] = [(Piece("input", "warn"), f": {line}") for line in input_lines(inputs)]
    if lines:
        yield doc.Paragraph(tuple(lines))


def input_lines(inputs: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line of text for each kind of oddity of the input in a summary.

    Examples:
        >>> list(input_lines({"bad_rows": {"count": 2, "examples": ["line 1", "line 7"]}}))
        ['2 × unreadable row, unscored: line 1, line 7']
    """
    for kind, found in inputs.items():
        shown = ", ".join(shorten(example, 160) for example in found["examples"][:3])
        more = ", …" if len(found["examples"]) > 3 else ""
        yield f"{found['count']} × {KINDS[kind]}: {shown}{more}"


def _of_extensions(summary: Summary) -> Iterator[doc.DocumentBlock]:
    for name in summary:
        if drawn := drawer_of("summary", name):
            yield from drawn(summary)


def _notes(fields: Sequence[Mapping[str, Any]]) -> Iterator[doc.Paragraph]:
    """Yield a paragraph with the counts of the notes that steps of fields left about records, if there are any."""
    lines: list[str] = []
    for field in fields:
        for name, counts in field.get("notes", {}).items():
            entries = [f"{shorten(value, 60)} {count}" for value, count in counts.items()]
            more = " · …" if len(entries) > MAX_NOTES else ""
            lines.append(f"{field['field']}: {name} {' · '.join(entries[:MAX_NOTES])}{more}")
    if lines:
        yield doc.Paragraph(tuple(Piece(line, "dim") for line in lines))
