"""MEGA-Bench as released: errors of numbers and angles, and one of several phrases."""

from __future__ import annotations

import math
from typing import Any

from scoring.packs.megabench.primitives.casts import iterable_of
from scoring.packs.megabench.primitives.text import same_simplified, simplified
from scoring.packs.megabench.primitives.zero import zero_on_error
from scoring.primitives.parsing.literal import read_literal
from scoring.registry import primitive
from scoring.values import Score


def _windowed_difference(prediction: Any, reference: Any) -> Any:
    if not isinstance(prediction, str) or not isinstance(reference, str):
        raise TypeError("the released code reads texts only")
    difference = _number(prediction) - _number(reference)
    if isinstance(difference, complex):
        return _complex_window(difference)
    return 1 - min(abs(difference), 0.1) / 0.1


def _complex_window(difference: complex) -> complex:
    """The root of the square, cut at 0.1 by the order in which NumPy sorts complex numbers: real parts first."""
    import numpy as np

    with np.errstate(all="ignore"):
        return complex(1 - np.clip(np.sqrt(difference**2), 0.0, 0.1) / 0.1)


def _number(text: str) -> Any:
    return read_literal(text.lstrip(" \t"))


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
def megabench_upstream_windowed_difference(prediction: object, reference: object, /) -> Score:
    """1 for equal numbers, falling to 0 where they differ by 0.1; only texts are read.

    A complex response scores a complex number, which no mean takes: where the released run stops, it is unscored.

    Examples:
        >>> megabench_upstream_windowed_difference("0.5", "0.5"), megabench_upstream_windowed_difference(0.5, "0.5")
        (1.0, 0.0)

    Source:
        MEGA-Bench, released code, normalized_rmse.
    """
    return zero_on_error(_windowed_difference, prediction, reference)


def _is_plain(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


def _angles(prediction: object, reference: object) -> Any:
    angles, targets = iterable_of(list, prediction), iterable_of(list, reference)
    if len(angles) != len(targets):
        return 0.0
    if angles and all(map(_is_plain, angles)) and all(map(_is_plain, targets)):
        mean = math.fsum(abs(one - other) for one, other in zip(angles, targets, strict=True)) / len(angles)
        return 1 - min(mean, 10) / 10
    return _angles_of_arrays(angles, targets)


def _angles_of_arrays(angles: list[Any], targets: list[Any]) -> Any:
    """Lists of anything else, as NumPy takes them: nested lists, booleans, infinities, complex numbers.

    The sum is over all elements of the difference, which NumPy may spread to more dimensions, the divisor is the length
    of the list: ``[[1], [2]]`` against ``[1, 2]`` are four differences over two.
    """
    import numpy as np

    if not targets:
        return 0.0
    with np.errstate(all="ignore"):  # an overflow counts as the largest difference
        total = np.sqrt((np.array(angles) - np.array(targets)) ** 2).sum() / len(targets)
        score = 1 - np.clip(total, 0.0, 10.0) / 10
    return 0.0 if math.isnan(score.real) else score.item()


@primitive(range=(-math.inf, math.inf), uses=("numpy",), revision=2)
def megabench_upstream_angle_sequence(prediction: object, reference: object, /) -> Score:
    """1 minus a tenth of the mean absolute difference of two lists of numbers, at least 0; complex for complex numbers.

    Examples:
        >>> megabench_upstream_angle_sequence("90, 45", "[90, 40]")
        0.75
        >>> megabench_upstream_angle_sequence("[[1], [2]]", "1, 2")
        0.9

    Source:
        MEGA-Bench, released code, angle_seq_float_rmse (which is no root mean square).
    """
    return zero_on_error(_angles, prediction, reference)


def _any_phrase(prediction: object, reference: Any) -> float:
    phrases = iterable_of(list, reference.replace("，", ","))
    response = simplified(str(prediction))
    return float(any(same_simplified(response, simplified(str(phrase))) for phrase in phrases))


@primitive
def megabench_upstream_any_phrase(prediction: object, reference: object, /) -> Score:
    """1 when the response is one of the phrases of the reference's list, loosely compared.

    Examples:
        >>> megabench_upstream_any_phrase("Ice-cream", "[sorbet, ice cream]")
        1.0

    Source:
        MEGA-Bench, released code, multi_ref_phrase.
    """
    return zero_on_error(_any_phrase, prediction, reference)
