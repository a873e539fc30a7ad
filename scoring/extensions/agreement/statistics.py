"""Measures of agreement among judges and with people: Cohen's and Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import combinations, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from scoring.extensions.figures.pairs import marginals, pairs_of
from scoring.result import Unscored

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Rating: TypeAlias = tuple[str, Any]


def cohen_kappa_score(first: Sequence[Hashable], second: Sequence[Hashable], *, weights: Weights = "none") -> float:
    """Return Cohen's kappa of two raters on the same items: the agreement beyond chance.

    Args:
        first: The labels of one rater.
        second: The labels of the other, in the same order.
        weights: none counts all disagreements equally; linear and quadratic weight them by the distance of the labels
            in sorted order.

    Raises:
        Unscored: when there are no items, or both raters gave one and the same label throughout.

    Examples:
        >>> cohen_kappa_score(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
        0.5

    Source:
        J. Cohen, "A coefficient of agreement for nominal scales", 1960; weighted: 1968.
    """
    if len(first) != len(second) or not first:
        raise Unscored("kappa needs the labels of two raters on the same items")
    _, labels, indexes = pairs_of(range(len(first)), list(map(rating, first)), list(map(rating, second)))
    left, right = indexes.T
    found = float(kappa_of_counts(left, right, np.ones((1, len(first))), labels, weights)[0])
    if math.isnan(found):
        raise Unscored("kappa is undefined: both raters always gave the same label")
    return found


def kappa_of_counts(first: Any, second: Any, counts: Any, labels: Sequence[Any], weights: Weights = "none") -> Any:
    """Return Cohen's kappa for each row of ``counts`` of pairs of labels, NaN if it is undefined.

    Args:
        first: The label of one rater in each pair, as its index in ``labels``.
        second: The label of the other rater in each pair, likewise.
        counts: How often each pair (column) occurs; one row for each kappa.
        labels: The labels in order.
        weights: The weighting of disagreements, as in `cohen_kappa_score`.
    """
    indexes = np.arange(len(labels))
    apart = abs(indexes[:, None] - indexes[None, :]).astype(np.float64)
    apart = apart**2 if weights == "quadratic" else apart if weights == "linear" else (apart > 0).astype(np.float64)
    observed = (counts * apart[first, second]).sum(axis=-1)
    left, right = (marginals(counts, side, len(labels)) for side in (first, second))
    chance = (left * (apart @ right)).sum(axis=0) / counts.sum(axis=-1)
    return np.where(chance > 0, 1.0 - observed / np.where(chance > 0, chance, 1.0), np.nan)


def rating(value: Any) -> Rating:
    """Return the key that identifies and sorts a label: numbers before texts, each in their own order.

    Examples:
        >>> sorted([rating("b"), rating(10), rating(9.5), rating(True)])
        [('number', 9.5), ('number', 10), ('text', 'True'), ('text', 'b')]
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
    return ("number", value) if is_number else ("text", str(value))


class Ratings(dict[str, Rating]):
    """A cache of the keys that `rating` returns for texts: raters use few labels, each of them many times."""

    def __missing__(self, text: str) -> Rating:
        self[text] = found = rating(text)
        return found


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> float:
    """Return Fleiss' kappa of several raters, given the labels of each item, the same number for each.

    Raises:
        Unscored: when items have different numbers of labels, fewer than two, or only one label occurs.

    Examples:
        >>> round(fleiss_kappa([["a", "a", "a"], ["b", "b", "b"], ["a", "b", "b"]]), 4)
        0.55

    Source:
        J. L. Fleiss, "Measuring nominal scale agreement among many raters", 1971.
    """
    sizes = {len(labels) for labels in ratings}
    if len(sizes) != 1 or min(sizes) < 2:
        raise Unscored("Fleiss' kappa needs the same number of labels, at least two, for every item")
    raters, items = sizes.pop(), len(ratings)
    counts = [Counter(labels) for labels in ratings]
    within = math.fsum(sum(n * (n - 1) for n in found.values()) for found in counts) / (items * raters * (raters - 1))
    totals: Counter[Hashable] = sum(counts, Counter())
    chance = math.fsum((n / (items * raters)) ** 2 for n in totals.values())
    if chance == 1:
        raise Unscored("Fleiss' kappa is undefined: only one label occurs")
    return (within - chance) / (1 - chance)


def krippendorff_alpha(units: Sequence[Sequence[Any]], *, level: Level = "nominal") -> float:
    """Return Krippendorff's alpha, a measure of agreement, given the values of each rated unit.

    Args:
        units: The values of each unit, in any order, since it does not matter who gave them; missing values are left
            out or None.
        level: The level of measurement: nominal, ordinal, interval or ratio.

    Raises:
        Unscored: when no unit has two values, or all values are the same.

    Examples:
        >>> krippendorff_alpha([[1, 1], [2, 2], [3, 3, None]])
        1.0

    Source:
        K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.
    """
    paired = [[value for value in unit if value is not None] for unit in units]
    paired = [unit for unit in paired if len(unit) > 1]
    totals = Counter(value for unit in paired for value in unit)
    count = sum(totals.values())
    distance = _distance(level, totals)
    seen = math.fsum(
        left * right * distance(a, b) / (len(unit) - 1)
        for unit in paired
        for (a, left), (b, right) in combinations(Counter(unit).items(), 2)
    )
    chance = math.fsum(left * right * distance(a, b) for (a, left), (b, right) in combinations(totals.items(), 2))
    if chance == 0:
        raise Unscored("alpha is undefined: it needs units with two values, and two different values")
    return 1 - (count - 1) * seen / chance


def _distance(level: Level, totals: Counter[Any]) -> Callable[[Any, Any], float]:
    if level == "nominal":
        return lambda a, b: float(a != b)
    if level == "interval":
        return lambda a, b: float((a - b) ** 2)
    if level == "ratio":
        return lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0
    ordered = sorted(totals)
    ranks = {ordered[0]: 0.0} if ordered else {}
    # The distance of two neighbours is the mean of their frequencies; ranks are the running sum of distances.
    for before, value in pairwise(ordered):
        ranks[value] = ranks[before] + (totals[before] + totals[value]) / 2
    return lambda a, b: (ranks[a] - ranks[b]) ** 2
