"""A primitive of a pack says what it takes and what it was given."""

from __future__ import annotations

from typing import Any

import pytest

import scoring

OTHER = "it takes values of another kind (the prediction is Number and the reference is Text)"


@pytest.mark.parametrize(
    ("pipeline", "prediction", "reference", "reason"),
    [("megabench_upstream/iou", 3, "a", f"`megabench_upstream/iou` fails as the released code does: {OTHER}")],
)
def test_a_primitive_of_a_pack_says_what_it_was_given(
    pipeline: str, prediction: Any, reference: Any, reason: str
) -> None:
    assert scoring.scorer(pipeline).score(prediction, reference).reason == reason
