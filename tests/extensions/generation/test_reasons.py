"""A comparator of texts says what it takes and what it was given."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

TAKES = "takes Text | List[Text], but"


@pytest.mark.parametrize(
    ("pipeline", "prediction", "reference", "reason"),
    [
        ("mteval_bleu", [[1]], "a", f"`mteval_bleu` {TAKES} `prediction[0]` is List[Number]"),
        ("rouge", "a", ["a", None], f"`rouge` {TAKES} `reference[1]` is nothing"),
        ("gleu", ["a"], [["a"]], "`gleu` takes List[Text], but `reference[0]` is List[Text]"),
    ],
)
def test_a_comparator_of_texts_says_what_it_takes(pipeline: str, prediction: Any, reference: Any, reason: str) -> None:
    assert scoring.scorer(pipeline).score(prediction, reference).reason == reason
