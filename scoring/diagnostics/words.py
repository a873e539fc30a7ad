"""Small helpers for the wording of messages, and for comparing names as people spell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

EFFECTS = {"judge": "asks a judge", "programs": "runs programs", "notes": "leaves a note"}
"""Descriptions of effects of steps by their word in `uses`; any other word there is the name of a distribution."""
_LONGEST = 60
_IGNORED = str.maketrans("", "", "_-./ ")


def shown(text: str, longest: int = _LONGEST) -> str:
    """Return a piece of the author's text in backticks, on one line and truncated to `longest` characters.

    Examples:
        >>> shown("tight"), shown("a" * 9, 5), shown("a\\nb")
        ('`tight`', '`aaaa…`', '`a\\\\nb`')
    """
    text = text[: longest + 1].replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return f"`{text}`" if len(text) <= longest else f"`{text[: longest - 1]}…`"


def listed(words: Iterable[str], last: str = "or", most: int = 12) -> str:
    """Return a list of words for a sentence, each in backticks, at most `most` of them.

    Examples:
        >>> listed(["a", "b", "c"]), listed(["a"]), listed("abcd", most=2)
        ('`a`, `b` or `c`', '`a`', '`a`, `b` and 2 more')
    """
    names: Sequence[str] = [shown(word) for word in words]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


@lru_cache(4096)
def plain_name(name: str) -> str:
    """Return a name without spelling variations: in lower case and without `_`, `-`, `/`, `.` and spaces.

    Examples:
        >>> plain_name("Exact-Match"), plain_name("exact_match")
        ('exactmatch', 'exactmatch')
    """
    return name.casefold().translate(_IGNORED)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the singular or plural.

    Examples:
        >>> counted(1, "error"), counted(2, "error"), counted(3, "entry", "entries")
        ('1 error', '2 errors', '3 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def counted_reasons(why: Mapping[str, int], most: int = 12, longest: int = _LONGEST) -> str:
    """Return reasons with their counts, the most frequent first.

    Examples:
        >>> counted_reasons({"no score": 1, "no right label": 2})
        'no right label (2), no score (1)'
    """
    known = sorted(why.items(), key=lambda one: (-one[1], one[0]))[:most]
    shortened = ((reason if len(reason) <= longest else f"{reason[: longest - 1]}…", count) for reason, count in known)
    return ", ".join(f"{reason} ({count})" for reason, count in shortened)
