"""What a judge is paid for is looked at before it is asked."""

from __future__ import annotations

import scoring
from scoring.engine.road.census import foreseen
from tests.unit.engine.road.test_census import batch_of, pairs, rows, task


def test_what_is_paid_for_is_looked_at_before_anybody_is_asked() -> None:
    compiled = scoring.load(task(score='judge_rating(criteria="Is it right?")'))
    assert compiled.asks_judge
    made = rows(pairs(lambda n: "Error: rate limit exceeded" if n < 8 else "a", lambda n: "a"))
    found = foreseen(compiled, batch_of(made)).to_json()
    assert {kind: one["count"] for kind, one in found.items()} == {"error_answers": 8}
