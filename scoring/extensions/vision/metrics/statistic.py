"""A vision metric as a statistic: a mergeable evaluator result, with functions for its figures and its resampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scoring.statistics.resampling import Draws, generator_for
from scoring.statistics.statistic import Statistic, Unit

if TYPE_CHECKING:
    from scoring.extensions.vision.draws import ImageDraws, KeptImages


WORTH = 300
"""How much more work a figure of image data may cost than one over a column of scores: its data took hours to
produce, and most figures have no analytic interval."""


PAIRS = 16
"""The number of times that `unbiased` splits the images into halves. What one half has more the other has less, so that
the mean of 16 pairs is as exact as that of 100 halves."""

FEWEST_OF_LABEL = 30
"""With fewer images of a label, its part of a mean over labels is uncertain, and resamples underestimate that."""


class MetricState(NamedTuple):
    """All that a metric computed for some images: plain arrays, which can be sent between processes.

    Args:
        ids: The ids of the images.
        positions: Their positions in the whole data set.
        found: The evaluator's result, such as matched detections; it has a method `merge`.
        kept: The data kept of each image for resampling; None if the result itself contains it.
    """

    ids: Sequence[Any]
    positions: Any
    found: Any
    kept: Any = None

    def merge(self, other: MetricState) -> MetricState:
        """Return the state for the images of two parts of a data set together."""
        kept = None if self.kept is None else self.kept.merge(other.kept)
        positions = np.concatenate((self.positions, other.positions))
        return MetricState((*self.ids, *other.ids), positions, self.found.merge(other.found), kept)


@dataclass(frozen=True, slots=True)
class VisionStatistic(Statistic):
    """A metric's result over some images, which are the units that resamples draw.

    The outcome of a detection depends on the others of its label, so the headline of a resample is not a sum: ``again``
    recomputes it from the data kept of each image, without repeating the matching. If ``headline`` is None, the
    headline is the kept share; ``is_proportion`` means that this is the share of images that are right. ``tables``
    returns the details to show. ``moves`` returns the derivatives of the headline with respect to the weights of all
    images, given the kept data and the number of images in the data set; None if there is no closed form.
    """

    metric_state: MetricState
    headline: Callable[[Any], float] | None
    tables: Callable[[Any], dict[str, Any]]
    again: Callable[[Any, ImageDraws], Sequence[float]]
    is_proportion: bool = False
    moves: Callable[[Any, int], Any] | None = None
    fewest = 1  # few images suffice: `centred` intervals allow for what resamples don't show
    centred = (0.0, 1.0)  # the range of headlines; an image that is drawn twice ties with itself

    def merge(self, other: VisionStatistic) -> VisionStatistic:
        """Return the result over the images of two parts of a data set together."""
        return self.with_metric_state(self.metric_state.merge(other.metric_state))

    def with_metric_state(self, metric_state: MetricState) -> VisionStatistic:
        """Return the statistic with another state, such as one for images that another process evaluated."""
        return replace(self, metric_state=metric_state)

    def value(self) -> float | None:
        """Return the headline, the metric's main figure; None without images or where it is undefined (NaN)."""
        if not self.count:
            return None
        found = float(self.headline(self.metric_state.found) if self.headline else self.metric_state.kept.value())
        return None if math.isnan(found) else found

    @property
    def keys(self) -> Sequence[Any]:
        """The ids of the images, in an order that does not depend on that of the data."""
        return [self.metric_state.ids[index] for index in self._sorted.tolist()]

    @cached_property
    def _sorted(self) -> Any:
        """The order of the images in `keys`: the position of each in the ids of the state."""
        ids = self.metric_state.ids
        if all(type(key) is str for key in ids):  # the usual case
            return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
        return np.array(sorted(range(len(ids)), key=lambda index: _by_text(ids[index])), dtype=np.int64)

    @property
    def count(self) -> int:
        """The number of images."""
        return len(self.metric_state.ids)

    @property
    def units(self) -> Sequence[Unit]:
        """The units that are resampled, one per image: a tuple that contains only the image's index in `keys`."""
        return [(float(number),) for number in range(self.count)]

    @property
    def resample_cost(self) -> int:
        """The approximate cost of one resample: the number of values read and written, in units of `WORTH` values."""
        return 1 + self._kept.cost // WORTH

    @property
    def _kept(self) -> KeptImages:
        found: KeptImages = self.metric_state.found if self.metric_state.kept is None else self.metric_state.kept
        return found

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the headline of each resample; NaN for one without images. A row of `counts` states how often each
        image of `units` occurs in a resample.
        """

        from scoring.extensions.vision.draws import ImageDraws

        ids, kept, positions = self.metric_state.ids, self._kept, np.asarray(self.metric_state.positions)
        every = np.zeros((len(counts), len(ids)))
        drawn = self._sorted[np.asarray(units)[:, 0].astype(np.int64)]
        every[:, drawn] = counts  # an image that isn't a unit never occurs
        order = np.argsort(positions)
        draws = ImageDraws(positions[order], every[:, order])
        found = [np.asarray(self.again(kept, part), dtype=np.float64) for part in draws.parts(kept.cost // 8)]
        return np.where(every.any(axis=1), np.concatenate((np.zeros(0), *found)), math.nan)

    def influence(self, units: Any) -> Any:
        """Return, for each image of `units`, the derivative of the headline with respect to the image's weight; None if
        there is no closed form, or if labels occur in so few images that the derivative is a poor approximation.
        """
        shown = [number for number in self._images_of_labels() if number]
        if self.moves is None or sum(1 / number for number in shown) * FEWEST_OF_LABEL > len(shown):
            return None
        positions = np.asarray(self.metric_state.positions)
        found = self.moves(self._kept, int(positions.max(initial=0)) + 1)
        return found[positions[self._sorted]][np.asarray(units)[:, 0].astype(np.int64)]

    def unbiased(self, plan: Draws) -> float | None:
        """Return the headline corrected for small-sample bias, which is estimated from random halves of the images of
        `plan`; None if the headline is a share or undefined, or there are too few images.

        Interpolated precision (the maximum over all larger recalls) and the best of several thresholds are biased
        upwards if objects are few. No image occurs twice in a half, so detections don't tie with their copies.
        """
        value, half = self.value(), len(plan.counts) // 2
        if self.headline is None or value is None or not half:
            return None
        picks = generator_for(0, "halves").random((PAIRS, len(plan.counts))).argsort(axis=1) < half
        found = plan.figure(np.concatenate((picks, ~picks)) * plan.counts.astype(np.float64))
        more = float(np.nanmean(found)) - value if not np.isnan(found).all() else 0.0
        return min(max(value - more, 0.0), value)

    def weights(self, units: Any, counts: Any) -> Any:
        """Return, if the headline is a ratio of sums over images, what each image of `units` adds to the
        denominator; None for other headlines. `counts` is not used.
        """
        if self.headline is not None:
            return None
        below = dict(zip(self.metric_state.kept.positions.tolist(), self.metric_state.kept.below.tolist(), strict=True))
        positions = np.asarray(self.metric_state.positions)[self._sorted].tolist()
        denominators = np.array([below[position] for position in positions], dtype=np.float64)
        return denominators[units[:, 0].astype(np.int64)]

    @property
    def remark(self) -> str | None:
        """A warning if the headline averages over labels of which one is in few images or in none; else None."""
        few = min(self._images_of_labels(), default=FEWEST_OF_LABEL) < FEWEST_OF_LABEL
        return "few images of a label, so it may cover more or less" if few else None

    def details(self) -> dict[str, Any]:
        """Return the metric's tables, curves and matrices as plain data."""
        return self.tables(self.metric_state.found)

    @property
    def labels_in_no_image(self) -> int:
        """The number of known labels that no image shows."""
        return self._images_of_labels().count(0)

    def _images_of_labels(self) -> list[int]:
        """Return the number of images that show each label; [] for a share, which is not a mean over labels."""
        return [] if self.headline is None else self._kept.images_of_labels()


def _by_text(key: Any) -> tuple[str, str]:
    return type(key).__name__, str(key)


def share_statistic(
    metric_state: MetricState,
    tables: Callable[[Any], dict[str, Any]] = lambda found: found.result(),
    *,
    proportion: bool = False,
) -> VisionStatistic:
    """Return a statistic whose headline is the share that `metric_state.kept` contains.

    Args:
        metric_state: The result for some images.
        tables: Returns the details to show from the evaluator's result.
        proportion: Whether the share is one of images; else it is one of items, of which an image may have several.
    """
    from scoring.extensions.vision.draws import drawn_share

    return VisionStatistic(metric_state, None, tables, drawn_share, proportion)
