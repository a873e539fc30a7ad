"""Sums of floats without rounding: the same bits whatever the order, the split or the number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct

FEW = 64
"""Up to this many values a loop is faster than array operations."""


def on_grid(values: Any, count: int) -> Any:
    """Return the values rounded to a grid on which any ``count`` of them, repeated or not, add up without rounding.

    The rounding error is at most 2 ** -50 of the greatest value times ``count``, and ``values - on_grid(…)`` is exact.
    Sums on the grid have the same bits in any order, on any processor and in a matrix product.

    Args:
        values: A non-empty array of finite floats; each of its columns has a separate grid.
        count: Maximum number of values that are added.

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


class ExactSum(Struct, frozen=True):
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
