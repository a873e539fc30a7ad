"""What is read from calls, tables and schemas has the type that it has."""

from __future__ import annotations

from typing import Any

import pytest

import scoring


@pytest.mark.parametrize(
    ("score", "prediction", "reference"),
    [
        ("matches_schema(schema={type=\"number\"})", True, 1),
        ("matches_schema(schema={type=\"number\"})", "1", 1),
        ("sides(prediction=function_calls | item_at(0) | value_at(\"arguments\")) | equal", "f(a='1')", {"a": 1}),
        ("sides(prediction=function_calls | item_at(0) | value_at(\"arguments\")) | equal", "f(a=True)", {"a": 1}),
        ("sides(prediction=html_table) | equal", "<table><tr><td>1</table>", [[1]]),
    ],
)  # fmt: skip
def test_nothing_of_a_structure_is_taken_for_what_it_only_looks_like(
    score: str, prediction: Any, reference: Any
) -> None:
    result = scoring.load({"kind": "task", "name": "t", "score": score}).score_parts(prediction, reference)
    assert result.status != "scored" or result.score == 0
