"""Columns of numbers, in which NaN stands for what is no number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


def number_of(value: Any) -> float:
    """Return the value as a float where it is a number within the range of floats, else NaN."""
    try:
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan


def numbers(values: Iterable[Any]) -> Any:
    """Return the values as an array of floats; NaN for each one that is not a number within the range of floats."""
    column = list(values)
    plain = column if set(map(type, column)) == {float} else [number_of(value) for value in column]
    return np.array(plain, dtype=np.float64)
