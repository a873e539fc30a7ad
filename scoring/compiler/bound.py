"""A scorer that reads values of the row, for one row."""

from __future__ import annotations

from typing import Any

from scoring.compiler.row import RowValues


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
