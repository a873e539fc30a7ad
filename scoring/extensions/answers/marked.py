"""Primitives that extract an answer between tags, or a number from running text."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Literal

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.patterns.prepared import prepare
from scoring.registry import SettingFault, checks, primitive
from scoring.result import Unparsed

_TAG = lazy_pattern(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)


@primitive(topics=("extraction",), aka=("xml tags", "html tags", "answer tags", "between tags"))
def in_tags(text: str, /, *, tag: str = "answer", pick: Literal["first", "last"] = "last") -> str:
    """Extract the text between an opening and a closing tag, `<answer>…</answer>`, without white space at its ends.

    The case of the tag does not matter, and it may have attributes. If it is opened twice before it is closed, the text
    begins after the first opening tag. An opening tag that is never closed is ignored.

    Args:
        tag: The name of the tag.
        pick: Which pair of tags counts where there are several.

    Raises:
        Unparsed: when there is no such pair of tags.

    Examples:
        >>> in_tags("<think>2?</think><answer> 4 </answer>"), in_tags("<b>x</b><B id='1'>y</B>", tag="b")
        ('4', 'y')
    """
    opened = found = None
    for mark in _tags(tag).finditer(text):
        if not mark[1]:
            opened = mark.end() if opened is None else opened
        elif opened is not None:
            found, opened = text[opened : mark.start()], None
            if pick == "first":
                break
    if found is None:
        raise Unparsed(f"nothing stands between <{tag}> and </{tag}>")
    return found.strip()


@checks(in_tags)
def _(*, tag: str | None, pick: str | None) -> SettingFault | None:
    if tag is None or _TAG.fullmatch(tag):
        return None
    return SettingFault("tag", "the name of a tag begins with a letter, without `<` and `>`", "no name of a tag")


@functools.lru_cache(maxsize=64)
def _tags(tag: str) -> re.Pattern[str]:
    # Attributes contain no `<` or `>`, so the match of an unfinished tag stops at the next tag.
    return re.compile(rf"<(/?){re.escape(tag)}(?:\s[^<>]*)?>", re.IGNORECASE)


_MONEY = lazy_pattern(r"\\?[$€£¥₹₩][ \t]?")
_DIGITS = (
    r"(?<![\w.])([-−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,300})(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?|[-−]?\.\d{1,300})"
    r"(\s?[%％])?"
)
_WORD = lazy_pattern(r"[^\W\d_]+")
_BETWEEN = lazy_pattern(r"[\s-]{1,3}")
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES: dict[str, int] = {
    **{name: value for value, name in enumerate(_UNITS)},
    **{name: 10 * ten for ten, name in enumerate(_TENS, 2)},
    "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000,
}  # fmt: skip


@primitive(
    topics=("numbers", "extraction"), aka=("last number", "first number", "extract number", "flexible-extract", "####")
)
def find_number(
    text: str, /, *, pick: Literal["first", "last"] = "last", percent: bool = False, words: bool = False
) -> float:
    """Find a number in running text.

    It may have a sign, commas between thousands, a decimal point and an exponent, and a currency symbol before it.
    Digits within a word or a name (`x2`, `v1.2.3`) are not a number; a hyphen between two numbers is not a sign.

    Args:
        pick: Which number is returned where there are several.
        percent: Whether `12%` is 0.12; otherwise it is 12.
        words: Whether English number words count too, such as `twenty-one` or `three hundred and five`.

    Raises:
        Unparsed: when there is no number, or it is too large for a float.

    Examples:
        >>> find_number("3 boxes at $1,200 each\\n#### 3,600"), find_number("-3.5 to 4", pick="first")
        (3600.0, -3.5)
        >>> find_number("12% of it", percent=True), find_number("about twenty-one of them", words=True)
        (0.12, 21.0)
    """
    unmarked = _MONEY.sub("", text)
    found = [(one.start(), one[1], one[2]) for one in prepare(_DIGITS).matches(unmarked)]
    at = 0 if pick == "first" else -1
    chosen = found[at] if found else None
    spelled = [*_spelled(unmarked)] if words else []
    if spelled and (chosen is None or (spelled[at][0] < chosen[0]) == (pick == "first")):
        return float(spelled[at][1])
    if chosen is None:
        raise Unparsed("there is no number in the text")
    value = float(chosen[1].replace(",", "").replace("−", "-"))
    if not math.isfinite(value):
        raise Unparsed("not a finite number")
    return value / 100 if percent and chosen[2] else value


def _spelled(text: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers that are spelled out in English: the start position and the value of each."""
    run: list[str] = []
    start = end = 0
    for word in _WORD.finditer(text):
        name = word[0].lower()
        joined = run and _BETWEEN.fullmatch(text, end, word.start())
        end = word.end()
        if name == "and" and joined and _VALUES[run[-1]] >= 100:
            continue
        if name in _VALUES and joined and _continues(run, name):
            run.append(name)
            continue
        if run:
            yield start, _value(run)
        run, start = [name] if name in _VALUES else [], word.start()
    if run:
        yield start, _value(run)


def _continues(run: list[str], name: str) -> bool:
    """Return whether a number word continues the number in ``run``, as `one` continues `twenty`; otherwise it begins
    another.
    """
    last, value = _VALUES[run[-1]], _VALUES[name]
    if value == 100:
        return 0 < last < 10
    if value > 100:
        return last > 0 and all(_VALUES[one] > value for one in run if _VALUES[one] > 100)
    return last >= 100 or (20 <= last < 100 and 0 < value < 10)


def _value(run: list[str]) -> int:
    total = current = 0
    for name in run:
        value = _VALUES[name]
        if value > 100:
            total, current = total + max(current, 1) * value, 0
        else:
            current = max(current, 1) * value if value == 100 else current + value
    return total + current
