"""Classes of characters, and whether two of them have nothing in common: what keeps a pattern from going back."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from scoring.primitives.patterns.syntax import Chars

_MOST_LISTED = 40_000
"""Classes of more characters than this are taken for ones that share some with any other."""

# Every character is of one of these kinds, and each category takes whole kinds.
_KINDS = frozenset("wds.")
_CATEGORIES = {
    "d": frozenset("d"), "w": frozenset("wd"), "s": frozenset("s"),
    "D": frozenset("ws."), "W": frozenset("s."), "S": frozenset("wd."),
}  # fmt: skip
_ITEM = re.compile(
    r"\\(?P<category>[dDwWsS])|(?P<one>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|.)|.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class CharSet:
    """The characters of a class: all of some kinds (`wide`), and, or but, those that are listed.

    `listed` is None where they are too many to be looked at one by one.
    """

    text: str
    flags: int
    wide: frozenset[str]
    listed: str | None

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The class as `re` has it."""
        return re.compile(self.text, self.flags)

    @property
    def is_of_words(self) -> bool:
        """Whether all its characters are of words: letters, digits, `_`."""
        plain = self.listed is not None and not self.text.startswith("[^") and self.wide <= _CATEGORIES["w"]
        return plain and re.fullmatch(r"\w*", self.listed or "", self.flags & re.ASCII) is not None

    @functools.cached_property
    def runs(self) -> re.Pattern[str]:
        """One run of characters of the class."""
        return re.compile(f"(?:{self.text})+", self.flags)

    def shares_with(self, other: CharSet) -> bool:
        """Whether some character may be of both; in doubt it may.

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
        """Whether a character that is listed here is of both classes."""
        if not other.pattern.search(self.listed or ""):
            return False
        return any(other.pattern.fullmatch(one) and self.pattern.fullmatch(one) for one in self.listed or "")


@functools.lru_cache(maxsize=1024)
def charset(node: Chars) -> CharSet:
    """The class that a part of a pattern stands for."""
    text, flags = node.text, node.flags
    if text == ".":
        return CharSet(text, flags, _KINDS, "" if flags & re.DOTALL else "\n")
    if text[0] != "[":
        wide, listed = _members([text], flags)
        return CharSet(text, flags, wide, listed)
    negated = text.startswith("[^")
    wide, listed = _members(_items(text[2 if negated else 1 : -1]), flags)
    return CharSet(text, flags, _KINDS - wide if negated else wide, listed)


def _items(inside: str) -> list[str]:
    """What stands between brackets, a range being one item of three parts."""
    items: list[str] = []
    place = 0
    while place < len(inside):
        first = _ITEM.match(inside, place)
        assert first is not None  # any character is an item
        place = first.end()
        last = _ITEM.match(inside, place + 1) if inside[place : place + 1] == "-" else None
        if last is not None and not first["category"]:
            place = last.end()
        items.append(inside[first.start() : place])
    return items


def _members(items: list[str], flags: int) -> tuple[frozenset[str], str | None]:
    """The kinds that items take whole, and the characters that they name, in each case that they stand for."""
    wide: frozenset[str] = frozenset()
    listed: list[str] = []
    count = 0
    for item in items:
        if item[0] == "\\" and item[1:] in _CATEGORIES:
            wide |= _CATEGORIES[item[1:]]
            continue
        low, high = _ends(item)
        count += high - low + 1
        if count > _MOST_LISTED:
            return wide, None
        listed += map(chr, range(low, high + 1))
    if flags & re.IGNORECASE:
        cased = [one for one in listed if one.lower() != one or one.upper() != one]
        if not all(map(str.isascii, cased)):
            return wide, None  # letters of other scripts have more cases than these
        listed += [one.swapcase() for one in cased] + [_FURTHER_CASES.get(one.lower(), "") for one in cased]
    return wide, "".join(dict.fromkeys("".join(listed)))


# Characters beyond ASCII that `re` takes for an ASCII letter where case is ignored.
_FURTHER_CASES = {"i": "\u0130\u0131", "s": "\u017f", "k": "\u212a"}


def _ends(item: str) -> tuple[int, int]:
    first = _ITEM.match(item)
    assert first is not None
    last = item[first.end() + 1 :] or first[0]
    return _code(first[0]), _code(last)


def _code(written: str) -> int:
    """The character that an escape, or a character, stands for."""
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
