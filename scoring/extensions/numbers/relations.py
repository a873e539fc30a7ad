"""Comparators of numbers: the error as a share of the reference, and relations such as `at least`."""

from __future__ import annotations

import math
import operator
from typing import Any, Literal

from scoring.registry import primitive
from scoring.result import Unscored
from scoring.values import Score

_RELATIONS = {
    "less than": operator.lt,
    "at most": operator.le,
    "equal to": operator.eq,
    "at least": operator.ge,
    "more than": operator.gt,
}


@primitive(
    traits=("response_alone",),
    topics=("numbers", "instructions"),
    aka=("comparison", "relation", "count constraint", "greater than"),
)
def number_is(
    prediction: float,
    reference: Any,
    /,
    *,
    relation: Literal["less than", "at most", "equal to", "at least", "more than"] = "equal to",
    to: float,
) -> Score:
    """Return 1 if the prediction, a number, is in the given relation to another number, else 0.

    It is meant for checks of counts: `words | length | number_is("at least", item.words)`.

    Args:
        relation: The required relation of the prediction to the other number; may be a path of the record.
        to: The other number.

    Examples:
        >>> number_is(3, None, relation="at least", to=3), number_is(3, None, relation="less than", to=3)
        (1.0, 0.0)
    """
    return float(_RELATIONS[relation](prediction, to))


@primitive(better="lower", range=(0.0, math.inf), topics=("numbers",), aka=("percentage error", "relative change"))
def relative_error(prediction: float, reference: float, /) -> Score:
    """Return |p - r| / |r|, the error as a share of the reference, which a rescorer can turn into a score.

    Raises:
        Unscored: when the reference is 0, or the error is not a number (NaN).

    Examples:
        >>> relative_error(105, 100), relative_error(-1, 1)
        (0.05, 2.0)
    """
    if reference == 0:
        raise Unscored("the reference is 0, which no error can be a share of")
    error = abs(prediction - reference) / abs(reference)
    if math.isnan(error):
        raise Unscored(f"there is no relative error of {prediction} and {reference}")
    return float(error)
