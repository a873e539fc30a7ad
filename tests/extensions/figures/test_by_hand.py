"""Figures of labels and of samples that were worked out by hand."""

from __future__ import annotations

import pytest

from tests.unit.api.test_figures_by_hand import answered, metrics_of


def test_a_sample_passes_from_the_threshold_on() -> None:
    # Levenshtein: 0.75, 0.5, 0.0 of one question, 0.75, 0.25, 0.25 of another.
    texts = {0.75: "abcx", 0.5: "abxx", 0.25: "axxx", 0.0: "xxxx"}
    given = [("p", score) for score in (0.75, 0.5, 0.0)] + [("q", score) for score in (0.75, 0.25, 0.25)]
    records = [
        {"id": place, "question": name, "response": texts[score], "reference": "abcd"}
        for place, (name, score) in enumerate(given)
    ]
    at = "pass_at_k(k=2, question='question', threshold=%s)"
    found = metrics_of(records, *(at % share for share in (0.5, 0.75, 0.76)), score="levenshtein")
    # Two of three samples: one misses both hits of two never, the one hit of three in one pair of three.
    assert [metric["value"] for metric in found] == pytest.approx([(1 + 2 / 3) / 2, 2 / 3, 0])


@pytest.mark.parametrize("n", [14, 15, 21, 46])
@pytest.mark.parametrize("hit", [False, True])
def test_the_interval_of_none_and_of_all_reaches_the_end(n: int, hit: bool) -> None:
    (found,) = metrics_of(answered(*[hit] * n), 'f1(average="micro")')
    assert found["interval"][hit] == float(hit)
