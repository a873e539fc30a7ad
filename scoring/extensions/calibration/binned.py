"""Calibration errors over bins of confidences: of equal width, of equal mass, and of a fixed number of records."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from scoring.statistics.resampling import Draws
from scoring.statistics.statistic import BlockStatistic, SumStatistic, divide, missing_details

Gaps: TypeAlias = Literal["absolute", "squares"]
"""What an error is made of: the mean of absolute gaps, or the root of the mean of their squares."""

_SURELY = 2.6
"""A calibration error is significant if it is this many standard deviations above the error expected by chance."""


def error_of_sums(gaps: Gaps, *sums: Any) -> Any:
    """Return the calibration error given the number of records, the sum of confidences and the sum of scores of all
    bins, in this order; each may be an array.
    """
    count, confidences, right = np.array_split(np.asarray(sums, dtype=np.float64), 3)
    return _error(gaps, count, confidences - right, count.sum(axis=0))


def _error(gaps: Gaps, sizes: Any, apart: Any, total: Any) -> Any:
    """Return the calibration error of bins.

    Args:
        gaps: What the error is made of.
        sizes: The number of records in each bin.
        apart: The sum of confidence minus score over the records of each bin.
        total: The number of all records.
    """
    if gaps == "absolute":
        return divide(np.abs(apart).sum(axis=0), total)
    return np.sqrt(divide(divide(apart**2, sizes, empty=0.0).sum(axis=0), total))


def _curve(sums: Any) -> dict[str, Any]:
    """Return, under `reliability`, the mean confidence, mean score and number of records of each bin that is not empty;
    an empty mapping if all are.

    Args:
        sums: The number of records, the sum of confidences and the sum of scores of each bin.
    """
    count, confidences, right = sums
    bins = [
        {"confidence": float(sure / many), "score": float(good / many), "records": int(many)}
        for many, sure, good in zip(count, confidences, right, strict=True)
        if many
    ]
    return {"reliability": bins} if bins else {}


@dataclass(frozen=True, slots=True, eq=False)
class WidthStatistic(SumStatistic):
    """The statistic of the calibration error over bins of confidences of equal width, with the reliability curve as a
    detail.
    """

    gaps: Gaps = field(default="absolute", kw_only=True)
    is_biased = True

    def unbiased(self, plan: Draws) -> float:
        """Return the calibration error of the units in ``plan`` without the part that chance adds to it."""
        many, confidences, right = np.split(plan.units, 3, axis=1)
        return _beyond_chance(self.gaps, *_spread(many, confidences - right, plan.counts), plan.counts.sum())

    def details(self) -> dict[str, Any]:
        """Return the mean confidence and mean score of each bin, and how many records are left out, by reason."""
        return {
            **_curve(np.array_split(np.array([part.value for part in self.sums]), 3)),
            **missing_details(self.missing),
        }


@dataclass(frozen=True, slots=True, eq=False)
class MassStatistic(BlockStatistic):
    """The statistic of the calibration error over bins of about equally many records each; a unit is a record's
    confidence and score.
    """

    bins: int
    gaps: Gaps = "absolute"
    is_smooth = True  # adding or removing a record moves the borders little
    is_biased = True

    def unbiased(self, plan: Draws) -> float:
        """Return the calibration error of the units in ``plan`` without the part that chance adds to it; 0 if they are
        whole clusters, for which there is no such estimate."""
        units, counts = self.kinds()
        if len(plan.units) != len(units) or plan.units.shape[1:] != units.shape[1:]:
            return 0.0
        many = np.eye(self.bins)[self._bin_of(units, np.rint(counts).astype(int))]
        spread = _spread(many, many * (units[:, :1] - units[:, 1:]), counts)
        return _beyond_chance(self.gaps, *spread, counts.sum())

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the calibration error for each row of ``counts``, which states how often each record in ``units``
        occurs.
        """
        error = partial(error_of_sums, self.gaps)
        return np.array([float(error(*np.concatenate(self._sums(units, line)))) for line in counts])

    def details(self) -> dict[str, Any]:
        """Return the mean confidence and mean score of each bin, and how many records are left out, by reason."""
        units, counts = self.kinds()
        return {**(_curve(self._sums(units, counts)) if len(units) else {}), **missing_details(self.missing)}

    def _sums(self, units: Any, counts: Any) -> list[Any]:
        """Return the number of records, the sum of confidences and the sum of scores of each bin, given how often each
        record in ``units`` occurs.
        """
        times = np.rint(counts).astype(int)
        if not times.any():
            return [np.zeros(self.bins)] * 3
        bin_of = self._bin_of(units, times)
        columns = (times.astype(float), times * units[:, 0], times * units[:, 1])
        return [np.bincount(bin_of, column, self.bins) for column in columns]

    def _bin_of(self, units: Any, times: Any) -> Any:
        """Return the index of the bin of each unit; the borders are quantiles of the confidences, where `times` states
        how often each unit occurs.
        """
        borders = np.percentile(np.repeat(units[:, 0], times), np.linspace(0, 100, self.bins + 1))
        return np.searchsorted(borders[1:-1], units[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class SizeStatistic(BlockStatistic):
    """The statistic of the calibration error over bins of a fixed number of records each, in the order of their
    confidences; a unit is a record's confidence and score.

    Records with equal confidences have no order, so if they fall into several bins, each bin gets the same share of
    every one of them.
    """

    size: int
    gaps: Gaps = "absolute"
    counts_last: bool = True
    is_biased = True

    def of_counts(self, units: Any, counts: Any) -> Any:
        """Return the calibration error for each row of ``counts``, which states how often each record in ``units``
        occurs; NaN if no bin counts.
        """
        found = np.full(len(counts), math.nan)
        for place, line in enumerate(counts):
            sizes, apart = self._gaps(units, line)
            if len(sizes):
                found[place] = _error(self.gaps, sizes, apart, float(line.sum()))
        return found

    def influence(self, units: Any) -> Any:
        """Return the derivative of the calibration error by the weight of each unit, with the borders where they
        are."""
        own, counts = self.kinds()
        if len(own) != len(units):
            return None
        total, (sizes, apart) = float(counts.sum()), self._gaps(own, counts)
        value = _error(self.gaps, sizes, apart, total)
        gap = own[:, 0] - own[:, 1]
        if self.gaps == "absolute":
            return (gap * self._at_units(np.sign(apart), own, counts) - value) / total
        if value == 0.0:
            return np.zeros(len(own))
        means = divide(apart, sizes, empty=0.0)
        squares = 2.0 * gap * self._at_units(means, own, counts) - self._at_units(means**2, own, counts)
        return (squares - value**2) / (2.0 * value * total)

    def unbiased(self, plan: Draws) -> float:
        """Return the calibration error of the units in ``plan`` without the part that chance adds to it; 0 if they are
        whole clusters, for which there is no such estimate."""
        units, counts = self.kinds()
        if len(plan.units) != len(units) or plan.units.shape[1:] != units.shape[1:]:
            return 0.0
        gap = units[:, 0] - units[:, 1]
        sizes, apart, squares = self._in_bins(units, counts, np.ones(len(units)), gap, gap**2)
        rest = np.maximum(squares - divide(apart**2, sizes, empty=0.0), 0.0)
        of_counted = _beyond_chance(self.gaps, sizes, apart, rest, counts.sum())
        share = float(divide(sizes.sum(), counts.sum()))
        return of_counted * (share if self.gaps == "absolute" else math.sqrt(share))

    def details(self) -> dict[str, Any]:
        """Return the mean confidence and mean score of each bin, and how many records are left out, by reason."""
        units, counts = self.kinds()
        sums = self._in_bins(units, counts, np.ones(len(units)), *units.T) if len(units) else np.zeros((3, 0))
        return {**_curve(sums), **missing_details(self.missing)}

    def _gaps(self, units: Any, counts: Any) -> list[Any]:
        """Return the number of records and the sum of confidence minus score of each bin that counts."""
        return self._in_bins(units, counts, np.ones(len(units)), units[:, 0] - units[:, 1])

    def _borders(self, total: float) -> Any:
        """Return where each bin that counts begins, and where the last one of them ends, among ``total`` records.

        What is left over beyond the last full bin belongs to it.
        """
        bins = max(int(total) // self.size, 1)
        borders = np.append(np.arange(bins) * float(self.size), total)
        return borders if self.counts_last else borders[:-1]

    def _in_bins(self, units: Any, counts: Any, *columns: Any) -> list[Any]:
        """Return the sum of each column in each bin, given how often each unit occurs."""
        if not counts.any():
            return [np.zeros(0)] * len(columns)
        order, ends, starts = _order(units, counts)
        borders = self._borders(float(counts.sum()))
        found = []
        for column in columns:
            sums = np.append(0.0, np.cumsum((counts * column)[order]))[np.append(0, ends)]
            found.append(np.diff(np.interp(borders, starts, sums)))
        return found

    def _at_units(self, values: Any, units: Any, counts: Any) -> Any:
        """Return the value of each unit's bin, given those of all bins that count; of several bins the mean by share.

        A unit in a bin that does not count has the value 0.
        """
        order, ends, starts = _order(units, counts)
        borders = self._borders(float(counts.sum()))
        sums = np.interp(starts, borders, np.append(0.0, np.cumsum(values * np.diff(borders))))
        found = np.empty(len(units))
        found[order] = np.repeat(np.diff(sums) / np.diff(starts), np.diff(np.append(0, ends)))
        return found


def _order(units: Any, counts: Any) -> tuple[Any, Any, Any]:
    """Return the order of units by confidence, where each run of equal confidences ends in it, and at which record each
    run starts and the last one ends; ``counts`` states how often each unit occurs. Units that don't occur are in no
    run."""
    order = np.argsort(units[:, 0], kind="stable")
    order = order[counts[order] > 0]
    sure = units[order, 0]
    ends = np.append(np.flatnonzero(sure[1:] != sure[:-1]) + 1, len(order))
    return order, ends, np.append(0.0, np.cumsum(counts[order], dtype=np.float64)[ends - 1])


def _spread(many: Any, gaps: Any, counts: Any) -> tuple[Any, Any, Any]:
    """Return, for each bin, the number of records, the sum of their gaps, and the sum of the squares of what each gap
    differs from their mean.

    Args:
        many: The number of records that each unit has in each bin.
        gaps: The sum of confidence minus score of each unit in each bin.
        counts: How often each unit occurs.
    """
    sizes, apart = counts @ many, counts @ gaps
    return sizes, apart, counts @ (gaps - many * divide(apart, sizes, empty=0.0)) ** 2


def _beyond_chance(gaps: Gaps, sizes: Any, apart: Any, rest: Any, units: Any) -> float:
    """Return the calibration error without the part that chance adds to it; 0 where chance alone may explain all of it.

    A distance is never negative, so even perfectly calibrated confidences have an error: the chance deviation of each
    bin's mean. The true squared gap of a bin is estimated as its squared gap minus the variance of that gap.

    Args:
        gaps: What the error is made of.
        sizes: The number of records in each bin.
        apart: The sum of confidence minus score of each bin.
        rest: The sum of squares of what the gaps of each bin differ from their mean.
        units: The number of units.
    """
    seen, total = sizes > 0, sizes.sum()
    sizes, apart, rest = sizes[seen], np.abs(apart[seen]), rest[seen]
    degrees = units - len(sizes)
    if degrees < 1:
        return 0.0
    # The chance deviation of a bin with a single record can only be estimated from the other bins.
    squares = (rest + 2.0 * rest.sum() / degrees) * sizes / (sizes + 1.0)
    usual, spread = math.sqrt(2.0 / math.pi) * np.sqrt(squares).sum(), math.sqrt((1.0 - 2.0 / math.pi) * squares.sum())
    if apart.sum() <= usual + _SURELY * spread:
        return 0.0
    true = apart**2 - squares
    if gaps == "absolute":
        return float(np.sqrt(np.maximum(true, 0.0)).sum() / total)
    return math.sqrt(max(float((true / sizes).sum()), 0.0) / total)
