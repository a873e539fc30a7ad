"""Numbers on the command line."""

from __future__ import annotations

import argparse


def from_zero(text: str) -> int:
    """A whole number, 0 or more.

    Examples:
        >>> from_zero("20")
        20
    """
    return _whole(text, 0)


def from_one(text: str) -> int:
    """A whole number, 1 or more.

    Examples:
        >>> from_one("2")
        2
    """
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, found {text!r}")
    return number
