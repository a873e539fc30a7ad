"""A figure that a score moves either way has no bounds."""

from __future__ import annotations

from tests.unit.api.test_ranges import figures


def test_a_figure_that_a_score_moves_either_way_has_no_bounds() -> None:
    records = [{"id": n, "response": "a" if n % 2 else None, "reference": "a", "human": n} for n in range(6)]
    found = figures({"kind": "task", "name": "t", "score": "equal", "metrics": ['pearson(other="human")']}, records)
    (only,) = found.values()
    assert only["bounds"] is None
    assert "raise the figure or lower it" in only["bounds_reason"]
