"""Ranges of numbers: what a formula may yield, and so whether a condition can ever fail or hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

Truth: TypeAlias = Literal["always", "never", "unknown"]


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from ``low`` to ``high``, both included.

    Examples:
        >>> str(Interval(0, 1)), str(Interval(2, 2))
        ('[0, 1]', '2')
    """

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"[{self.low:g}, {self.high:g}]"

    def hull(self, other: Interval) -> Interval:
        """The smallest range that holds both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def magnitude(self) -> Interval:
        """The range of the absolute value."""
        low = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        return Interval(low, max(abs(self.low), abs(self.high)))


UNIT = Interval(0.0, 1.0)
EVERYTHING = Interval(-math.inf, math.inf)


def apply(op: str, left: Interval, right: Interval) -> Interval:
    """The range of ``left op right``.

    Examples:
        >>> apply("-", Interval(0, 1), Interval(0, 1))
        Interval(low=-1, high=1)
    """
    if op == "+":
        return Interval(left.low + right.low, left.high + right.high)
    if op == "-":
        return Interval(left.low - right.high, left.high - right.low)
    if op == "*":
        products = [_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return Interval(min(products), max(products))
    if right.low <= 0 <= right.high:
        return EVERYTHING
    quotients = [a / b for a in (left.low, left.high) for b in (right.low, right.high)]
    return Interval(min(quotients), max(quotients)) if not any(map(math.isnan, quotients)) else EVERYTHING


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def compare(op: str, left: Interval, right: Interval) -> Truth:
    """Whether ``left op right`` always holds, never holds, or depends.

    Examples:
        >>> compare(">=", Interval(0, 1), Interval(0, 0)), compare(">", Interval(0, 1), Interval(1, 1))
        ('always', 'never')
        >>> compare(">=", Interval(0, 1), Interval(0.5, 0.5))
        'unknown'
    """
    if op in (">", ">="):
        return compare("<" if op == ">" else "<=", right, left)
    if op == "<":
        return "always" if left.high < right.low else "never" if left.low >= right.high else "unknown"
    if op == "<=":
        return "always" if left.high <= right.low else "never" if left.low > right.high else "unknown"
    apart = left.high < right.low or right.high < left.low
    same = left.low == left.high == right.low == right.high
    if op == "==":
        return "never" if apart else "always" if same else "unknown"
    return "always" if apart else "never" if same else "unknown"
