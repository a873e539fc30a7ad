"""Sums of floats without rounding: the same bits whatever the order, the split or the number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

FEW = 64
"""Up to this many values a loop is faster than array operations."""


def on_grid(values: Any, count: int) -> Any:
    """Return the values rounded to a grid on which any ``count`` of them, repeated or not, add up without rounding.

    The rounding error is at most 2 ** -50 of the greatest value times ``count``, and ``values - on_grid(…)`` is exact.
    Sums on the grid have the same bits in any order, on any processor and in a matrix product. ``values`` is an array,
    not empty, of finite floats; each of its columns has a separate grid.

    Raises:
        OverflowError: when such sums are beyond the range of floats.

    Source:
        Rump, Ogita, Oishi: Accurate Floating-Point Summation, part I (2008), ExtractVector.
    """
    _, exponents = np.frexp(np.abs(values).max(axis=0))
    # Adding a number greater than any sum pushes the bits below the grid out of the significand.
    exponents = exponents + (count + 1).bit_length()
    if (exponents > 1023).any():
        raise OverflowError("the sums are beyond the range of floats")
    shift = np.ldexp(1.0, exponents)
    return (values + shift) - shift


def weighted_sums(units: Any, counts: Any) -> Any:
    """Return the sums of each column for each line of counts, which state how often each unit occurs.

    ``units`` has a line of floats for each unit, ``counts`` a column of whole numbers. The sums have the same bits for
    any order of the units. The error is below 2 ** -70 of the greatest number of the column, for up to a million units.

    Examples:
        >>> import numpy as np
        >>> weighted_sums(np.array([[0.1], [0.2]]), np.array([[1, 1], [0, 3]])).round(4).tolist()
        [[0.3], [0.6]]
    """
    counts = np.asarray(counts, dtype=np.float64)
    if not units.size or not counts.size:
        return np.zeros((len(counts), units.shape[1]))
    return sum(counts @ part for part in _parts(units, int(counts.sum(axis=-1).max())))


def sums_by(units: Any, owners: Any, size: int) -> Any:
    """Return the sums of each column over the lines of each owner, with the same bits for any order of the lines.

    ``owners`` has the number of each line's owner, from 0 to ``size`` - 1.

    Examples:
        >>> import numpy as np
        >>> sums_by(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0]), 2).tolist()
        [[5.0], [2.0]]
    """
    parts = [
        np.stack([np.bincount(owners, weights=column, minlength=size) for column in part.T], axis=-1)
        for part in _parts(units, len(units))
    ]
    return sum(parts)


def _parts(units: Any, times: int) -> list[Any]:
    """Return arrays that add up to the units, nearly; any ``times`` values of an array add up without rounding."""
    try:
        coarse = on_grid(units, times)
        return [coarse, on_grid(units - coarse, times)]
    except OverflowError:  # close to the greatest float there is no room for a grid
        return [units]


@dataclass(frozen=True, slots=True)
class ExactSum:
    """A sum stored as a few non-overlapping floats, so that adding two sums is exact.

    Examples:
        >>> ExactSum.of([0.1] * 10).value
        1.0
        >>> ExactSum.of([1e16, 1.0]).merge(ExactSum.of([-1e16])).value
        1.0
    """

    parts: tuple[float, ...] = ()

    @classmethod
    def of(cls, values: Iterable[float]) -> ExactSum:
        """Return the exact sum of some finite values, a list or an array of floats.

        Raises:
            ValueError: when a value is infinite or not a number.
        """
        terms = _few(values) if hasattr(values, "dtype") else list(values)
        parts: list[float] = []
        while True:
            rest = math.fsum(terms)  # fsum rounds once; its rounding error is the next part
            if rest == 0.0:
                return cls(tuple(parts))
            if not math.isfinite(rest):
                raise ValueError("a sum of numbers that are not all finite")
            parts.append(rest)
            terms.append(-rest)

    def merge(self, other: ExactSum) -> ExactSum:
        """Return the exact sum of both sums."""
        return ExactSum.of([*self.parts, *other.parts])

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return math.fsum(self.parts)


def _few(values: Any) -> list[float]:
    """Return a few floats with exactly the sum of an array, by summing the parts on ever finer grids."""
    found: list[float] = []
    rest = values
    while len(rest) > FEW and rest.any():
        if not np.isfinite(rest).all():
            raise ValueError("a sum of numbers that are not all finite")
        try:
            grid = on_grid(rest, len(rest))
        except OverflowError:  # close to the greatest float there is no room for the shift
            break
        found.append(float(grid.sum()))
        rest = rest - grid
    return [*found, *rest[rest != 0.0].tolist()]
