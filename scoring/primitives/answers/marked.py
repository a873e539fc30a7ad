"""Answers between tags, and numbers among words."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Literal

from scoring.primitives.patterns.prepared import prepare
from scoring.registry import SettingFault, checks, primitive
from scoring.result import Unparsed

_TAG = re.compile(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)


@primitive(topics=("extraction",), aka=("xml tags", "html tags", "answer tags", "between tags"))
def in_tags(text: str, /, *, tag: str = "answer", pick: Literal["first", "last"] = "last") -> str:
    """Take the text between a tag and its end, `<answer>…</answer>`, without white space at its ends.

    The tag's case does not matter, and it may have attributes. A tag that is opened twice before it ends begins with
    the first, and one that never ends is none.

    Args:
        tag: The name of the tag.
        pick: Which one is taken where there are several.

    Raises:
        Unparsed: when there is no such pair.

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
    # An attribute holds no bracket, so an opening that is never closed ends the look at the next one.
    return re.compile(rf"<(/?){re.escape(tag)}(?:\s[^<>]*)?>", re.IGNORECASE)


_MONEY = re.compile(r"\\?[$€£¥₹₩][ \t]?")
_DIGITS = (
    r"(?<![\w.])([-−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,300})(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?|[-−]?\.\d{1,300})"
    r"(\s?[%％])?"
)
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"[\s-]{1,3}")
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
    """The number that stands in a text, whatever stands round it.

    It may have a sign, commas between thousands, a point and an exponent, and signs of money before it. What is part of
    a word or of a name (`x2`, `v1.2.3`) is none; a hyphen between two numbers is no sign.

    Args:
        pick: Which one is taken where there are several.
        percent: Whether `12%` is 0.12; otherwise it is 12.
        words: Whether English words count, such as `twenty-one` or `three hundred and five`.

    Raises:
        Unparsed: when there is no number, or it is beyond all measure.

    Examples:
        >>> find_number("3 boxes at $1,200 each\\n#### 3,600"), find_number("-3.5 to 4", pick="first")
        (3600.0, -3.5)
        >>> find_number("12% of it", percent=True), find_number("about twenty-one of them", words=True)
        (0.12, 21.0)
    """
    bare = _MONEY.sub("", text)
    found = [(one.start(), one[1], one[2]) for one in prepare(_DIGITS).matches(bare)]
    at = 0 if pick == "first" else -1
    chosen = found[at] if found else None
    spelled = [*_spelled(bare)] if words else []
    if spelled and (chosen is None or (spelled[at][0] < chosen[0]) == (pick == "first")):
        return float(spelled[at][1])
    if chosen is None:
        raise Unparsed("there is no number in the text")
    value = float(chosen[1].replace(",", "").replace("−", "-"))
    if not math.isfinite(value):
        raise Unparsed("not a finite number")
    return value / 100 if percent and chosen[2] else value


def _spelled(text: str) -> Iterator[tuple[int, int]]:
    """Yield the numbers in English words: where each begins, and its value."""
    run: list[str] = []
    start = end = 0
    for word in _WORD.finditer(text):
        name = word[0].lower()
        joined = run and _BETWEEN.fullmatch(text, end, word.start())
        end = word.end()
        if name == "and" and joined and _VALUES[run[-1]] >= 100:
            continue
        if name in _VALUES and joined and _goes_on(run, name):
            run.append(name)
            continue
        if run:
            yield start, _value(run)
        run, start = [name] if name in _VALUES else [], word.start()
    if run:
        yield start, _value(run)


def _goes_on(run: list[str], name: str) -> bool:
    """Tell whether a word is the next of a number, as in `twenty` `one`, and not the first of another."""
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
