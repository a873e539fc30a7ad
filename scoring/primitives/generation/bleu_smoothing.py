"""The smoothing methods of Chen and Cherry for sentence BLEU, equal to NLTK's to the last bit.

Precisions stay exact fractions wherever NLTK keeps them exact: rounding happens once, when a logarithm is taken.

Source:
    B. Chen and C. Cherry, "A systematic comparison of smoothing techniques for sentence-level BLEU", 2014.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from scoring.late import dataclass
from scoring.result import Unscored

Count: TypeAlias = tuple[int, int]
Precision: TypeAlias = float | Fraction

_EPSILON = 0.1
_ALPHA = 5
_K = 5


@dataclass(frozen=True, slots=True)
class GramMatches:
    """What smoothing sees: (matched, all) for every order, the same for 5-grams, and the length in tokens."""

    counts: list[Count]
    fifth: Count
    length: int


def _none(matches: GramMatches) -> list[Precision]:
    return [matched / total if matched else sys.float_info.min for matched, total in matches.counts]


def _epsilon(matches: GramMatches) -> list[Precision]:
    return [matched / total if matched else (0 + _EPSILON) / total for matched, total in matches.counts]


def _plus_one(matches: GramMatches) -> list[Precision]:
    (matched, total), *rest = matches.counts
    return [matched / total, *((matched + 1) / (total + 1) for matched, total in rest)]


def _geometric(matches: GramMatches) -> list[Precision]:
    found: list[Precision] = []
    zeros = 0
    for matched, total in matches.counts:
        zeros += not matched
        found.append(matched / total if matched else 1 / (2**zeros * total))
    return found


def _by_length(matches: GramMatches) -> list[Precision]:
    found: list[Precision] = []
    zeros = 0
    for matched, total in matches.counts:
        if matched or matches.length <= 1:
            found.append(Fraction(matched, total))
        else:
            zeros += 1
            found.append(1 / (2**zeros * _K / math.log(matches.length)) / total)
    return found


def _average(matches: GramMatches) -> list[Precision]:
    return _averaged([Fraction(matched, total) for matched, total in matches.counts], matches)


def _averaged(precisions: list[Precision], matches: GramMatches) -> list[Precision]:
    following = [*precisions[1:], Fraction(*matches.fifth)]
    previous: Precision = precisions[0] + 1
    found: list[Precision] = []
    for precision, after in zip(precisions, following, strict=True):
        previous = (previous + precision + after) / 3
        found.append(previous)
    return found


def _interpolated(matches: GramMatches) -> list[Precision]:
    counts = matches.counts
    if len(counts) < 3 or not counts[2][0]:
        raise Unscored("smoothing method6 needs a shared trigram")
    found: list[Precision] = [Fraction(*counts[0]), Fraction(*counts[1])]
    for order, (matched, _) in enumerate(counts[2:], start=3):
        before, last = found[-2], found[-1]
        prior: Precision = 0.0 if before == 0 else last**2 / before
        found.append((matched + _ALPHA * prior) / (max(matches.length - order + 1, 0) + _ALPHA))
    return found


def _both(matches: GramMatches) -> list[Precision]:
    return _averaged(_by_length(matches), matches)


SMOOTHING: dict[str, Callable[[GramMatches], list[Precision]]] = {
    "none": _none,
    "method1": _epsilon,
    "method2": _plus_one,
    "method3": _geometric,
    "method4": _by_length,
    "method5": _average,
    "method6": _interpolated,
    "method7": _both,
}
