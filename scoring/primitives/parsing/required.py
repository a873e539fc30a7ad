"""A check that there is something at all."""

from __future__ import annotations

from typing import Any

from scoring.registry import primitive
from scoring.result import Unparsed


@primitive
def required(value: Any, /) -> Any:
    """The value itself, unless there is none.

    Raises:
        Unparsed: when the value is missing.

    Examples:
        >>> required("a")
        'a'
    """
    if value is None:
        raise Unparsed("the value is missing")
    return value
