"""The document of a comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.data.json_write import dumps
from scoring.extensions.comparison.documents.leaderboard import advice_on_better, better_words, differing_tables
from scoring.report import numbers
from scoring.report.document import (
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Look,
    Paragraph,
    Piece,
    Plot,
    TableColumn,
    join_lines,
)
from scoring.report.of.summary import common_scale, rests_on, scale_of
from scoring.report.visible import shorten

MAX_FLIPS = 20


def comparison_document(data: Mapping[str, Any], flips: int = MAX_FLIPS, plots: tuple[Plot, ...] = ()) -> Document:
    """Return tables and sentences about a comparison of two runs: their means, the difference with its test, and the
    changed records.

    Args:
        data: The comparison, as `compare_runs` returns it.
        flips: The number of changed records to show where space is limited.
        plots: The plots of the comparison.
    """
    figures = data.get("figures") or [data]
    means = [
        [run["name"], *(row[key] for row in figures)]
        for run, key in zip(data["runs"], ("first", "second"), strict=True)
    ]
    ranges = data.get("ranges", {})
    scale, words, found = scale_of(ranges.get("score")), _words(data), data["flips"]
    columns = [TableColumn(row["metric"], "number", bar=row["metric"] == "mean", scale=scale) for row in figures]
    # The compared figures are already shown above.
    others = {
        name: [one for one in data.get(name, ()) if one["metric"] not in _metric_names(figures)] for name in _OTHERS
    }
    blocks: list[DocumentBlock] = [
        DocumentTable((TableColumn("run"), *columns), tuple(means)),
        *_tests(figures),
        Paragraph(tuple(_verdict(data))),
        Paragraph((_counts(data),)),
        *plots,
        *_of_both(others["groups"], "Figures of groups", rests=True),
        *_of_both(others["formulas"], "Figures of formulas"),
        *_fields(data["fields"], ranges.get("fields", {})),
        *_flips([{**flip, "kind": words.get(flip["kind"], flip["kind"])} for flip in found], data["flip_count"], flips),
        *differing_tables(data.get("differs", ()), [run["name"] for run in data["runs"]]),
    ]
    return Document(tuple(blocks), f"{data['runs'][0]['name']} and {data['runs'][1]['name']}")


def _verdict(data: Mapping[str, Any]) -> Iterator[Line]:
    if data["difference"] is None:
        yield Piece("no record has a score in both runs", "warn")
        return
    spread = data["interval"]
    ends = f"  {_ends(spread)}" if spread else ""
    test = f"  p = {data['p_value']:.4f}" if data["p_value"] is not None else ""
    corrected = [one["p_holm"] for one in data.get("metrics", ())]
    if len(corrected) > 1:
        test += f" (Holm over {len(corrected)} label keys: {data['p_holm']:.4f})" if data["p_holm"] is not None else ""
    effect = f"  effect {data['effect']:.2f}" if data["effect"] is not None else ""
    name = "" if data["metric"] == "mean" else f"of {data['metric']} "
    yield (f"difference {name}", Piece(numbers.signed(data["difference"]), "bold"), f"{ends}{test}{effect}")
    words = better_words(data["better_is"])
    looks, words_for = _LOOKS[data["verdict"]]
    yield Piece(f"{words_for} ({words})" if words else words_for, looks)
    if spread and spread.get("note"):
        yield Piece(f"the interval: {spread['note']}", "dim")
    if data["better_is"] is None:
        why = f"nothing says which values of `{data['metric']}` are better"
        yield Piece(f"{why}: {advice_on_better(data['metric'])}", "warn")


_OTHERS = ("groups", "formulas")
_LOOKS: Mapping[str, tuple[Look, str]] = {
    "better": ("good", "a real difference: the second is better"),
    "worse": ("bad", "a real difference: the second is worse"),
    "different": ("warn", "a real difference"),
    "same": ("dim", "no evidence of a difference"),
}


def _metric_names(figures: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(one["metric"]) for one in figures}


def _tests(figures: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable]:
    """Yield a table with a row for each figure by which two runs are compared, with its test; none for a single figure,
    which is described in sentences."""
    if len(figures) > 1:
        yield DocumentTable.of(
            figures,
            (TableColumn("metric", width=40), "metric"),
            (TableColumn("difference", "difference"), "difference"),
            (TableColumn("interval"), lambda one: _ends(one["interval"]) if one["interval"] else numbers.NOTHING),
            (TableColumn("p"), lambda one: numbers.format_score(one["p_value"])),
            (TableColumn("p (Holm)"), lambda one: numbers.format_score(one["p_holm"])),
            (TableColumn("the second is"), lambda one: Piece(one["verdict"], _LOOKS[one["verdict"]][0])),
            title="Each figure",
        )


def _ends(spread: Mapping[str, Any]) -> str:
    return f"{spread['confidence'] * 100:g}% [{', '.join(numbers.signed(spread[end]) for end in ('low', 'high'))}]"


def _counts(data: Mapping[str, Any]) -> Line:
    parts: list[Line] = [f"{data['records']} records in both"]
    words = _words(data)
    parts += [f"{data[key]} {words.get(key, key)}" for key in ("better", "worse", "equal")]
    for key, word in (("only_first", "only the first scores"), ("only_second", "only the second scores")):
        parts += [f"{data[key]} {word}"] if data[key] else []
    stages = [Piece(f"{stage} {count}", picks=_by_stage(stage)) for stage, count in data["stages"].items()]
    return join_lines(
        [*parts, join_lines([join_lines(["changed by", stages[0]], " "), *stages[1:]], ", ")] if stages else parts
    )


def _of_both(figures: Sequence[Mapping[str, Any]], title: str, *, rests: bool = False) -> Iterator[DocumentTable]:
    """Yield the table with the given figures of both runs, if there are any.

    Args:
        figures: Rows with the name of a figure, and its entries in the first and second run.
        title: The title of the table.
        rests: Whether to show from how many groups and records each value was computed.
    """
    cells: list[Any] = [(TableColumn("metric", width=40), "metric")]
    for side in ("first", "second"):
        cells.append((TableColumn(side, "number"), lambda one, side=side: one[side]["value"]))
        if rests:
            cells.append((TableColumn("rests on"), lambda one, side=side: rests_on(one[side], brief=True)))
    if figures:
        yield DocumentTable.of(figures, *cells, title=title)


def _words(data: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the words to show in place of "better" and "worse" for changed records: "higher" and "lower" if it is
    unknown which scores are better, or if those near a target are; else empty."""
    return {} if data.get("score_better", "higher") in ("higher", "lower") else {"better": "higher", "worse": "lower"}


def _by_stage(stage: str) -> str:
    return f"changed = {stage}"


def _by_field(field: str) -> str:
    return f"field = {field}"


def _fields(fields: Sequence[Mapping[str, Any]], ranges: Mapping[str, Any]) -> Iterator[DocumentTable]:
    """Yield the table of those fields (scored parts of an answer) whose scores changed, none if the task has only one
    field; `ranges` are the ranges of scores by field."""
    changed = [one for one in fields if one["changed"]]
    scale = common_scale([ranges.get(one["field"]) for one in changed])
    if changed and len(fields) > 1:
        yield DocumentTable.of(
            changed,
            (TableColumn("field", width=40), lambda one: Piece(one["field"], picks=_by_field(one["field"]))),
            (TableColumn("first", "number", bar=True, scale=scale), "first"),
            (TableColumn("second", "number", bar=True, scale=scale), "second"),
            (TableColumn("difference", "difference"), lambda one: one["second"] - one["first"]),
            (TableColumn("changed", "count"), "changed"),
            title="Fields that changed",
        )


def _flips(found: Sequence[Mapping[str, Any]], total: int, most: int) -> Iterator[DocumentTable]:
    tags = tuple(frozenset((_by_stage(flip["stage"]), *map(_by_field, flip["fields"]))) for flip in found)
    if found:
        yield DocumentTable.of(
            found,
            (TableColumn("record", width=40), "id"),
            (TableColumn("score", "change"), lambda flip: (flip["before"], flip["after"])),
            (TableColumn("", choices=True), lambda flip: Piece(flip["kind"], _KINDS.get(flip["kind"], "plain"))),
            (TableColumn("changed", choices=True), "stage"),
            (TableColumn("fields"), lambda flip: _changed(flip["fields"])),
            (TableColumn("", width=90), lambda flip: " → ".join(filter(None, flip.get("reasons") or ()))),
            title="Records that changed",
            brief=most,
            total=total,
            tags=tags,
            search=True,
        )


_KINDS: Mapping[str, Look] = {"better": "good", "worse": "bad"}


def _changed(fields: Mapping[str, Sequence[Any]]) -> str:
    parts = [
        f"{shorten(name, 30)} {_value(before)} → {_value(after)}" for name, (before, after) in list(fields.items())[:4]
    ]
    return ", ".join(parts) + (", …" if len(fields) > 4 else "")


def _value(value: Any) -> str:
    return numbers.format_score(value) if value is None or isinstance(value, (int, float)) else dumps(value)
