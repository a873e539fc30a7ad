"""Of which metrics of all extensions lower values are better."""

from __future__ import annotations

from scoring.registry import registry


def test_of_these_metrics_lower_values_are_better() -> None:
    told = {one.name: one.better for one in registry if one.kind == "metric"}
    lower = {name for name, better in told.items() if better == "lower"}
    assert lower == {"brier", "corpus_ter", "ece", "mae", "rmse"}
    distances = {one.name for one in registry if one.kind == "comparator" and one.better == "lower"}
    assert "ter" in distances
