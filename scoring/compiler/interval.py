"""Ranges of numbers: what a formula may yield, and so whether a condition can ever fail or hold."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from scoring.late import dataclass

Truth: TypeAlias = Literal["always", "never", "unknown"]


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """All numbers from ``low`` to ``high``, both included.

    Examples:
        >>> str(ScoreRange(0, 1)), str(ScoreRange(2, 2))
        ('[0, 1]', '2')
    """

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"[{self.low:g}, {self.high:g}]"

    def hull(self, other: ScoreRange) -> ScoreRange:
        """The smallest range that holds both."""
        return ScoreRange(min(self.low, other.low), max(self.high, other.high))

    def magnitude(self) -> ScoreRange:
        """The range of the absolute value."""
        low = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        return ScoreRange(low, max(abs(self.low), abs(self.high)))


UNIT = ScoreRange(0.0, 1.0)
EVERYTHING = ScoreRange(-math.inf, math.inf)


def apply(op: str, left: ScoreRange, right: ScoreRange) -> ScoreRange:
    """The range of ``left op right``.

    Examples:
        >>> apply("-", ScoreRange(0, 1), ScoreRange(0, 1))
        ScoreRange(low=-1, high=1)
    """
    if op == "+":
        return ScoreRange(left.low + right.low, left.high + right.high)
    if op == "-":
        return ScoreRange(left.low - right.high, left.high - right.low)
    if op == "*":
        products = [_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return ScoreRange(min(products), max(products))
    if right.low <= 0 <= right.high:
        return EVERYTHING
    quotients = [a / b for a in (left.low, left.high) for b in (right.low, right.high)]
    return ScoreRange(min(quotients), max(quotients)) if not any(map(math.isnan, quotients)) else EVERYTHING


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def compare(op: str, left: ScoreRange, right: ScoreRange) -> Truth:
    """Whether ``left op right`` always holds, never holds, or depends.

    Examples:
        >>> compare(">=", ScoreRange(0, 1), ScoreRange(0, 0)), compare(">", ScoreRange(0, 1), ScoreRange(1, 1))
        ('always', 'never')
        >>> compare(">=", ScoreRange(0, 1), ScoreRange(0.5, 0.5))
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
