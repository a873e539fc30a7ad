"""The derivative of an average precision by the weight of an image is what a little more of the image changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from benchmarks.pictures import boxes
from scoring.extensions.vision.detection.drawn import drawn_averages
from scoring.extensions.vision.detection.influence import influences_on_precision
from scoring.extensions.vision.detection.matches import Matches, match
from scoring.extensions.vision.draws import ImageDraws
from scoring.packs.coco.metrics import coco_statistics
from scoring.packs.coco.summary import COCO
from scoring.statistics.closed_intervals import Interval
from scoring.statistics.intervals import spread_of

IMAGES, TIMES = 120, 200
"""A weight of 1 + 1 / TIMES is that of an image that stands TIMES + 1 times where all others stand TIMES times."""


def matches(seed: int) -> Matches:
    table: Any = boxes(0.6, 0.08)(np.random.default_rng(seed), IMAGES)
    return match(table, COCO)


@pytest.mark.parametrize("seed", range(2))
def test_a_little_more_of_an_image_changes_the_area_as_the_derivative_says(seed: int) -> None:
    """Where two peaks are equally high, more and less of an image have two derivatives: nearly all images agree."""
    found = matches(seed)
    labels = found.positives[found.area("all")] > 0
    counts = TIMES + np.vstack((np.zeros(IMAGES), np.eye(IMAGES)))
    areas = drawn_averages(found, ImageDraws(np.arange(IMAGES), counts), "area")[:, :, labels].mean(axis=(1, 2))
    influence, changes = influences_on_precision(found, IMAGES, labels), (areas[1:] - areas[0]) * TIMES
    alike = np.abs(influence - changes) <= 0.01 * np.abs(influence).max()
    assert alike.mean() > 0.9
    assert influence.std() == pytest.approx(changes.std(), rel=0.05)
    assert sum(influence) == pytest.approx(0, abs=1e-12)  # twice of everything is the same figure


def test_many_images_get_their_interval_without_draws_and_few_with_them() -> None:
    found: Mapping[int, Any] = {
        images: spread_of(coco_statistics(boxes(0.6, 0.08)(np.random.default_rng(1), images))) for images in (30, 600)
    }
    assert all(isinstance(one, Interval) for one in found.values())
    assert found[30].resamples == 500
    assert found[600].resamples is None


def test_the_interval_of_the_derivative_is_that_of_the_draws() -> None:
    statistic = coco_statistics(boxes(0.6, 0.08)(np.random.default_rng(1), 600))
    derived, drawn = (spread_of(statistic, method=method) for method in ("normal", "percentile"))
    assert isinstance(derived, Interval)
    assert isinstance(drawn, Interval)
    assert (derived.method, drawn.method) == ("normal", "percentile")
    assert derived.high - derived.low == pytest.approx(drawn.high - drawn.low, rel=0.1)
