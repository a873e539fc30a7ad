"""Sums of floats without rounding: the same bits whatever the order, the split or the number of processes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExactSum:
    """A sum kept as a few floats that do not overlap, so that adding two sums loses nothing.

    Examples:
        >>> ExactSum.of([0.1] * 10).value
        1.0
        >>> ExactSum.of([1e16, 1.0]).merge(ExactSum.of([-1e16])).value
        1.0
    """

    parts: tuple[float, ...] = ()

    @classmethod
    def of(cls, values: Iterable[float]) -> ExactSum:
        """The exact sum of some finite values.

        Raises:
            ValueError: when a value is infinite or not a number.
        """
        held = list(values)
        parts: list[float] = []
        while True:
            rest = math.fsum(held)  # fsum rounds once; what it rounded off is the next part
            if rest == 0.0:
                return cls(tuple(parts))
            if not math.isfinite(rest):
                raise ValueError("a sum of numbers that are not all finite")
            parts.append(rest)
            held.append(-rest)

    def merge(self, other: ExactSum) -> ExactSum:
        """The sum of both."""
        return ExactSum.of([*self.parts, *other.parts])

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return math.fsum(self.parts)
