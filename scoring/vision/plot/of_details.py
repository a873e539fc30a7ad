"""Which plots the tables of a metric give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.vision.plot.svg import heat_map, line_chart


def plots_of(details: Mapping[str, Any]) -> dict[str, str]:
    """Plots by name: precision-recall curves and confusion matrices, wherever the tables hold them.

    Examples:
        >>> list(plots_of({"confusion_matrix": {"cat": {"cat": {"count": 3}}}}))
        ['confusion_matrix']
    """
    plots: dict[str, str] = {}
    curves = details.get("curves")
    if isinstance(curves, Mapping):
        plots["precision_recall"] = _interpolated(curves, details["iou_thresholds"][0])
    elif isinstance(curves, list):
        for curve in curves:
            plots[f"precision_recall_iou_{curve['iou_threshold']:g}"] = _over_scores(curve["labels"])
    elif "thresholds" in details and isinstance(details.get("labels"), Mapping):
        plots["precision_recall"] = _over_scores(details["labels"])
    if "confusion_matrix" in details:
        plots["confusion_matrix"] = _confusion(details)
    return plots


def _interpolated(curves: Mapping[str, Any], threshold: float) -> str:
    series = {}
    for name, curve in curves.items():
        values = curve["precision"][0]
        last = max(len(values) - 1, 1)
        series[name] = [(i / last, value) for i, value in enumerate(values)]
    return line_chart(series, title=f"Interpolated precision at IoU {threshold:g}", x="recall", y="precision")


def _over_scores(labels: Mapping[str, Any]) -> str:
    series = {
        name: [
            (recall, precision)
            for recall, precision in zip(columns["recall"], columns["precision"], strict=True)
            if recall is not None and precision is not None and recall >= 0 and precision >= 0
        ]
        for name, columns in labels.items()
    }
    return line_chart(series, title="Precision and recall over score thresholds", x="recall", y="precision")


def _confusion(details: Mapping[str, Any]) -> str:
    matrix = details["confusion_matrix"]
    missed = details.get("unmatched_ground_truths", {})
    invented = details.get("unmatched_predictions", {})
    names = list(dict.fromkeys([*matrix, *(name for cells in matrix.values() for name in cells), *missed, *invented]))
    rows = [[_number(matrix.get(a, {}).get(b)) for b in names] + [_number(missed.get(a))] for a in names]
    rows.append([_number(invented.get(b)) for b in names] + [0.0])
    return heat_map(
        [*names, "(nothing)"],
        [*names, "(nothing)"],
        rows,
        title="Confusion matrix",
        row="ground truth",
        column="prediction",
    )


def _number(cell: Any) -> float:
    if isinstance(cell, Mapping):
        return float(next((cell[key] for key in ("count", "iou", "ratio") if key in cell), 0.0))
    return float(cell or 0.0)
