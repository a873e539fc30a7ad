"""Comparators of two numbers."""

from __future__ import annotations

import math
from typing import Annotated, Any

from scoring.registry import AtLeast, Between, primitive, table
from scoring.values import Score


@primitive(
    laws=("identity", "bounded"),
    topics=("numbers",),
    aka=(
        "isclose",
        "approximately equal",
        "tolerance",
        "relaxed accuracy",
        "close to",
        "approx",
        "relaxed correctness",
    ),
)
def within(
    prediction: float,
    reference: float,
    /,
    *,
    relative: Annotated[float, AtLeast(0)] = 0.0,
    absolute: Annotated[float, AtLeast(0)] = 0.0,
    ulps: Annotated[int, Between(0, 1024)] = 4,
) -> Score:
    """Return 1 if the prediction is within the relative or the absolute tolerance of the reference, else 0.

    The limit is inclusive: 1.05 is within 5 % of 1, though the binary difference is slightly more than 0.05. To achieve
    that, the tolerance is increased by four units in the last place of the larger number (about 9e-16 of it). So
    numbers that differ only by rounding, such as 0.1 + 0.2 and 0.3, are equal without any tolerance. With `ulps=0`
    nothing is added: |p - r| ≤ max(relative · |r|, absolute) in double arithmetic.

    Args:
        relative: The largest allowed difference, as a share of the reference.
        absolute: The largest allowed difference.
        ulps: The allowance for rounding that is added to the tolerance, in units in the last place of the larger
            number.

    Examples:
        >>> within(101, 100, relative=0.01), within(102, 100, relative=0.01), within(0.1, 0, absolute=0.5)
        (1.0, 0.0, 1.0)
        >>> within(1.05, 1, relative=0.05), within(1.05, 1, relative=0.05, ulps=0)
        (1.0, 0.0)
    """
    allowed = max(relative * abs(reference), absolute)
    rounding = ulps * math.ulp(max(abs(prediction), abs(reference)))
    return 1.0 if abs(prediction - reference) <= allowed + rounding else 0.0


@table(within)
def _(
    predictions: list[float], references: list[float], *, relative: float = 0.0, absolute: float = 0.0, ulps: int = 4
) -> Any:
    import numpy as np

    one, other = _in_array(predictions)[:, None], _in_array(references)
    rounding = ulps * np.spacing(np.maximum(np.abs(one), np.abs(other)))
    return (np.abs(one - other) <= np.maximum(relative * np.abs(other), absolute) + rounding).astype(np.float64)


@primitive(laws=("identity", "bounded"), topics=("numbers",), aka=("relative accuracy",))
def relative_closeness(prediction: float, reference: float, /) -> Score:
    """Return 1 minus the relative error |p - r| / |r|, at least 0; if the reference is 0, only 0 scores 1.

    Examples:
        >>> relative_closeness(9, 10), relative_closeness(30, 10), relative_closeness(0, 0)
        (0.9, 0.0, 1.0)

    Source:
        MEGA-Bench, number_rel_diff_ratio.
    """
    if reference == 0:
        return 1.0 if prediction == 0 else 0.0
    return max(0.0, 1.0 - abs((prediction - reference) / reference))


@primitive(
    better="lower",
    range=(0.0, math.inf),
    laws=("symmetric",),
    topics=("numbers",),
    aka=("absolute difference", "l1 distance"),
)
def absolute_error(prediction: float, reference: float, /) -> Score:
    """Return the distance |p - r|, which a rescorer can turn into a score.

    Examples:
        >>> absolute_error(3, 5)
        2.0
    """
    return float(abs(prediction - reference))


@table(absolute_error)
def _(predictions: list[float], references: list[float]) -> Any:
    import numpy as np

    return np.abs(np.subtract.outer(_in_array(predictions), _in_array(references)))


def _in_array(values: list[float]) -> Any:
    """Return finite numbers as an array of floats that represents each of them exactly.

    Raises:
        TypeError: when there are other values, such as integers with more digits than a float has.
    """
    import numpy as np

    if not all(type(value) is float or (type(value) is int and abs(value) < 2**52) for value in values):
        raise TypeError("numbers that no array of floats holds")
    array = np.array(values, dtype=np.float64)
    if not (np.abs(array) <= _LARGEST).all():
        raise TypeError("numbers that are not finite, or so large that their sums may not be")
    return array


_LARGEST = 1e300
