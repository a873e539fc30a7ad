"""Ranges of the numbers that a scorer or a formula may yield, computed by interval arithmetic.

Every end of a range is computed by the same float operations as a score, and rounding is monotonic. So a number that is
computed from numbers within some ranges is, to the last bit, within the range computed from the ends of those ranges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Truth: TypeAlias = Literal["always", "never", "unknown"]
Growth: TypeAlias = Literal["still", "up", "down", "open"]
"""How a number changes as its inputs grow: not at all, never down, never up, or unknown."""

Better: TypeAlias = Literal["higher", "lower"] | float | None
"""Which values are better: higher ones, lower ones, or those nearer to a target; None where it is not stated."""


GREATEST = 1e70
"""The greatest magnitude of a score that counts: intervals need fourth powers, which would overflow above it."""


class ScoreRange(Struct, frozen=True):
    """All numbers from ``low`` to ``high``, both included; an end may be infinite.

    Examples:
        >>> str(ScoreRange(0, 1)), str(ScoreRange(2, 2)), str(ScoreRange(0, math.inf))
        ('[0, 1]', '2', '[0, inf]')
    """

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"[{self.low:g}, {self.high:g}]"

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high

    @property
    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def holds(self, value: float) -> bool:
        """Return whether a number is within the range, with a tolerance for the rounding of a few operations."""
        low, high = self.low, self.high
        return low - _slack(low) <= value <= high + _slack(high)

    def share(self, value: float) -> float:
        """Return a number's position, 0 at the lower end and 1 at the upper; the number itself in an infinite range.

        Examples:
            >>> ScoreRange(-1.0, 3.0).share(2.0), ScoreRange(0.0, math.inf).share(2.0)
            (0.75, 2.0)
        """
        return (value - self.low) / (self.high - self.low) if self.is_finite and self.low < self.high else value

    def at(self, share: float) -> float:
        """Return the number at a position between the ends, as given by `share`; the share in an infinite range."""
        return self.low + share * (self.high - self.low) if self.is_finite else share

    def nearest(self, value: float) -> float:
        """Return the number in the range that is nearest to another number.

        Examples:
            >>> UNIT.nearest(1.5), UNIT.nearest(0.5)
            (1.0, 0.5)
        """
        return min(max(value, self.low), self.high)

    def rounded(self) -> ScoreRange:
        """Return the range with each end replaced by a short decimal if it differs from that only by rounding errors.

        Examples:
            >>> ScoreRange(0.0, 0.4 + 0.3 + 0.2 + 0.1).rounded(), ScoreRange(0.0, 1 / 3).rounded().high == 1 / 3
            (ScoreRange(low=0.0, high=1.0), True)
        """
        return ScoreRange(*map(_short, self.ends))

    def settled(self, value: float) -> float:
        """Return a number, replaced by an end of the range if it differs from that only by rounding errors.

        Examples:
            >>> UNIT.settled(0.4 + 0.3 + 0.2 + 0.1), UNIT.settled(0.999)
            (1.0, 0.999)
        """
        return next((end for end in self.ends if abs(value - end) <= _ROUNDING * abs(end) < math.inf), value)

    def hull(self, *others: ScoreRange | float) -> ScoreRange:
        """Return the smallest range that contains this range and all others.

        Examples:
            >>> UNIT.hull(3.0)
            ScoreRange(low=0.0, high=3.0)
        """
        every = [self, *map(as_range, others)]
        return ScoreRange(min(one.low for one in every), max(one.high for one in every))

    def magnitude(self) -> ScoreRange:
        """Return the range of the absolute values of the numbers in this range."""
        low = 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        return ScoreRange(low, max(abs(self.low), abs(self.high)))

    def square(self) -> ScoreRange:
        """Return the range of the squares of the numbers in this range."""
        magnitude = self.magnitude()
        return ScoreRange(magnitude.low * magnitude.low, magnitude.high * magnitude.high)

    def within(self, low: float, high: float) -> ScoreRange:
        """Return the range after clamping its numbers to the limits `low` and `high`."""
        return ScoreRange(min(high, max(low, self.low)), min(high, max(low, self.high)))

    def to_json(self) -> list[float | None]:
        """Return both ends, None for an infinite one.

        Examples:
            >>> ScoreRange(0.0, math.inf).to_json()
            [0.0, None]
        """
        return [end if math.isfinite(end) else None for end in (self.low, self.high)]

    @classmethod
    def of_json(cls, ends: Any) -> ScoreRange:
        """Return the range of ends as written by `to_json`; for None, the unit interval.

        Examples:
            >>> ScoreRange.of_json([None, 1.0]), ScoreRange.of_json(None) == UNIT
            (ScoreRange(low=-inf, high=1.0), True)
        """
        if ends is None:
            return UNIT
        low, high = ends
        return cls(-math.inf if low is None else float(low), math.inf if high is None else float(high))


UNIT = ScoreRange(0.0, 1.0)
EVERYTHING = ScoreRange(-math.inf, math.inf)


def _slack(end: float) -> float:
    return 1e-9 * max(1.0, abs(end)) if math.isfinite(end) else 0.0


_ROUNDING = 2.0**-48  # the relative rounding error of about ten operations


def snap_to_whole(value: float) -> float:
    """Return a number, replaced by the nearest whole number if it differs from that only by rounding errors.

    Examples:
        >>> snap_to_whole(0.4 + 0.3 + 0.2 + 0.1), snap_to_whole(0.999), snap_to_whole(0.1 + 0.2)
        (1.0, 0.999, 0.30000000000000004)
    """
    near = float(round(value)) if math.isfinite(value) else value
    return near if abs(value - near) <= _ROUNDING * abs(near) < math.inf else value


def _short(end: float) -> float:
    near = float(f"{end:.12g}")
    return near if abs(end - near) <= _ROUNDING * abs(near) < math.inf else end


def as_range(value: ScoreRange | float) -> ScoreRange:
    """Return a number as the range that contains only this number; a range unchanged."""
    return value if isinstance(value, ScoreRange) else ScoreRange(float(value), float(value))


def hull(ranges: Iterable[ScoreRange]) -> ScoreRange:
    """Return the smallest range that contains all given ranges; without any, the range of all numbers."""
    first, *others = [*ranges] or [EVERYTHING]
    return first.hull(*others)


def joined_range(reduce: Callable[[list[float]], float], parts: Iterable[ScoreRange]) -> ScoreRange:
    """Return the range of a function of several numbers (`reduce`), given the range of each; the function must increase
    with each number.

    Examples:
        >>> joined_range(math.fsum, [UNIT, UNIT])
        ScoreRange(low=0.0, high=2.0)
    """
    known = list(parts)
    ends = []
    for values, beyond in (([part.low for part in known], -math.inf), ([part.high for part in known], math.inf)):
        try:
            end = reduce(values)
        except (OverflowError, ValueError):  # raised by `fsum` on overflow, and on infinities of both signs
            end = beyond
        ends.append(beyond if math.isnan(end) else end)
    return ScoreRange(*ends)


def apply(op: str, left: ScoreRange, right: ScoreRange) -> ScoreRange:
    """Return the range of ``left op right`` for `+`, `-`, `*` or `/`; divisions by 0, which yield no number, are left
    out.

    Examples:
        >>> apply("-", UNIT, UNIT), apply("/", ScoreRange(0.0, math.inf), ScoreRange(1.0, math.inf))
        (ScoreRange(low=-1.0, high=1.0), ScoreRange(low=0.0, high=inf))
    """
    if op == "+":
        return _ends([left.low + right.low], [left.high + right.high])
    if op == "-":
        return _ends([left.low - right.high], [left.high - right.low])
    pairs = [(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    if op == "*":
        products = [_times(a, b) for a, b in pairs]
        return ScoreRange(min(products), max(products))
    if right.low < 0 < right.high:
        return hull(apply("/", left, half) for half in (ScoreRange(right.low, 0.0), ScoreRange(0.0, right.high)))
    sign = 1.0 if right.high > 0 else -1.0
    quotients = [quotient for a, b in pairs for quotient in _over(a, b, sign)]
    return _ends(quotients, quotients)


def _ends(lows: list[float], highs: list[float]) -> ScoreRange:
    """Return the range from the least lower end to the greatest upper end; all numbers if one of them is NaN."""
    if any(map(math.isnan, (*lows, *highs))):
        return EVERYTHING
    return ScoreRange(min(lows), max(highs))


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _over(a: float, b: float, sign: float) -> list[float]:
    """Return the possible extremes of ``a / b``, where `a` is an end of one range and `b` an end of another.

    This is one number, or two if both ends are infinite. If `b` is 0, it is the limit as the divisor approaches 0 from
    the side that `sign` (1.0 or -1.0) gives.
    """
    if b == 0:
        return [0.0 if a == 0 else math.copysign(math.inf, a) * sign]
    if math.isinf(a) and math.isinf(b):
        return [0.0, math.copysign(math.inf, a) * math.copysign(1.0, b)]
    return [a / b]


def compare_ranges(op: str, left: ScoreRange, right: ScoreRange) -> Truth:
    """Return whether ``left op right`` is always true, never true, or unknown, for numbers of two ranges.

    Examples:
        >>> compare_ranges(">=", ScoreRange(0, 1), ScoreRange(0, 0))
        'always'
        >>> compare_ranges(">", ScoreRange(0, 1), ScoreRange(1, 1))
        'never'
        >>> compare_ranges(">=", ScoreRange(0, 1), ScoreRange(0.5, 0.5))
        'unknown'
    """
    if op in (">", ">="):
        return compare_ranges("<" if op == ">" else "<=", right, left)
    if op == "<":
        always, never = left.high < right.low, left.low >= right.high
    elif op == "<=":
        always, never = left.high <= right.low, left.low > right.high
    else:
        apart = left.high < right.low or right.high < left.low
        same = left.low == left.high == right.low == right.high
        always, never = (same, apart) if op == "==" else (apart, same)
    return "always" if always else "never" if never else "unknown"
