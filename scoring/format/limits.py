"""Limits on spec files, so that no file takes unbounded time or memory."""

from __future__ import annotations

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source
from scoring.lazy_pattern import lazy_pattern


class ReadLimits(Struct, frozen=True):
    """The limits of a file that the readers of spec files accept.

    Args:
        size: The most characters of text.
        depth: The most levels of nested mappings and lists.
        nodes: The most values in total; values repeated by aliases are counted each time.
        aliases: The most uses of YAML aliases.
        digits: The most characters of one number.
    """

    size: int = 2_000_000
    depth: int = 64
    nodes: int = 100_000
    aliases: int = 100
    digits: int = 400


LIMITS = ReadLimits()

# Advice in messages.
DATA_APART = "data belongs in a data file; a spec says how it is scored"
STARTER = "`scoring new task task.yaml` writes a starter spec"

# The characters outside of YAML's printable set, which JSON files have no reason to use either.
# This class is compiled twenty times as fast as the negation of the printable set.
_UNPRINTABLE = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def check_characters(source: Source, limits: ReadLimits) -> int:
    """Check a text's length and characters, and return the offset of its content: 1 after a byte order mark, else 0.

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
            f"the character U+{code:04X} is not allowed in a spec",
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
    """Return the error for a value, at the offset `start`, that is nested too deeply."""
    return SpecError.of(
        "too-deep",
        f"mappings and lists are nested more than {limits.depth} levels deep",
        source.span(start, start + 1),
        "the next level begins here",
    )


def too_many_values(source: Source, start: int, limits: ReadLimits) -> SpecError:
    """Return the error for a file with too many values; the first beyond the limit is at the offset `start`."""
    return SpecError.of(
        "too-many-values",
        f"the file holds more than {limits.nodes:,} values",
        source.span(start, start),
        "the next value begins here",
        note="each use of a YAML alias counts all the values that it repeats",
    )
