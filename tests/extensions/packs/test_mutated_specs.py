"""A spec of another tool, whose mutations are checked with those of the core, is in order."""

from __future__ import annotations

from tests.property.test_mutated_specs import METRICS, findings


def test_the_original_is_in_order() -> None:
    assert findings(METRICS, "metrics.json") == ()
