"""Results keep computed values."""

from __future__ import annotations

import scoring


def test_results_have_values() -> None:
    spec = {"kind": "task", "name": "t", "values": {"n": "prediction | length"}, "score": "sides(reference=n) | equal"}
    one = scoring.load(spec)
    for found in (one.score({"response": "ab", "reference": "c"}), one.score_batch([{"response": "ab"}])[0]):
        assert found.values == {"n": 2}
        assert found.to_json()["values"] == {"n": 2}
