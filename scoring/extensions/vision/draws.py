"""Bootstrap resamples of a data set: how often each image occurs in each, and the resulting weights and sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from msgspec import Struct

from scoring.extensions.vision.arrays import Floats, Ints, at_thresholds, score_cells

#: Maximum number of values in memory for one step of resampling.
CELLS = 4_000_000


class ImageDraws(Struct, frozen=True, eq=False):
    """Bootstrap resamples of the images: the positions of the images in the whole data set, and how often each image
    occurs in each resample (`counts`, resamples × images).

    Counts are integers stored as floats, so that sums of products stay exact up to 2^53 and need no conversion.
    """

    positions: Ints  # positions of the images in the whole data set, ascending
    counts: Floats  # resamples × images

    def __len__(self) -> int:
        return len(self.counts)

    def parts(self, width: int) -> list[ImageDraws]:
        """Return the resamples in groups, each so small that `width` values per resample fit into memory."""
        step = max(1, CELLS // max(width, 1))
        return [ImageDraws(self.positions, self.counts[start : start + step]) for start in range(0, len(self), step)]

    def weights(self, positions: Ints) -> Floats:
        """Return how often each item occurs in each resample, resamples × items; `positions` has the place of each
        item's image in the data set.

        Examples:
            >>> ImageDraws(np.array([3, 7]), np.array([[0.0, 2.0]])).weights(np.array([7, 3, 7])).tolist()
            [[2.0, 0.0, 2.0]]
        """
        return np.take(self.counts, np.searchsorted(self.positions, positions), axis=1)

    def sums(self, positions: Ints, cells: Ints, size: int, amounts: Floats | Ints | None = None) -> Floats:
        """Return the sum of the items in each cell, each item counted as often as its image occurs, resamples × cells.

        Args:
            positions: The place of each item's image in the data set.
            cells: The index of each item's cell.
            size: The number of cells.
            amounts: What each item adds; 1 if not given.

        Examples:
            >>> ImageDraws(np.array([3, 7]), np.array([[1.0, 2.0]])).sums(
            ...     np.array([7, 3]), np.array([1, 1]), 2
            ... ).tolist()
            [[0.0, 3.0]]
        """
        from scipy.sparse import csr_array

        amount = np.ones(cells.size) if amounts is None else np.asarray(amounts, dtype=np.float64)
        shape = (size, self.positions.size)
        matrix = csr_array((amount, (cells, np.searchsorted(self.positions, positions))), shape=shape)
        return np.ascontiguousarray((matrix @ self.counts.T).T)

    def reaching(self, positions: Ints, label: Ints, score: Floats, thresholds: Sequence[float], width: int) -> Floats:
        """Return how many scores of each label reach each threshold, resamples × thresholds × labels.

        Args:
            positions: The place of each score's image in the data set.
            label: The label index of each score.
            score: The scores.
            thresholds: The thresholds.
            width: The number of labels.
        """
        cells, size = score_cells(label, score, thresholds, width)
        return np.asarray(at_thresholds(self.sums(positions, cells, size), thresholds, width))


class KeptImages(Protocol):
    """The data that are kept of each image, from which a headline (a metric's main figure) can be recomputed for a
    resample.
    """

    @property
    def cost(self) -> int:
        """The approximate number of values that one resample reads and writes."""

    def merge(self, other: Self) -> Self:
        """Return the data kept of the images of two parts of a data set."""

    def images_of_labels(self) -> list[int]:
        """Return, for each label, the number of images that truly show it; [] if the headline is not a mean over
        labels.
        """


class Share(Struct, frozen=True, eq=False):
    """A share of items, such as of correct ones among all: what each image adds to the numerator (`above`) and to the
    denominator (`below`), and the positions of the images in the whole data set.
    """

    positions: Ints
    above: Ints
    below: Ints

    @classmethod
    def of(cls, order: Ints, above: Ints, below: Ints) -> Share:
        """Return the share whose numerator and denominator count items, each of which belongs to an image.

        Args:
            order: The position of each image in the data set.
            above: The image (its index in `order`) of each item that counts in the numerator.
            below: The image (its index in `order`) of each item that counts in the denominator.

        Examples:
            >>> share = Share.of(np.array([0, 1]), above=np.array([0]), below=np.array([0, 1, 1]))
            >>> drawn_share(share, ImageDraws(np.array([0, 1]), np.array([[1.0, 1.0], [3.0, 0.0], [0.0, 0.0]])))
            [0.3333333333333333, 1.0, nan]
        """
        return cls(order, np.bincount(above, minlength=order.size), np.bincount(below, minlength=order.size))

    @property
    def cost(self) -> int:
        """The approximate number of values that one resample reads."""
        return 2 * self.positions.size

    def images_of_labels(self) -> list[int]:
        """Return [], since a share is not a mean over labels."""
        return []

    def value(self) -> float:
        """Return the share; NaN if the denominator is 0."""
        below = int(self.below.sum())
        return int(self.above.sum()) / below if below else math.nan

    def merge(self, other: Share) -> Share:
        """Return the share over the images of two parts of a data set."""
        parts = (self.positions, other.positions), (self.above, other.above), (self.below, other.below)
        return Share(*map(np.concatenate, parts))


def drawn_share(share: Share, draws: ImageDraws) -> list[float]:
    """Return the share in each resample; NaN where its denominator is 0."""
    where = np.searchsorted(draws.positions, share.positions)
    above, below = np.zeros((2, draws.positions.size))
    above[where], below[where] = share.above, share.below
    with np.errstate(invalid="ignore"):
        found: list[float] = ((draws.counts @ above) / (draws.counts @ below)).tolist()
    return found
