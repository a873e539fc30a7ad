"""The difference of two runs over the same records: its interval and p-value, which come from a single test.

The test determines the plausible differences, from which both are derived, so a p-value below 0.05 and a 95 % interval
that contains 0 can't occur together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from scoring.extensions.comparison.statistics.ranks import drawn_numbers
from scoring.extensions.comparison.statistics.within_strata import influences_within, others_within
from scoring.statistics.closed_intervals import SCARCE, Interval
from scoring.statistics.exact import ExactSum
from scoring.statistics.multiplicity import sums_by
from scoring.statistics.plausible import FEWEST_FREE as FEWEST
from scoring.statistics.plausible import free
from scoring.statistics.resampling import generator_for
from scoring.statistics.statistic import divide, of_sums

EXACT_UP_TO = 16
"""Up to this many changed records, all sign patterns are tried instead of random ones."""

MANY_SIZES = 2_000
"""With more distinct sizes of change, their total is normal up to less than the noise of ten thousand draws."""

FEWEST_SIZES = 8
"""Minimum number of distinct sizes of change for judging whether they are symmetric around their mean."""

MOST_SKEW = 0.7
"""The skew up to which changes are taken to be symmetric around their mean."""

FEW_CHANGED = f"fewer than {FEWEST} changed, so it may cover more"
FEW_PAIRS = f"fewer than {FEWEST} pairs, so it may cover more"
FEW_WITHIN = f"a stratum of fewer than {FEWEST} units, or with few of one kind, so it may cover more or less"


class StudentShape(NamedTuple):
    """The distribution of plausible means of changes that are symmetric around their mean: Student's t,
    given by its mean, standard error and degrees of freedom."""

    mean: float
    error: float
    freedom: int

    def at(self, level: float) -> float:
        """Return the quantile of this distribution at `level` (from 0 to 1)."""
        from scipy.special import stdtrit

        return self.mean + self.error * float(stdtrit(self.freedom, level))

    def below(self, value: float) -> float:
        """Return the cumulative probability of this distribution at a value."""
        from scipy.special import stdtr

        return float(stdtr(self.freedom, (value - self.mean) / self.error))


class PairedTest(NamedTuple):
    """The result of a paired test: the differences that it does not reject, and the p-value of no difference.

    ``p_value < 1 - interval.confidence`` is true if and only if the interval excludes 0.
    """

    interval: Interval | None
    p_value: float | None


class Within(NamedTuple):
    """Information about units that are resampled within strata.

    Args:
        strata: The index of each unit's stratum.
        changed: Number of units that differ between the two runs.
    """

    strata: Any
    changed: int

    def remarked(self, found: PairedTest, parts: Any) -> PairedTest:
        """Return the test `found`, with a note added if a stratum has too few units, or too few that differ, to
        estimate its spread.

        Args:
            found: The test.
            parts: The change, or pseudo-value, of each unit.
        """
        if found.interval is None or found.interval.note is not None:
            return found
        for number in np.unique(self.strata):
            kinds = np.unique(parts[self.strata == number], return_counts=True)[1]
            if kinds.sum() < FEWEST or kinds.sum() - kinds.max() < SCARCE:
                return found._replace(interval=replace(found.interval, note=FEW_WITHIN))
        return found


def paired(
    changes: Sequence[float],
    owners: Sequence[Any] | None = None,
    strata: Sequence[Any] | None = None,
    *,
    confidence: float = 0.95,
    widest: float = 1.0,
    seed: int = 0,
    resamples: int = 10_000,
) -> PairedTest:
    """Return the interval and the p-value of the mean of some changes, one for each record that two runs have scored.

    The plausible means are those of the changes under random weights (the Bayesian bootstrap), with one additional
    change at either end of the possible range, or a few times as far away as large changes are. So nothing is certain
    after few changes, and a few large changes extend the interval in their direction. Mean, spread and skew of these
    means have a closed form, so nothing is drawn. If the changes have both signs and many sizes and are symmetric
    around their mean, no additional changes are assumed, and the means are distributed as Student's t. In addition, 0
    remains plausible for as long as the signs of the changes could be chance.

    Args:
        changes: The change of each record's score, second run minus first.
        owners: The cluster of each record, None if it is in none; clusters change as a whole.
        strata: The stratum of each record; other samples have equally many records of each stratum, so the differences
            between strata don't contribute to the spread.
        confidence: The level of the interval.
        widest: The greatest change that the range of the scores allows; infinite if unknown.
        seed: The seed of random signs.
        resamples: Number of random sign patterns, if there are too many to try all.

    Examples:
        >>> found = paired([0.0] * 30 + [1.0] * 10)
        >>> found.interval.low > 0, found.p_value < 0.05
        (True, True)
        >>> paired([1.0, 1.0, 1.0]).p_value
        0.25

    Source:
        `scoring.statistics.plausible` has those of the interval; Student: The Probable Error of a Mean (1908);
        Fisher: The Design of Experiments (1935), for the signs.
    """
    if not len(changes):
        return PairedTest(None, None)
    mean = math.fsum(changes) / len(changes)
    if strata is not None:
        numbers, within = drawn_numbers(len(changes), owners, strata)
        sums = sums_by(np.column_stack((changes, np.ones(len(changes)))), numbers, len(within))
        units, weights = sums[:, 0] / sums[:, 1], sums[:, 1]
        others = others_within(of_sums(divide, range(len(sums)), sums, width=2), sums, within)
        values = mean + influences_within(others, within)
    else:
        units, weights = _units(changes, owners)
        values = _pseudo_values(units, weights, mean)
    changed = int(np.count_nonzero(units))
    # Differences between strata are not chance, so raw signs are only tested while few records changed at all.
    signed = units * weights if strata is None or changed < FEWEST else values
    sign_test = permutation_test(signed, seed=seed, resamples=resamples)
    if np.abs(units).max() > widest:
        widest = math.inf
    found = _tested(values, mean, sign_test, changed, confidence, widest)
    return found if strata is None else Within(within, changed).remarked(found, values)


def paired_parts(
    parts: Any,
    difference: float,
    within: Within | None = None,
    *,
    confidence: float = 0.95,
    widest: float = math.inf,
    seed: int = 0,
    resamples: int = 10_000,
) -> PairedTest:
    """Return the test of a difference that is not a mean of changes, like `paired`, from jackknife pseudo-values.

    Args:
        parts: The pseudo-value of the difference for each unit; their mean is the difference.
        difference: The difference.
        within: Information about the units' strata, if there are any. If few units changed, the p-value is then at
            least that of as many changes in one direction.
        confidence: The level of the interval.
        widest: The greatest difference that the range of the figure allows; infinite if unknown.
        seed: The seed of random signs.
        resamples: Number of random sign patterns, if there are too many to try all.

    Examples:
        >>> import numpy as np
        >>> paired_parts(np.array([0.1, 0.3] * 20), 0.2).p_value < 0.05
        True
    """
    sign_test = permutation_test(parts, seed=seed, resamples=resamples)
    changed = int(np.count_nonzero(parts)) if within is None else within.changed
    if within is not None and changed < FEWEST:
        sign_test = max(sign_test or 0.0, 0.5 ** max(changed - 1, 0))
    reach = max(widest, float(np.abs(parts).max())) if math.isfinite(widest) else math.inf
    found = _tested(parts, difference, sign_test, changed, confidence, reach)
    found = found if within is None else within.remarked(found, parts)
    if found.interval is None:
        return found
    low, high = max(found.interval.low, -widest), min(found.interval.high, widest)
    return found._replace(interval=replace(found.interval, low=min(low, difference), high=max(high, difference)))


def _tested(
    values: Any, mean: float, sign_test: float | None, changed: int, confidence: float, widest: float
) -> PairedTest:
    """Return the interval and p-value of a mean, given each unit's value and the p-value of a sign test.

    Args:
        values: The change, or pseudo-value, of each unit.
        mean: Their mean.
        sign_test: The p-value of the sign test, below which the result's may not be; None if there is none.
        changed: The number of units that changed.
        confidence: The level of the interval.
        widest: The greatest possible change; infinite if unknown.
    """
    shape = even(values, mean) or (free(values, mean, widest, moved=changed) if widest else None)
    if shape is None:  # if only one score is possible, scores never differ
        return PairedTest(None, sign_test)
    tail = (1.0 - confidence) / 2.0
    below = shape.below(0.0)
    p_value = min(1.0, max(sign_test or 0.0, 2.0 * min(below, 1.0 - below)))
    limits = [min(max(shape.at(level), -widest), widest) for level in (tail, 1.0 - tail)]
    # After one or two changes, the plausible range may not contain the observed mean.
    limits = [min(limits[0], mean), max(limits[1], mean)]
    low, high = _agreeing(limits, p_value >= 1.0 - confidence)
    note = FEW_PAIRS if len(values) < FEWEST else FEW_CHANGED if changed < FEWEST else None
    return PairedTest(Interval(low, high, confidence, "paired", len(values), note=note), p_value)


def even(values: Any, mean: float) -> StudentShape | None:
    """Return the distribution of plausible means if the values are symmetric around their mean; None if they are not,
    or have too few sizes.

    A rare large change, absent from the data, might make the true mean 0, which a test of signs can't detect. It has to
    be considered if the changes all have one sign, or have few sizes, or a tail on one side.

    Args:
        values: The change of each unit.
        mean: Their mean.

    Examples:
        >>> import numpy as np
        >>> even(np.linspace(-3.75, 7.25, 12), 1.75).freedom, even(np.arange(1.0, 10.0), 5.0)
        (11, None)
        >>> even(np.array([-1.0, 1.0] * 9), 0.0) is None
        True
    """
    n = len(values)
    if len(np.unique(np.abs(values[values != 0.0]))) < FEWEST_SIZES or not values.min() < 0.0 < values.max():
        return None
    offs = values - mean
    second, third = (ExactSum.of(powers).value for powers in (offs * offs, offs * offs * offs))
    if second <= 1e-14 * n * mean**2 or abs(third) > MOST_SKEW * math.sqrt(second / n) * second:
        return None
    return StudentShape(mean, math.sqrt(second / (n - 1) / n), n - 1)


def _agreeing(limits: Sequence[float], plausible: bool) -> tuple[float, float]:
    """Return the limits of an interval, adjusted for rounding: they enclose 0 if `plausible` is True, and exclude it
    otherwise."""
    low, high = limits
    if plausible:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, math.ulp(0.0)), high) if low + high > 0.0 else (low, min(high, -math.ulp(0.0)))


def _units(changes: Sequence[float], owners: Sequence[Any] | None) -> Any:
    """Return the mean change of each cluster and its number of records, as two arrays; without clusters, those of each
    record.

    Args:
        changes: The change of each record.
        owners: The cluster of each record; None if records are not clustered.
    """
    if owners is None:
        return np.array(changes, dtype=np.float64), np.ones(len(changes))
    members: dict[Any, list[float]] = {}
    for place, (change, owner) in enumerate(zip(changes, owners, strict=True)):
        members.setdefault(place if owner is None else repr(owner), []).append(change)
    return np.array([(ExactSum.of(values).value / len(values), len(values)) for values in members.values()]).T


def _pseudo_values(units: Any, weights: Any, mean: float) -> Any:
    """Return, for each unit, the jackknife pseudo-value of the mean of `units` weighted by `weights`: the mean if all
    units were like this one. `mean` is the weighted mean.

    Source:
        Miller: The Jackknife, a Review (1974).
    """
    if weights.max() == weights.min():
        return units
    return mean + (len(units) - 1) * weights * (units - mean) / (weights.sum() - weights)


def exchanged(
    observed: float, drawn: Any, things: int, *, confidence: float = 0.95, widest: float = math.inf
) -> PairedTest:
    """Return the interval and the p-value of a difference of figures, from differences after exchanging answers.

    The interval contains the differences from which the observed one deviates no more than by random exchanges alone.
    ``drawn`` has the differences after random exchanges of the answers of ``things`` units between the runs, without
    undefined ones; ``widest`` is the greatest possible difference.

    Examples:
        >>> import numpy as np
        >>> found = exchanged(0.5, np.linspace(-0.4, 0.4, 999), 100)
        >>> found.p_value, round(found.interval.low, 2), round(found.interval.high, 2)
        (0.001, 0.12, 0.88)

    Source:
        Fisher: The Design of Experiments (1935); Phipson, Smyth: Permutation P-values Should Never Be Zero (2010).
    """
    sizes = np.sort(np.abs(drawn))[::-1]
    if not len(sizes):
        return PairedTest(None, None)
    # Exchanges with the same result must count the same, however it was rounded.
    seen = abs(observed) - 1e-12
    p_value = float((1 + (sizes >= seen).sum()) / (1 + len(sizes)))
    least = math.ceil((1.0 - confidence) * (1 + len(sizes)) - 1e-9) - 1  # with this many as large, 0 is plausible
    reach = float(sizes[min(max(least, 1), len(sizes)) - 1]) + 1e-12
    if not sizes[0]:  # the runs never differ, which does not imply that they never would
        alike = paired([0.0] * things, confidence=confidence)
        return PairedTest(alike.interval, 1.0)
    limits = max(observed - reach, -widest), min(observed + reach, widest)
    low, high = _agreeing(limits, p_value >= 1.0 - confidence)
    note = FEW_PAIRS if things < FEWEST else None
    return PairedTest(Interval(low, high, confidence, "exchange", things, len(sizes), note), p_value)


def permutation_test(changes: Sequence[float], *, seed: int = 0, resamples: int = 10_000) -> float | None:
    """Return the probability of a mean change at least this large if the sign of each change were random.

    With few changes, all sign patterns are tried; otherwise `resamples` random ones and the observed one. With very
    many distinct sizes, the signed total is taken to be normal, and the result is at least ``1 / (1 + resamples)``.

    Examples:
        >>> permutation_test([1.0, 1.0, 1.0, 1.0])
        0.125
        >>> permutation_test([0.0, 0.0])
        1.0

    Source:
        Fisher: The Design of Experiments (1935); Phipson, Smyth: Permutation P-values Should Never Be Zero (2010).
    """
    if not len(changes):
        return None
    moved = np.sort(np.array(changes, dtype=np.float64))
    moved = moved[moved != 0.0]
    if not len(moved):
        return 1.0
    observed = abs(math.fsum(moved)) - 1e-12 * float(np.abs(moved).sum())
    if len(moved) <= EXACT_UP_TO:
        patterns = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        totals = ((2.0 * patterns - 1.0) * moved).sum(axis=1)
        return float((np.abs(totals) >= observed).mean())
    sizes, counts = np.unique(np.abs(moved), return_counts=True)
    if len(sizes) > MANY_SIZES:
        spread = math.sqrt(2.0 * math.fsum((counts * sizes**2).tolist()))
        return max(math.erfc(observed / spread), 1 / (1 + resamples))
    found = _drawn_at_least(sizes, counts, observed, generator_for(seed, "permutation"), resamples)
    return (1 + found) / (1 + resamples)


def _drawn_at_least(sizes: Any, counts: Any, observed: float, generator: Any, resamples: int) -> int:
    """Return the number of random sign patterns for which the size of the total is at least the observed one.

    Args:
        sizes: The distinct sizes of changes.
        counts: How many changes have each size; these are drawn together.
        observed: The size of the observed total.
        generator: The random generator.
        resamples: The number of patterns to draw.
    """
    step = max(1, 2_000_000 // len(sizes))
    found = 0
    for start in range(0, resamples, step):
        drawn = generator.binomial(counts, 0.5, size=(min(step, resamples - start), len(sizes)))
        totals = ((2.0 * drawn - counts) * sizes).sum(axis=1)
        found += int((np.abs(totals) >= observed).sum())
    return found


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method, which limits the probability of any false positive among all tests.

    A test without a p-value, which could not be performed, does not count.

    Returns:
        For each test, the smallest level at which it is significant among the others; at least the p-value itself.

    Examples:
        >>> holm([0.01, 0.04, 0.03, None])
        [0.03, 0.06, 0.06, None]

    Source:
        Holm: A Simple Sequentially Rejective Multiple Test Procedure (1979).
    """
    made = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    found: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (value, place) in enumerate(made):
        least = max(least, min(1.0, (len(made) - rank) * value))
        found[place] = least
    return found
