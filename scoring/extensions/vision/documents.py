"""A printable explanation of one image: its ground truths and predictions, which were matched, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.data.json_write import dumps
from scoring.report import numbers
from scoring.report.document import (
    ColumnKind,
    Document,
    DocumentBlock,
    DocumentTable,
    Headline,
    Headlines,
    Paragraph,
    Piece,
    Section,
    TableColumn,
    Title,
)
from scoring.report.visible import shorten

_KINDS: Mapping[str, ColumnKind] = {"score": "number", "overlap": "number", "iou": "number"}
_WIDTH = 40


def image_document(story: Mapping[str, Any]) -> Document:
    """Return the document that prints what `explain_image` returns (`story`), with tables under each label key."""
    attributes = "  ".join(f"{name} {dumps(value)}" for name, value in story["attributes"].items() if name != "id")
    blocks: list[DocumentBlock] = [
        Title(f"image {story['id']}", f"{story['records']} · score {numbers.format_score(story['score'])}")
    ]
    blocks += [Paragraph((Piece(shorten(attributes, 200), "dim"),))] if attributes else []
    for key, part in story["keys"].items():
        parts = tuple(_key(part))
        blocks += (Section(str(key), parts),) if len(story["keys"]) > 1 else parts
    return Document(tuple(blocks), f"{story['task']}: one image")


def _key(part: Mapping[str, Any]) -> Iterator[DocumentBlock]:
    figures = (Headline(text, value) for text, value in part["metrics"].items())
    yield Headlines(tuple(figures))
    if "groundtruth" in part:
        yield Paragraph((f"ground truth {part['groundtruth']}",))
    if "iou_threshold" in part:
        thresholds = f"pairs reach an overlap of {part['iou_threshold']:g} and a score of {part['score_threshold']:g}"
        yield Paragraph((Piece(thresholds, "dim"),))
    for name, title in (
        ("groundtruths", "Ground truths"),
        ("detections", "Detections"),
        ("scores", "Scores"),
        ("pixels", "Pixels"),
    ):
        yield from _table(part.get(name, ()), title)
    yield from _table([{"label": name, **row} for name, row in part.get("labels", {}).items()], "Labels")


def _table(rows: Sequence[Mapping[str, Any]], title: str) -> Iterator[DocumentTable]:
    if not rows:
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = tuple(TableColumn(name.replace("_", " "), _KINDS.get(name, "text"), _WIDTH) for name in names)
    cells = tuple([_cell(row.get(name), name) for name in names] for row in rows)
    yield DocumentTable(columns, cells, title)


def _cell(value: Any, name: str) -> Any:
    if name in _KINDS or value is None:
        return value
    if isinstance(value, float):
        return numbers.format_score(value)
    return value if isinstance(value, str) else dumps(value)
