"""Values of options, as they are read from their texts, with an error that says what is expected."""

from __future__ import annotations

import argparse
import os
import sys
from math import isnan, nan


def whole(text: str, least: int) -> int:
    """Return the integer in an option's text; raise ArgumentTypeError if it is less than `least` or no integer.

    Examples:
        >>> whole("20", 0)
        20
    """
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= sys.maxsize:
        most = f" and {sys.maxsize:,} at most" if number > sys.maxsize else ""
        such = f", such as {max(least, 4)}" if text and not text.lstrip("-").isdigit() else ""
        raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more{most}{such}, found {text!r:.100}")
    return number


def file_name(text: str) -> str:
    """Return a file's name unchanged; raise ArgumentTypeError for an empty one, as from an unset shell variable."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a name, found an empty text")
    return text


def folder(text: str) -> str:
    """Return a folder's name unchanged; raise ArgumentTypeError if it looks like a new file's, such as `out.json`."""
    name, dot, ending = file_name(text).rpartition(".")
    if dot and ending.lower() in _FILES and not os.path.exists(text):
        as_file = f", or `--json > {text}` for the figures alone" if ending.lower() == "json" else ""
        page = " --html" if ending.lower() == "html" else ""
        raise argparse.ArgumentTypeError(f"expected a folder, found the file {text}; write `-o {name}{page}`{as_file}")
    return text


_FILES = frozenset(("json", "jsonl", "csv", "tsv", "html", "parquet", "arrow", "txt", "md", "xlsx", "yaml", "yml"))


def share(text: str) -> float:
    """Return the number in an option's text; raise ArgumentTypeError if it is not from 0 to 1."""
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1 or text.endswith("%"):
        advice = f"; write {number / 100:g}" if 0 <= number <= 100 else ""
        raise argparse.ArgumentTypeError(f"expected a share, from 0 to 1, found {text!r}{advice}")
    return number


def limit(text: str) -> tuple[str, float]:
    """Return the name of a figure and its limit from the text `NAME=VALUE`; the name may contain an `=` itself.

    Raises:
        ArgumentTypeError: when the text does not have this form, or the value is not a number.
    """
    name, _, value = text.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not name.strip() or isnan(number):
        help_text = ", a share as 0.8" if value.endswith("%") else ""
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, such as `mean=0.8`{help_text}, found {text!r:.80}")
    return name.strip(), number
