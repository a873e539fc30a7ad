"""Programs as functions: a scorer for one row, and an aggregator with its rescorers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.compiler.program import Program
from scoring.compiler.row import RowValues
from scoring.registry.annotations import FieldScores
from scoring.result import Unscored


class BoundScorer:
    """A scorer that reads values of the row, for one row.

    Args:
        runner: The scorer.
        row: The row.
    """

    __slots__ = ("_row", "_runner", "text")

    def __init__(self, runner: Any, row: RowValues) -> None:
        self._runner = runner
        self._row = row
        self.text = runner.text

    def __call__(self, prediction: Any, reference: Any, /) -> Any:
        return self._runner.run(prediction, reference, self._row)

    def over(self, left: list[Any], right: list[Any]) -> Any:
        """As of the scorer itself."""
        return self._runner.over(left, right, self._row)


def aggregator(program: Program) -> Callable[[FieldScores], Any]:
    """An aggregator and its rescorers as one function of scores and weights."""
    node = program.join
    assert node is not None
    function, settings = node.primitive.function, dict(node.static)
    then = [(step.primitive.function, dict(step.static)) for step in program.rescorers]

    def run(fields: FieldScores) -> Any:
        score = function(fields, **settings)
        if then and score != score:
            raise Unscored("the aggregate is no number (NaN), which nothing can be made of")
        for step, arguments in then:
            score = step(score, **arguments)
        return score

    return run
