"""The documents about finished runs: comparison of two, verification of one, and bundles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from scoring.data.json_write import dumps
from scoring.diagnostics.words import counted
from scoring.engine.runs.folder import TEXTS
from scoring.report import numbers
from scoring.report.document import (
    Document,
    DocumentBlock,
    DocumentTable,
    Line,
    Look,
    Paragraph,
    Piece,
    TableColumn,
    join_lines,
)
from scoring.report.of.leaderboard import better_words, differing_tables, told_better
from scoring.report.of.summary import common_scale, rests_on, scale_of
from scoring.report.visible import shorten

if TYPE_CHECKING:
    from scoring.engine.runs.verification import Verification

LOOKS: Mapping[str, Look] = {"signed": "good", "unknown": "warn", "untrusted": "warn", "none": "dim", "broken": "bad"}
"""The look of the line about a signature, by the signature's state."""
MAX_FLIPS = 20
MAX_KEYS = 10


def comparison_document(data: Mapping[str, Any], flips: int = MAX_FLIPS) -> Document:
    """Return the document of a comparison of two runs: means, the difference with its test, and the changed records."""
    figures = data.get("figures") or [data]
    means = [
        [run["name"], *(row[key] for row in figures)]
        for run, key in zip(data["runs"], ("first", "second"), strict=True)
    ]
    ranges = data.get("ranges", {})
    scale, words, found = scale_of(ranges.get("score")), _words(data), data["flips"]
    columns = [TableColumn(row["metric"], "number", bar=row["metric"] == "mean", scale=scale) for row in figures]
    # The compared figures are already shown above.
    others = {name: [one for one in data.get(name, ()) if one["metric"] not in _named(figures)] for name in _OTHERS}
    blocks: list[DocumentBlock] = [
        DocumentTable((TableColumn("run"), *columns), tuple(means)),
        *_tests(figures),
        Paragraph(tuple(_verdict(data))),
        Paragraph((_counts(data),)),
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
    looks, told = _LOOKS[data["verdict"]]
    yield Piece(f"{told} ({words})" if words else told, looks)
    if spread and spread.get("note"):
        yield Piece(f"the interval: {spread['note']}", "dim")
    if data["better_is"] is None:
        why = f"nothing says which values of `{data['metric']}` are better"
        yield Piece(f"{why}: {told_better(data['metric'])}", "warn")


_OTHERS = ("groups", "formulas")
_LOOKS: Mapping[str, tuple[Look, str]] = {
    "better": ("good", "a real difference: the second is better"),
    "worse": ("bad", "a real difference: the second is worse"),
    "different": ("warn", "a real difference"),
    "same": ("dim", "no evidence of a difference"),
}


def _named(figures: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(one["metric"]) for one in figures}


def _tests(figures: Sequence[Mapping[str, Any]]) -> Iterator[DocumentTable]:
    """Yield the table of tests if runs are compared by several figures."""
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
    """Yield the table of further figures that both runs have, optionally with the groups and records each is based
    on."""
    cells: list[Any] = [(TableColumn("metric", width=40), "metric")]
    for side in ("first", "second"):
        cells.append((TableColumn(side, "number"), lambda one, side=side: one[side]["value"]))
        if rests:
            cells.append((TableColumn("rests on"), lambda one, side=side: rests_on(one[side], brief=True)))
    if figures:
        yield DocumentTable.of(figures, *cells, title=title)


def _words(data: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the words to use instead of "better" and "worse" if it is unknown which scores are better, or those near a
    target are; empty if higher or lower ones are better."""
    return {} if data.get("score_better", "higher") in ("higher", "lower") else {"better": "higher", "worse": "lower"}


def _by_stage(stage: str) -> str:
    return f"changed = {stage}"


def _by_field(field: str) -> str:
    return f"field = {field}"


def _fields(fields: Sequence[Mapping[str, Any]], ranges: Mapping[str, Any]) -> Iterator[DocumentTable]:
    """Yield the table of fields whose scores changed, unless the task has only one field."""
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
            (TableColumn("", choices=True), "kind"),
            (TableColumn("changed", choices=True), "stage"),
            (TableColumn("fields"), lambda flip: _changed(flip["fields"])),
            (TableColumn("", width=90), lambda flip: " → ".join(filter(None, flip.get("reasons") or ()))),
            title="Records that changed",
            brief=most,
            total=total,
            tags=tags,
            search=True,
        )


def _changed(fields: Mapping[str, Sequence[Any]]) -> str:
    parts = [
        f"{shorten(name, 30)} {_value(before)} → {_value(after)}" for name, (before, after) in list(fields.items())[:4]
    ]
    return ", ".join(parts) + (", …" if len(fields) > 4 else "")


def _value(value: Any) -> str:
    return numbers.format_score(value) if value is None or isinstance(value, (int, float)) else dumps(value)


class RunSignature(Protocol):
    """The result of checking a run's signature, as an extension provides it; its `str` is a line for people to read."""

    @property
    def state(self) -> str:
        """The state of the signature, one of the keys of `LOOKS`, such as ``signed``."""

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""


def verification_document(found: Verification, signed: RunSignature | None = None) -> Document:
    """Return the document of a verification: that everything is the same, or the differences; and who signed the
    run."""
    what = f"{found.total} records and every figure" if found.total else "every figure"
    lines: list[Line] = [Piece(f"verified: {what} came out again", "good")] if found.same else []
    if found.signature:
        lines += [(Piece("signature", "bad"), f"  {found.signature[0]}"), f"       now {found.signature[1]}"]
    if found.records:
        more = f" and {len(found.records) - MAX_KEYS} more" if len(found.records) > MAX_KEYS else ""
        keys = ", ".join(found.records[:MAX_KEYS])
        lines.append((Piece("records", "bad"), f"    {len(found.records)} of {found.total} differ: {keys}{more}"))
    lines += [(Piece("records", "bad"), "    the same ones, in another order")] if found.order else []
    for name, parts in (("summary", found.summary), ("manifest", found.manifest)):
        lines += [(Piece(name, "bad"), f"{'':{11 - len(name)}}these parts differ: {', '.join(parts)}")] if parts else []
    lines += [(Piece("manifest", "bad"), f"   {line}") for line in found.unknown]
    lines += [(Piece("folder", "bad"), f"     {line}") for line in found.files]
    lines += [Piece(f"version    {line}", "dim") for line in found.versions]
    lines += [Piece(str(signed), LOOKS[signed.state])] if signed is not None else []
    return Document((Paragraph(tuple(lines)),), "Verification")


def unverifiable_document(data: Mapping[str, Any]) -> Document:
    """Return the document for a run that can't be scored again: the files that are missing, and how to provide them."""
    lines: list[Line] = [
        *data["changed"],
        *((Piece("folder", "bad"), f"  {line}") for line in data.get("files", ())),
        Piece("without these files the run can't be scored again", "bad"),
    ]
    where = "their names are relative to the folder in which it was scored: run this there, or name it (--root FOLDER)"
    if not all(TEXTS in line for line in data["changed"]):  # that file only exists in the run's own folder
        lines += [Piece(where, "dim"), Piece("or give the files themselves: --data FILE, --references FILE", "dim")]
    signed = data.get("signed")
    lines += [Piece(signed["says"], LOOKS[signed["state"]])] if signed else []
    return Document((Paragraph(tuple(lines)),), "Verification")


def bundle_document(data: Mapping[str, Any]) -> Document:
    """Return the document about a bundle: its size, the inputs that were left out, and the command that verifies it."""
    what = counted(len(data["members"]), "file")
    lines: list[Line] = [f"{data['run']} in {data['bundle']}: {what}"]
    lines += [
        (Piece("left out", "warn"), f"  {one['name']} ({one['role']}), sha256 {one['sha256']}")
        for one in data["left_out"]
    ]
    options = " --data FILE" if data["left_out"] else ""
    lines.append(Piece(f"anyone can score it again: scoring verify {data['bundle']}{options}", "dim"))
    return Document((Paragraph(tuple(lines)),), "Bundle")
