"""The same answers under several scorers: means, how many differ, and the records that differ most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.report.document import Column, Document, Table

MAX_RECORDS = 10


def dialects_document(data: Mapping[str, Any], answers: Mapping[int, Any]) -> Document:
    """The means, and the records that differ most with their score under each scorer.

    Args:
        data: The comparison as plain data.
        answers: The answers of those records, by their place in ``data["records"]``.
    """
    names = [one["name"] for one in data["dialects"]]
    means = [[one["name"], one["doc"], one["mean"], one["differing"]] for one in data["dialects"]]
    columns = (Column("dialect"), Column(""), Column("mean", "number", bar=True), Column("differing", "count"))
    scores = [Column(name.rpartition(":")[2], "number") for name in names]
    rows = [
        [str(one["id"]), str(answers.get(place, "")), *(one["scores"][name] for name in names)]
        for place, one in enumerate(data["records"])
    ]
    records = Table(
        (Column("record", width=30), Column("answer", width=30), *scores),
        tuple(rows),
        "Records that differ",
        MAX_RECORDS,
    )
    blocks = (Table(columns, tuple(means)), *((records,) if rows else ()))
    return Document(blocks, "The same answers under several scorers")
