"""CIDEr-D against what the released code gave, and how it is merged."""

from __future__ import annotations

from typing import Any

import pytest

import scoring
from scoring.extensions.generation.metrics import cider, cider_scores
from scoring.statistics.rows import Rows

# What `pycocoevalcap.cider.cider.Cider().compute_score` (pycocoevalcap 1.2) gave for these.
CAPTIONS: list[tuple[str, list[str], float]] = [
    (
        "a man rides a horse",
        ["a man riding a horse on the beach", "a person on a horse", "a man rides a brown horse"],
        3.210702685647868,
    ),
    ("two dogs play", ["two dogs playing in the snow", "dogs play"], 2.774485524770692),
    ("a cat", ["a black cat sleeps on a sofa"], 0.8798258361612588),
    ("", ["a red bus on a street"], 0.0),
    ("a red bus on a street", ["a red bus on a street", "a bus"], 5.558530914914357),
    ("a a a a", ["a man and a dog"], 0.14344031460944076),
    ("un chien — 日本", ["un chien", "a dog 日本"], 2.0359239591764604),
]


def test_each_record_has_the_released_score() -> None:
    found = cider_scores([(text, others) for text, others, _ in CAPTIONS], 4, 6.0)
    assert found == pytest.approx([score for _, _, score in CAPTIONS], abs=1e-12)


def test_a_word_counts_by_the_references_of_all_parts() -> None:
    def rows(part: slice) -> Rows:
        texts, others, _ = zip(*CAPTIONS[part], strict=True)
        return Rows.of_scores([1.0] * len(texts), response=[*texts], reference=[*others])

    whole = cider(rows(slice(None)))
    parts = cider(rows(slice(3, None))).merge(cider(rows(slice(0, 3))))
    assert whole.value() == parts.value()
    assert whole.value() == pytest.approx(sum(score for _, _, score in CAPTIONS) / len(CAPTIONS))
    again = cider(Rows.of_scores([])).unpack(whole.pack())
    assert again.value() == whole.value()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_has_it_with_an_interval(processes: int) -> None:
    records: list[dict[str, Any]] = [
        {"id": str(place), "response": text, "reference": others}
        for place, (text, others, _) in enumerate(CAPTIONS * 3)
    ]
    spec = {"kind": "task", "name": "captions", "score": "rouge", "metrics": ["cider"]}
    run = scoring.evaluate(scoring.load(spec), records, processes=processes, batch_size=4)
    (figure,) = run.summary["metrics"]
    low, high = figure["interval"]
    assert low <= figure["value"] <= high
    assert (
        figure["value"] == run.metrics["cider"] == scoring.evaluate(scoring.load(spec), records[::-1]).metrics["cider"]
    )


@pytest.mark.parametrize("text", ["", "a " * 50_000, "a" * 100_000])
def test_odd_texts_have_a_score(text: str) -> None:
    assert all(0 <= score <= 10.000001 for score in cider_scores([(text, [text]), ("b", ["c", text])], 4, 6.0))
