"""Printable documents about a judge's quality, the calls in a cache, and what the judge of a run was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.diagnostics.words import counted
from scoring.report import numbers
from scoring.report.document import Document, DocumentTable, Paragraph, Piece, TableColumn

MAX_THRESHOLDS = 11


def judge_paragraph(summary: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield a line with the model, replies, tokens and cost of the judge of a run; nothing if the summary has no judge.

    Examples:
        >>> used = {"model": "m", "replies": 1, "prompt_tokens": 40, "completion_tokens": 2, "cost": 0}
        >>> [line.text for paragraph in judge_paragraph({"judge": used}) for line in paragraph.lines]
        ['judge: m · 1 reply · 40 tokens read · 2 written']
    """
    judge = summary["judge"]
    parts = [f"judge: {judge['model']}", counted(judge["replies"], "reply", "replies")]
    parts += [f"{counted(judge['prompt_tokens'], 'token')} read", f"{judge['completion_tokens']} written"]
    parts += [f"cost {judge['cost']:g}"] if judge["cost"] else []
    yield Paragraph((Piece(" · ".join(parts), "dim"),))


def calibration_document(data: Mapping[str, Any]) -> Document:
    """Return a document that shows the result of `calibration`: the proposed threshold, its quality, and neighbouring
    thresholds.
    """
    left = f"; {data['without_score']} without a score left out" if data["without_score"] else ""
    found = {name: numbers.format_score(data[name]) for name in ("accuracy", "kappa", "f1", "roc_auc")}
    head = Paragraph(
        (
            Piece(f"pass: score >= {data['pass_at']:.6g}", "bold"),
            f"accuracy {found['accuracy']} {numbers.format_interval(data['accuracy_interval'])} · "
            f"kappa {found['kappa']} · F1 {found['f1']} · ROC AUC {found['roc_auc']}",
            f"{data['records']} labelled records with a score, {data['positives']} of them passes{left}",
        )
    )
    cells = [(TableColumn(name, "number", bar=True), name) for name in ("accuracy", "kappa", "f1")]
    table = DocumentTable.of(
        _around(data["thresholds"], data["pass_at"]),
        (TableColumn("threshold", "weight"), "at"),
        *cells,
        (TableColumn("false passes", "count"), "false_passes"),
        (TableColumn("false fails", "count"), "false_fails"),
        title="Thresholds",
    )
    return Document((head, table), f"Calibration by {data['labels']}")


def _around(rows: Sequence[Mapping[str, Any]], at: float) -> Sequence[Mapping[str, Any]]:
    """Return the rows of the thresholds nearest to `at`, the proposed one, `MAX_THRESHOLDS` at most."""
    place = next(index for index, row in enumerate(rows) if row["at"] == at)
    start = max(0, min(place - MAX_THRESHOLDS // 2, len(rows) - MAX_THRESHOLDS))
    return rows[start : start + MAX_THRESHOLDS]


def agreement_document(data: Mapping[str, Any]) -> Document:
    """Return a document that shows the result of `measure_agreement`: the agreement of all raters, and of each pair."""
    rated = f"passes from {data['pass_at']:g} on, {data['rated_by_all']} records rated by all {len(data['raters'])}"
    alpha, kappa = (numbers.format_score(data[name]) for name in ("krippendorff_alpha", "fleiss_kappa"))
    head = Paragraph(
        (
            (Piece("Krippendorff alpha", "bold"), f"  {alpha}  scores of {data['records']} records"),
            (Piece("Fleiss kappa", "bold"), f"        {kappa}  {rated}"),
        )
    )
    table = DocumentTable.of(
        data["pairs"],
        (TableColumn("raters"), lambda pair: " – ".join(pair["raters"])),
        (TableColumn("records", "count"), "records"),
        (TableColumn("same verdict", "number", bar=True), "same_verdict"),
        (TableColumn("Cohen kappa", "number", bar=True), "cohen_kappa"),
        title="Pairs of raters",
    )
    return Document((head, table), "Agreement of judges")


def cache_document(groups: Sequence[Mapping[str, Any]]) -> Document:
    """Return a document that lists the calls in a judge's cache, in groups by model and prompt."""
    table = DocumentTable.of(
        groups,
        (TableColumn("model", width=40), "model"),
        (TableColumn("prompt"), lambda one: one["prompt"][:12]),
        (TableColumn("calls", "count"), "calls"),
        (TableColumn("tokens read", "count"), "prompt_tokens"),
        (TableColumn("tokens written", "count"), "completion_tokens"),
        (TableColumn("first"), lambda one: _day(one["first"])),
        (TableColumn("last"), lambda one: _day(one["last"])),
    )
    return Document((table if groups else Paragraph(("the cache is empty",)),), "Judge cache")


def _day(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
