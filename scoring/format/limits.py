"""Limits of spec files, so that none costs unbounded time or memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source


@dataclass(frozen=True)
class ReadLimits:
    """The largest file the readers accept.

    Args:
        size: Characters of text.
        depth: Mappings and lists inside one another.
        nodes: Values in all, those that aliases repeat counted each time.
        aliases: Uses of YAML aliases.
        digits: Characters of one number.
    """

    size: int = 2_000_000
    depth: int = 64
    nodes: int = 100_000
    aliases: int = 100
    digits: int = 400


LIMITS = ReadLimits()

# What messages advise.
DATA_APART = "data belong in a data file; a spec says how they are scored"
STARTER = "`scoring new task task.yaml` writes a starter"

# YAML's printable set, which JSON files have no reason to leave either.
# The class of what it leaves out is compiled twenty times as fast as the negation of what it has.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def check_text(source: Source, limits: ReadLimits) -> int:
    """Refuse a text that is too long or contains control characters; return the offset of its content.

    Raises:
        SpecError: too-large, unprintable-character.
    """
    text = source.text
    if len(text) > limits.size:
        raise SpecError.of(
            "too-large",
            f"the file has {len(text):,} characters, more than the {limits.size:,} a spec may have",
            source.span(0, 0),
            note=DATA_APART,
        )
    begin = 1 if text.startswith("\ufeff") else 0
    found = _UNPRINTABLE.search(text, begin)
    if found:
        code = ord(found.group())
        raise SpecError.of(
            "unprintable-character",
            f"the character U+{code:04X} can't stand in a spec",
            source.span(*found.span()),
            _UNPRINTABLE_NAMES.get(code, "not a printable character"),
            help="in a double-quoted text it can be written as an escape" if code < 0xD800 or code == 0xFEFF else (),
        )
    return begin


_UNPRINTABLE_NAMES = {
    0x00: "a zero byte; is this a text file?",
    0xFEFF: "a byte order mark inside the text",
    0x7F: "the delete character",
    0x1B: "an escape character, as in terminal colours",
}


def too_deep(source: Source, start: int, limits: ReadLimits) -> SpecError:
    """Return the error for a value below too many others."""
    return SpecError.of(
        "too-deep",
        f"more than {limits.depth} mappings and lists stand inside one another",
        source.span(start, start + 1),
        "the next level begins here",
    )


def too_many_values(source: Source, start: int, limits: ReadLimits) -> SpecError:
    """Return the error for a file of too many values."""
    return SpecError.of(
        "too-many-values",
        f"the file holds more than {limits.nodes:,} values",
        source.span(start, start),
        "the next value begins here",
        note="each use of a YAML alias counts all the values that it repeats",
    )
