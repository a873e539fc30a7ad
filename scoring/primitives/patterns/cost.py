"""Upper bounds on the steps that a pattern can take on a text, computed before it is run.

`re` backtracks. How often it does depends on the shape of the pattern and on the longest runs, in the text, of the
characters in its loops, so it can be counted: from a given position, each part of a pattern can end at a number of
positions (`ways`) and costs a number of steps in total (`steps`). A loop over one class of characters can end at as
many positions as the run of these characters is long, but only at one position if what must follow shares no character
with the class. A loop over a part that can itself end at several positions has no useful bound: such a pattern is
refused, and the loop is underlined in the message.

A count of steps is the same on every machine; a time limit is not, and a score must not depend on the machine. The
counts are upper bounds of the work of `re`, up to the constant cost of a step (5 to 50 ns)."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.patterns.syntax import Anchor, Back, Chars, Choice, Once, PatternNode, Repeat, Sequence

_MOST_LISTED = 40_000
"""Classes that list more characters than this are assumed to share some with any other class."""

# Every character is of one of these kinds (letter, digit, space, other); each category is a union of kinds.
_KINDS = frozenset("wds.")
_CATEGORIES = {
    "d": frozenset("d"), "w": frozenset("wd"), "s": frozenset("s"),
    "D": frozenset("ws."), "W": frozenset("s."), "S": frozenset("wd."),
}  # fmt: skip
_ITEM = lazy_pattern(
    r"\\(?P<category>[dDwWsS])|(?P<one>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|.)|.)",
    re.DOTALL,
)


class CharSet(Struct, frozen=True, dict=True):
    """A class of characters in a pattern, such as `[a-z]`: all of some kinds, plus the listed ones, or minus them.

    `text` is the class as written, `flags` are those of `re`, and `wide` are the kinds: `w` letters, `d` digits, `s`
    spaces, `.` others. If the class is negated, `listed` are excluded; it is None if they are too many to check.
    """

    text: str
    flags: int
    wide: frozenset[str]
    listed: str | None

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The class as a compiled pattern."""
        return re.compile(self.text, self.flags)

    @property
    def is_of_words(self) -> bool:
        """Whether all its characters are word characters: letters, digits, `_`."""
        plain = self.listed is not None and not self.text.startswith("[^") and self.wide <= _CATEGORIES["w"]
        return plain and re.fullmatch(r"\w*", self.listed or "", self.flags & re.ASCII) is not None

    @functools.cached_property
    def runs(self) -> re.Pattern[str]:
        """A compiled pattern for a run of characters of the class."""
        return re.compile(f"(?:{self.text})+", self.flags)

    def shares_with(self, other: CharSet) -> bool:
        """Return whether some character may be in both classes; true in case of doubt.

        Examples:
            >>> from scoring.primitives.patterns.syntax import Chars
            >>> digits, other = (charset(Chars(0, 0, text, re.UNICODE)) for text in (r"[\\d,]", r"[^0-9]"))
            >>> digits.shares_with(other), digits.shares_with(charset(Chars(0, 0, r"\\s", re.UNICODE)))
            (True, False)
        """
        if self.listed is None or other.listed is None:
            return True
        kinds_differ = (self.flags ^ other.flags) & re.ASCII and self.wide | other.wide
        if self.wide & other.wide or kinds_differ:
            return True
        return self._meets(other) or other._meets(self)

    def _meets(self, other: CharSet) -> bool:
        """Return whether one of the characters in `self.listed` is in both classes."""
        if not other.pattern.search(self.listed or ""):
            return False
        return any(other.pattern.fullmatch(one) and self.pattern.fullmatch(one) for one in self.listed or "")


@functools.lru_cache(maxsize=1024)
def charset(node: Chars) -> CharSet:
    """Return the class of characters that a part of a pattern matches."""
    text, flags = node.text, node.flags
    if text == ".":
        return CharSet(text, flags, _KINDS, "" if flags & re.DOTALL else "\n")
    negated = text.startswith("[^")
    wide, listed = _members(text[2 if negated else 1 : -1] if text[0] == "[" else text, flags)
    return CharSet(text, flags, _KINDS - wide if negated else wide, listed)


def _members(inside: str, flags: int) -> tuple[frozenset[str], str | None]:
    """Return the kinds that a class in brackets includes completely, and the characters that it lists.

    ``inside`` is the text of the class without brackets. If ``flags`` say to ignore case, other cases are listed, too;
    the list is None if it is too long.
    """
    wide: frozenset[str] = frozenset()
    listed: list[str] = []
    place = 0
    while place < len(inside):
        first = _ITEM.match(inside, place)
        assert first is not None  # any character is an item
        last, place = first, first.end()
        if first["category"]:
            wide |= _CATEGORIES[first["category"]]
            continue
        if inside[place : place + 1] == "-" and (end := _ITEM.match(inside, place + 1)):
            last, place = end, end.end()
        low, high = _code(first[0]), _code(last[0])
        if len(listed) + high - low >= _MOST_LISTED:
            return wide, None
        listed += map(chr, range(low, high + 1))
    if flags & re.IGNORECASE:
        cased = [one for one in listed if one.lower() != one or one.upper() != one]
        if not all(map(str.isascii, cased)):
            return wide, None  # non-ASCII letters may have further cases than these
        listed += [one.swapcase() for one in cased] + [_FURTHER_CASES.get(one.lower(), "") for one in cased]
    return wide, "".join(dict.fromkeys("".join(listed)))


# Non-ASCII characters that `re` treats as equal to an ASCII letter when case is ignored.
_FURTHER_CASES = {"i": "\u0130\u0131", "s": "\u017f", "k": "\u212a"}


def _code(written: str) -> int:
    """Return the code point that an escape or a literal character denotes."""
    if written[0] != "\\" or len(written) == 1:
        return ord(written)
    letter = written[1]
    if letter in "xuU":
        return int(written[2:], 16)
    if letter == "N":
        import unicodedata

        return ord(unicodedata.lookup(written[3:-1]))
    if letter.isdigit():
        return int(written[1:], 8)
    return ord({"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}.get(letter, letter))


RunLength = Callable[[CharSet], int]
"""A function that returns the length of the longest run of a class's characters in the current text."""


class Endless(ValueError):
    """The error that a part can match the same text in a number of ways that doubles with each character."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__("this loop can take the same text in very many ways")
        self.start, self.end = start, end


class First(Struct, frozen=True):
    """What may come next at a position of a pattern: a character of one of `classes`, `anything`, or the text's end.

    `sure` means that the rest matches whatever follows, so nothing before it is tried a second time. `boundary` means
    that a word must begin or end here. `tries` is the number of steps to find out that none of the continuations
    matches.
    """

    classes: tuple[CharSet, ...] = ()
    anything: bool = False
    sure: bool = False
    boundary: bool = False
    tries: int = 1

    def shares_with(self, other: First) -> bool:
        """Return whether this and ``other`` may begin with the same character."""
        if self.anything or other.anything:
            return True
        return _share(self.classes, other.classes)

    def or_(self, other: First) -> First:
        """Return the continuations that are possible in this or in ``other``."""
        return First(self.classes + other.classes, self.anything or other.anything, tries=1 + self.tries + other.tries)


END = First()
ANYTHING = First(anything=True)
THE_REST = First(anything=True, sure=True)


def first(node: PatternNode, after: First) -> First:
    """Return the continuations that a part can begin with, including those after it if the part may be empty."""
    if isinstance(node, Chars):
        return First((charset(node),))
    if isinstance(node, Sequence):
        for part in reversed(node.parts):
            after = first(part, after)
        return after
    if isinstance(node, Choice):
        found = First()
        for branch in node.branches:
            found = found.or_(first(branch, after))
        return found
    if isinstance(node, Repeat):
        body = first(node.body, after)
        return body.or_(after) if node.low == 0 else body
    if isinstance(node, Once) and not node.look:
        return first(node.body, after)
    if isinstance(node, Once):  # a look-ahead costs more than a character: assume that it is always tried
        if node.look == "ahead":
            return ANYTHING
        return First(after.classes, after.anything, tries=1 + first(node.body, END).tries + after.tries)
    return _first_of_mark(node, after)


def prefix(node: PatternNode) -> tuple[tuple[CharSet, ...], ...]:
    """Return the classes of the first characters of every match of a part, one of which each is in, as far as is known.

    Examples:
        >>> from scoring.primitives.patterns.syntax import parse_pattern
        >>> [[one.text for one in either] for either in prefix(parse_pattern("a(?:b|cd)[ef]+g").tree)]
        [['a'], ['b', 'c']]
    """
    if isinstance(node, Chars):
        return ((charset(node),),)
    if isinstance(node, Sequence):
        found: tuple[tuple[CharSet, ...], ...] = ()
        for part in node.parts:
            found += prefix(part)
            if not _is_fixed(part):
                break
        return found
    if isinstance(node, Choice):
        return tuple(
            tuple(one for either in alike for one in either) for alike in zip(*map(prefix, node.branches), strict=False)
        )
    if (isinstance(node, Repeat) and node.low > 0) or (isinstance(node, Once) and not node.look):
        return prefix(node.body)
    return ()


def _is_fixed(node: PatternNode) -> bool:
    """Return whether `prefix` has all characters of a part, which then always matches the same number of them."""
    if isinstance(node, Sequence):
        return all(map(_is_fixed, node.parts))
    return isinstance(node, Chars | Anchor) or (isinstance(node, Once) and node.look != "")


def _are_apart(one: PatternNode, other: PatternNode, after: First) -> bool:
    """Return whether at most one of two parts can match at a place and be followed by ``after``."""
    if not first(one, after).shares_with(first(other, after)):
        return True
    sides = prefix(one), prefix(other)
    if any(not _share(mine, theirs) for mine, theirs in zip(*sides, strict=False)):
        return True
    (short, fixed), (long, _) = sorted(
        ((sides[0], _is_fixed(one)), (sides[1], _is_fixed(other))), key=lambda side: len(side[0])
    )
    # Where the longer one matches, nothing that may follow the shorter one is there.
    is_known = fixed and len(short) < len(long) and not after.anything
    return is_known and not _share(long[len(short)], after.classes)


def _share(some: tuple[CharSet, ...], others: tuple[CharSet, ...]) -> bool:
    return any(one.shares_with(other) for one in some for other in others)


def _first_of_mark(node: Anchor | Back, after: First) -> First:
    if isinstance(node, Back):
        return ANYTHING
    if node.kind == "Z":
        return END
    if node.kind == "$":
        return First((charset(Chars(0, 0, "\\n", int(re.UNICODE))),))
    return First(after.classes, after.anything, boundary=node.kind == "b", tries=1 + after.tries)


def cost(node: PatternNode, after: First, run: RunLength, length: int) -> tuple[float, float]:
    """Return the number of positions where a match of a part can end, from one start, and the steps to try all of them.

    Args:
        node: The part of the pattern.
        after: The possible continuations after it.
        run: Returns the length of the longest run of a class in the text.
        length: The length of the text.

    Raises:
        Endless: for an unbounded loop over a part that can end at several positions.
    """
    if isinstance(node, Chars | Anchor):
        return 1, 1
    if isinstance(node, Back):
        return 1, 1 + length
    if isinstance(node, Sequence):
        return _of_sequence(node, after, run, length)
    if isinstance(node, Choice):
        return _of_choice(node, after, run, length)
    if isinstance(node, Once):
        return 1, 1 + cost(node.body, THE_REST, run, length)[1]
    if node.mode == "possessive":
        return 1, 1 + cost(dataclasses.replace(node, mode="greedy"), THE_REST, run, length)[1]
    return _of_loop(node, after, run, length)


def _of_sequence(node: Sequence, after: First, run: RunLength, length: int) -> tuple[float, float]:
    followed: list[First] = []
    for part in reversed(node.parts):
        followed.append(after)
        # The continuations seen from before this part: sure if neither the part nor what follows it can fail.
        after = replace(first(part, after), sure=after.sure and _is_sure(part))
    ways, steps = 1.0, 1.0
    for part, next_ in zip(node.parts, reversed(followed), strict=True):
        more, taken = cost(part, next_, run, length)
        steps += ways * taken
        ways *= more
    return ways, steps


def _is_sure(node: PatternNode) -> bool:
    if isinstance(node, Repeat):
        return node.low == 0 and node.mode != "possessive"
    if isinstance(node, Sequence):
        return all(map(_is_sure, node.parts))
    return isinstance(node, Choice) and not node.either and any(map(_is_sure, node.branches))


def _of_choice(node: Choice, after: First, run: RunLength, length: int) -> tuple[float, float]:
    found = [cost(branch, after, run, length) for branch in node.branches]
    steps = sum(taken for _, taken in found) + len(found) * (1 + after.tries)
    if after.sure:
        return 1, steps
    before = enumerate(node.branches)
    apart = all(_are_apart(one, other, after) for place, one in before for other in node.branches[:place])
    ways = (more for more, _ in found)
    return (max(ways) if apart or node.either else sum(ways)), steps


def _of_loop(node: Repeat, after: First, run: RunLength, length: int) -> tuple[float, float]:
    body = first(node.body, after)
    # If what follows is sure to match, leaving the loop ends the search: only another iteration can fail.
    inside = replace(body, sure=node.low <= 1) if after.sure else body.or_(after)
    more, taken = cost(node.body, inside, run, length)
    if more > 1 and node.high is None:
        raise Endless(node.start, node.end)
    turns = _turns(node, run, length)
    if more > 1:
        ways = _powers(more, turns)
        return (1 if after.sure else ways), 1 + ways * (taken + after.tries)
    single = after.sure or node.low == node.high or _ends_once(node.body, body, after)
    return (1 if single else turns + 1), 1 + (turns + 1) * (taken + after.tries)


def _ends_once(body: PatternNode, begins: First, after: First) -> bool:
    """Return whether a loop over ``body`` can be left at only one position: that at which the body no longer matches.

    ``begins`` is what the body can begin with, ``after`` what can follow the loop.
    """
    if isinstance(body, Chars) and after.boundary and charset(body).is_of_words:
        return True
    return shortest(body) > 0 and not begins.shares_with(after)


def _powers(base: float, most: int) -> float:
    """Return the sum of the powers of a number with the exponents 0 to ``most``."""
    try:
        return (base ** (most + 1) - 1) / (base - 1)
    except OverflowError:
        return math.inf


def _turns(node: Repeat, run: RunLength, length: int) -> int:
    """Return the greatest possible number of iterations of a loop on a text; the arguments are those of `cost`."""
    longest = min(length, run(charset(node.body))) if isinstance(node.body, Chars) else length
    turns = longest // max(1, shortest(node.body))
    if shortest(node.body) == 0:  # all required iterations can be empty, and one more is tried
        turns = max(turns, node.low) + 1
    return turns if node.high is None else min(turns, node.high)


def shortest(node: PatternNode) -> int:
    """Return the smallest number of characters that a part can match."""
    if isinstance(node, Chars):
        return 1
    if isinstance(node, Sequence):
        return sum(map(shortest, node.parts))
    if isinstance(node, Choice):
        return min(map(shortest, node.branches))
    if isinstance(node, Repeat):
        return min(node.low * shortest(node.body), 1 << 30)
    return 0 if not isinstance(node, Once) or node.look else shortest(node.body)
