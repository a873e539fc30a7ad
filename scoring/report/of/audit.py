"""What an audit of a metric found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.data.strict_json import dumps
from scoring.report.document import Document, DocumentBlock, DocumentTable, Line, Paragraph, Piece, TableColumn
from scoring.report.visible import clipped, shorten

MAX_BROKEN = 3
_WIDTH = 60
# What a broken law means, in the words of the reader.
_MEANING = {
    "reference": "the reference itself does not score 1",
    "empty": "an empty answer scores",
    "typos": "an answer with more typos scores higher",
    "case": "letters in the other case are scored otherwise",
    "whitespace": "more space is scored otherwise",
    "order": "another order of a list is scored otherwise",
    "keys": "another order of keys is scored otherwise",
    "numbers": "3 and 3.0 are scored otherwise",
    "swapped": "answer and reference may not change places",
    "others": "the answers to other images pass for right",
    "twice": "images that are listed twice change the figure",
}


def audit_document(data: Mapping[str, Any]) -> Document:
    """A table of what holds, then the answers for which a law that must hold does not."""
    laws = [law["law"] for law in data["scorers"][0]["laws"]]
    must = data["must_hold"]
    rows = [[found["scorer"], *(_cell(found["scorer"], law) for law in found["laws"])] for found in data["scorers"]]
    blocks: list[DocumentBlock] = [DocumentTable((TableColumn("scorer"), *map(TableColumn, laws)), tuple(rows))]
    blocks += _broken(data)
    blocks += [Paragraph((Piece("every law that must hold does", "good"),))] if data["passed"] else []
    note = f"must hold: {', '.join(must)}; the others say what a scorer overlooks"
    note += ", `swapped` whether answer and reference may change places" if "swapped" in laws else ""
    return Document((*blocks, Paragraph((Piece(note, "dim"),)), *_overlooked(data)), "Audit")


def _cell(scorer: str, law: Mapping[str, Any]) -> Line:
    if law["holds"] is None:
        return "–"
    if law["holds"]:
        return "yes"
    return Piece(f"no, {len(law['broken'])} of {law['tried']}", picks=_tag(scorer, law["law"]))


def _tag(scorer: str, law: str) -> str:
    return f"{scorer}, {law}"


def _broken(data: Mapping[str, Any]) -> Iterator[Paragraph]:
    """The laws that must hold and do not, each with its first answers."""
    for found in data["scorers"]:
        for law in found["laws"]:
            if law["holds"] is False and law["law"] in data["must_hold"]:
                head = (Piece(found["scorer"], "bad"), f"  {_MEANING[law['law']]}")
                yield Paragraph((head, *_examples(law["broken"])))


def _examples(broken: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    for one in broken[:MAX_BROKEN]:
        answer, reference = (shorten(dumps(one[side]), _WIDTH) for side in ("answer", "reference"))
        told = answer if one["reference"] is None else f"{answer} for {reference}"
        yield f"  {told} gives {shorten(one['found'], 120)}"
    if len(broken) > MAX_BROKEN:
        yield f"  … and {len(broken) - MAX_BROKEN} more"


def _overlooked(data: Mapping[str, Any]) -> Iterator[DocumentTable]:
    """Every answer for which a law does not hold, for a page."""
    held = [
        {**one, "scorer": found["scorer"], "law": law["law"]}
        for found in data["scorers"]
        for law in found["laws"]
        for one in law["broken"]
    ]
    tags = tuple(frozenset((_tag(one["scorer"], one["law"]),)) for one in held)
    if held:
        yield DocumentTable.of(
            held,
            (TableColumn("scorer", choices=True), "scorer"),
            (TableColumn("law", choices=True), "law"),
            (TableColumn("answer"), lambda one: Piece(clipped(dumps(one["answer"]), 300), "code")),
            (TableColumn("reference"), lambda one: Piece(clipped(dumps(one["reference"]), 300), "code")),
            (TableColumn("gives"), "found"),
            title="Answers for which a law does not hold",
            brief=0,
            tags=tags,
            search=True,
        )
