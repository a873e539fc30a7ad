"""A vision metric as a statistic: a mergeable evaluator result, how its figures are read, and how it is resampled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.statistics.resampling import Draws, generator_for
from scoring.statistics.statistic import Statistic, Unit

if TYPE_CHECKING:
    from scoring.extensions.vision.draws import ImageDraws, KeptImages


WORTH = 300
"""The amount of work allowed for a figure of image data, relative to one over a column of scores: it has no analytic
interval, and a set of 5,000 images with 250,000 detections still gets one in 20 seconds."""


HALVES = 100
"""The number of halves of the images that are evaluated."""

FEWEST_OF_LABEL = 30
"""With fewer images of a label its part of a mean over labels says little, and the images that were drawn say less."""


class Held(NamedTuple):
    """All that a metric knows of some images: plain arrays, which travel between processes.

    Args:
        ids: The ids of the images.
        places: Their places in the whole data set.
        found: The evaluator's result; two of them `merge`.
        kept: What is kept of each image for resampling; None where the result itself keeps it.
    """

    ids: Sequence[Any]
    places: Any
    found: Any
    kept: Any = None

    def merge(self, other: Held) -> Held:
        """Return the merged state of the images of both parts."""
        kept = None if self.kept is None else self.kept.merge(other.kept)
        places = np.concatenate((self.places, other.places))
        return Held((*self.ids, *other.ids), places, self.found.merge(other.found), kept)


@dataclass(frozen=True, slots=True)
class VisionStatistic(Statistic):
    """An evaluator's result over some images, which are its units.

    A detection's fate depends on the others of its label, so the headline of a resample is no sum: ``again``
    computes it from what was kept of each image. Nothing is matched a second time. Without a ``headline`` of its own
    it is the share that was kept; ``is_proportion`` says whether it is that of the images that are right.
    """

    held: Held
    headline: Callable[[Any], float] | None
    tables: Callable[[Any], dict[str, Any]]
    again: Callable[[Any, ImageDraws], Sequence[float]]
    is_proportion: bool = False
    fewest = 1  # of a few images, too: what resamples do not tell is then taken for possible
    centred = (0.0, 1.0)  # headlines are shares, and an image that is drawn twice ties with itself

    def merge(self, other: VisionStatistic) -> VisionStatistic:
        """Return the result of both parts of the data."""
        return self.with_held(self.held.merge(other.held))

    def with_held(self, held: Held) -> VisionStatistic:
        """Return the same metric of other images: those of a part that another process looked at."""
        return replace(self, held=held)

    def value(self) -> float | None:
        """Return the headline; None of no image, whatever the evaluator makes of nothing."""
        if not self.count:
            return None
        found = float(self.headline(self.held.found) if self.headline else self.held.kept.value())
        return None if math.isnan(found) else found

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the images, in an order that does not depend on that of the data."""
        return sorted(self.held.ids, key=_by_text)

    @property
    def count(self) -> int:
        """The number of images."""
        return len(self.held.ids)

    @property
    def units(self) -> Sequence[Unit]:
        """The number of each key: an image's contribution to a headline is undefined without the others."""
        return [(float(number),) for number in range(self.count)]

    @property
    def resample_cost(self) -> int:
        """About how many numbers one resample reads and writes, in units of `WORTH`."""
        return 1 + self._kept.cost // WORTH

    @property
    def _kept(self) -> KeptImages:
        found: KeptImages = self.held.found if self.held.kept is None else self.held.kept
        return found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the headline when each image occurs `counts` times, computed as the metric does."""

        from scoring.extensions.vision.draws import ImageDraws

        ids, kept, places = self.held.ids, self._kept, np.asarray(self.held.places)
        numbered = np.array(sorted(range(len(ids)), key=lambda place: _by_text(ids[place])), dtype=np.int64)
        every = np.zeros((len(counts), len(ids)))
        every[:, numbered[np.asarray(units)[:, 0].astype(np.int64)]] = counts  # an image that is no unit occurs nowhere
        order = np.argsort(places)
        draws = ImageDraws(places[order], every[:, order])
        found = [np.asarray(self.again(kept, part), dtype=np.float64) for part in draws.parts(kept.cost // 8)]
        return np.where(every.any(axis=1), np.concatenate((np.zeros(0), *found)), math.nan)

    def unbiased(self, plan: Draws) -> float | None:
        """Return the figure without what few images add to it, which is about as much as halves of them add to the
        whole's.

        A precision that is read as the greatest at any larger recall is too high where few objects make its curve, as
        is the best of several thresholds. Nothing is drawn twice here, so nothing ties with itself.
        """
        value, half = self.value(), len(plan.counts) // 2
        if self.headline is None or value is None or not half:
            return None
        picks = generator_for(0, "halves").random((HALVES, len(plan.counts))).argsort(axis=1) < half
        found = plan.figure(picks * plan.counts.astype(np.float64))
        more = float(np.nanmean(found)) - value if not np.isnan(found).all() else 0.0
        return min(max(value - more, 0.0), value)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return each image's part of the denominator if the figure is a proportion; None for other figures."""
        if self.headline is not None:
            return None
        below = dict(zip(self.held.kept.places.tolist(), self.held.kept.below.tolist(), strict=True))
        ids, places = self.held.ids, np.asarray(self.held.places).tolist()
        numbered = sorted(range(len(ids)), key=lambda place: _by_text(ids[place]))
        held = np.array([below[places[place]] for place in numbered], dtype=np.float64)
        return held[units[:, 0].astype(np.int64)]

    @property
    def remark(self) -> str | None:
        """Whether a label that counts as much as others is in few images, or in none at all."""
        few = min(self._images_of_labels(), default=FEWEST_OF_LABEL) < FEWEST_OF_LABEL
        return "few images of a label, so it may cover more or less" if few else None

    def details(self) -> dict[str, Any]:
        """Tables, curves and matrices as plain data."""
        return self.tables(self.held.found)

    @property
    def labels_in_no_image(self) -> int:
        """The number of known labels that occur in no image."""
        return self._images_of_labels().count(0)

    def _images_of_labels(self) -> list[int]:
        """Return how many images show each label; nothing of a share, which is no mean over labels."""
        return [] if self.headline is None else self._kept.images_of_labels()


def _by_text(key: Any) -> tuple[str, str]:
    return type(key).__name__, str(key)


def share_statistic(
    held: Held, tables: Callable[[Any], dict[str, Any]] = lambda found: found.result(), *, proportion: bool = False
) -> VisionStatistic:
    """Return a metric whose headline is the share that is kept: of things counted image by image, or of images, each
    once."""
    from scoring.extensions.vision.draws import drawn_share

    return VisionStatistic(held, None, tables, drawn_share, proportion)
