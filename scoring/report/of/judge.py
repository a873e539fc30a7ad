"""How good a judge is, and what a cache of its calls holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.report import numbers
from scoring.report.document import Column, Document, Paragraph, Span, Table

MAX_THRESHOLDS = 11


def calibration_document(data: Mapping[str, Any]) -> Document:
    """The proposed threshold, how good it is, and those beside it."""
    left = f"; {data['without_score']} without a score left out" if data["without_score"] else ""
    found = {name: numbers.score(data[name]) for name in ("accuracy", "kappa", "f1", "roc_auc")}
    head = Paragraph(
        (
            Span(f"pass: score >= {data['pass_at']:.6g}", "bold"),
            f"accuracy {found['accuracy']} {numbers.interval(data['accuracy_interval'])} · kappa {found['kappa']} · "
            f"F1 {found['f1']} · ROC AUC {found['roc_auc']}",
            f"{data['records']} labelled records with a score, {data['positives']} of them passes{left}",
        )
    )
    names = ("accuracy", "kappa", "f1")
    columns = (
        Column("threshold", "weight"),
        *(Column(name, "number", bar=True) for name in names),
        Column("false passes", "count"),
        Column("false fails", "count"),
    )
    rows = [
        [row["at"], *(row[name] for name in names), row["false_passes"], row["false_fails"]]
        for row in _around(data["thresholds"], data["pass_at"])
    ]
    return Document((head, Table(columns, tuple(rows), "Thresholds")), f"Calibration by {data['labels']}")


def _around(rows: Sequence[Mapping[str, Any]], at: float) -> Sequence[Mapping[str, Any]]:
    """The thresholds next to the proposed one."""
    place = next(index for index, row in enumerate(rows) if row["at"] == at)
    start = max(0, min(place - MAX_THRESHOLDS // 2, len(rows) - MAX_THRESHOLDS))
    return rows[start : start + MAX_THRESHOLDS]


def agreement_document(data: Mapping[str, Any]) -> Document:
    """How far judges agree, all of them and each pair."""
    rated = f"passes from {data['pass_at']:g} on, {data['rated_by_all']} records rated by all {len(data['raters'])}"
    alpha, kappa = (numbers.score(data[name]) for name in ("krippendorff_alpha", "fleiss_kappa"))
    head = Paragraph(
        (
            (Span("Krippendorff alpha", "bold"), f"  {alpha}  scores of {data['records']} records"),
            (Span("Fleiss kappa", "bold"), f"        {kappa}  {rated}"),
        )
    )
    columns = (
        Column("raters"),
        Column("records", "count"),
        Column("same verdict", "number", bar=True),
        Column("Cohen kappa", "number", bar=True),
    )
    rows = [
        [" – ".join(pair["raters"]), pair["records"], pair["same_verdict"], pair["cohen_kappa"]]
        for pair in data["pairs"]
    ]
    return Document((head, Table(columns, tuple(rows), "Pairs of raters")), "Agreement of judges")


def cache_document(groups: Sequence[Mapping[str, Any]]) -> Document:
    """The calls in a judge's cache, by model and prompt."""
    columns = (
        Column("model", width=40),
        Column("prompt", width=12),
        *(Column(title, "count") for title in ("calls", "tokens read", "tokens written")),
        Column("first"),
        Column("last"),
    )
    keys = ("calls", "prompt_tokens", "completion_tokens")
    rows = [
        [one["model"], one["prompt"][:12], *(one[key] for key in keys), _day(one["first"]), _day(one["last"])]
        for one in groups
    ]
    return Document((Table(columns, tuple(rows)) if rows else Paragraph(("the cache is empty",)),), "Judge cache")


def _day(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
