"""Which values of a figure are better: as its metric declares, as arithmetic makes of it, or as the spec says."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.registry import registry

EQUAL: dict[str, Any] = {"kind": "task", "name": "t", "version": "1.0.0", "score": "equal"}


def better_of(metrics: list[Any], **more: Any) -> list[Any]:
    """Which values of some metrics are better, as the summary of a run says."""
    row = {"id": 1, "response": "1", "reference": "2", "w": 1, "page": "p"}
    run = scoring.evaluate({**EQUAL, **more, "metrics": metrics}, [row])
    return [figure.get("better", "higher") for figure in run.summary["metrics"]]


def test_every_metric_says_which_of_its_values_are_better() -> None:
    assert None not in {one.better for one in registry if one.kind == "metric"}
    distances = {one.name for one in registry if one.kind == "comparator" and one.better == "lower"}
    assert "absolute_error" in distances


@pytest.mark.parametrize(
    ("metric", "better"),
    [
        ("mean(score)", "higher"),
        ("1 - mean(score)", "lower"),
        ("-sum(score)", "lower"),
        ("100 * mean(score)", "higher"),
        ("exp(-mean(score))", "lower"),
        ("sum(score * record.w) / sum(record.w)", "higher"),
        ("mean(per(record.page, min(score)))", "higher"),
        ("mean(record.w)", None),
        ("mean(score) - mean(per(record.page, min(score)))", None),
        ("abs(mean(score) - 0.5)", None),
    ],
)
def test_a_formula_goes_the_way_of_its_arithmetic(metric: str, better: Any) -> None:
    assert better_of([{"own": metric}]) == [better]


@pytest.mark.parametrize(
    ("score", "better"),
    [
        ("number | absolute_error", "lower"),
        ("number | absolute_error | exp_decay(rate=1)", "higher"),
        ("number | absolute_error | invert", "higher"),
        ("equal", "higher"),
    ],
)
def test_a_mean_goes_the_way_of_the_scores(score: str, better: Any) -> None:
    assert better_of(["mean", {"own": "mean(score)"}, {"less": "-mean(score)"}], score=score) == [
        better,
        better,
        {"higher": "lower", "lower": "higher"}[better],
    ]


def test_the_spec_says_what_arithmetic_cannot_and_moves_no_meaning() -> None:
    metrics = [{"ratio": "mean(record.w)"}, "mean"]
    assert better_of(metrics, better={"ratio": 1.0}) == [1.0, "higher"]
    assert better_of(metrics, better={"mean": "lower"}) == [None, "lower"]
    plain = scoring.load({**EQUAL, "metrics": metrics})
    told = scoring.load({**EQUAL, "metrics": metrics, "better": {"ratio": "lower"}})
    assert plain.signature == told.signature
    with pytest.raises(scoring.SpecError, match="`better` names `rato`, and there is no such metric"):
        scoring.load({**EQUAL, "metrics": metrics, "better": {"rato": "lower"}})
    with pytest.raises(scoring.SpecError):
        scoring.load({**EQUAL, "metrics": metrics, "better": {"ratio": "less"}})
