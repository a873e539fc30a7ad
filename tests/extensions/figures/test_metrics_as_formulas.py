"""Columns of metrics have names, and values of the task are such columns."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from tests.unit.compiler.test_metrics_as_formulas import records, task


def test_a_call_in_the_form_of_data_keeps_its_meaning() -> None:
    given = records()
    for entry in ({"accuracy": {"threshold": 0.5}}, {"accuracy": [0.5]}, {"accuracy": 0.5}):
        run = scoring.evaluate(task(entry), given)
        assert list(run.metrics) == ["accuracy(threshold=0.5)"] or list(run.metrics) == ["accuracy(0.5)"]
    assert list(scoring.evaluate(task({"f1": "vote"}), given).metrics) == ['f1("vote")']


def test_columns_of_metrics_have_names() -> None:
    given = records()
    one = scoring.evaluate(task("f1(prediction=record.vote, reference=reference)"), given)
    other = scoring.evaluate(task('f1(prediction="vote", reference="reference")'), given)
    assert one.summary["metrics"][0]["value"] == other.summary["metrics"][0]["value"]
    assert one.signature.meaning == other.signature.meaning
    scores = scoring.evaluate(task("pearson(other=answer)", "pearson(other=score)"), given)
    assert list(scores.metrics.values()) == pytest.approx([1.0, 1.0])
    with pytest.raises(scoring.SpecError, match="there is no column `lettr`"):
        task("f1(prediction=lettr)")


def test_values_are_columns_of_formulas_and_of_metrics() -> None:
    given = [{"response": f"{'a ' * place}", "reference": "a a", "gold": place % 3} for place in range(6)]
    values = {"given": "prediction | words | length", "right": "reference | words | length", "unused": "prediction"}
    metrics: list[Any] = [
        {"ratio": "sum(given) / sum(right)"},
        {"error": "mae(prediction=given, reference=values.right)"},
    ]
    run = scoring.evaluate(task(*metrics, values=values), given, processes=2)
    assert run.metrics == {"ratio": 15 / 12, "error": (2 + 1 + 0 + 1 + 2 + 3) / 6}
    others = {**values, "given": "prediction | length"}
    meanings = {task(metric, values=held).signature.meaning for metric in metrics for held in (values, others)}
    assert len(meanings) == 4


def test_the_name_of_a_value_is_no_part_of_the_meaning() -> None:
    one = task("mae(prediction=given)", {"it": "sum(given)"}, values={"given": "prediction | words | length"})
    other = task("mae(prediction=mine)", {"it": "sum(mine)"}, values={"mine": "prediction | words | length"})
    assert one.signature.meaning == other.signature.meaning
