"""The document that compares several scorers on the same answers: their means, and the records that differ most."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.report.document import Document, DocumentTable, TableColumn

MAX_RECORDS = 10


def dialects_document(data: Mapping[str, Any], answers: Mapping[int, Any]) -> Document:
    """Return the document of a comparison of scorers: the mean of each, and the records that differ most, with all
    scores.

    Args:
        data: The comparison as plain data, as `dialects_data` returns it.
        answers: The answers of those records, by their index in ``data["records"]``.
    """
    means = DocumentTable.of(
        data["dialects"],
        (TableColumn("dialect"), "name"),
        (TableColumn(), "doc"),
        (TableColumn("mean", "number", bar=True), "mean"),
        (TableColumn("differing", "count"), "differing"),
    )
    names = [one["name"] for one in data["dialects"]]
    scores = (TableColumn(name.rpartition(":")[2], "number") for name in names)
    rows = tuple(
        [one["id"], str(answers.get(place, "")), *(one["scores"][name] for name in names)]
        for place, one in enumerate(data["records"])
    )
    columns = (TableColumn("record", width=30), TableColumn("answer", width=30), *scores)
    records = DocumentTable(columns, rows, "Records that differ", MAX_RECORDS)
    return Document((means, records), "The same answers under several scorers")
