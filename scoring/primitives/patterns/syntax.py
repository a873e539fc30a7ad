"""The syntax tree of a pattern, each part with its position: the input of `cost`.

`re` itself runs the pattern, and it alone decides which patterns are valid: this reader is given only patterns that
`re` has accepted. Syntax that it does not know is refused with its position, so no pattern of unknown cost is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

from msgspec import Struct

from scoring.lazy_pattern import lazy_pattern
from scoring.registry import SettingFault

MAX_DEPTH = 40
"""The limit on the nesting of groups."""

_LETTERS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X, "a": re.A, "u": re.U}
_FLAGS = {letter: int(flag) for letter, flag in _LETTERS.items()}
_REPEAT = lazy_pattern(r"\{(\d*)(,?)(\d*)\}")
_NAMED_GROUP = lazy_pattern(r"\(\?P<(\w+)>")
_BACK = lazy_pattern(r"\(\?P=(\w+)\)")
_CONDITION = lazy_pattern(r"\(\?\((\w+)\)")
_GLOBAL = lazy_pattern(r"\(\?([aimsux]+)\)")
_SCOPED = lazy_pattern(r"\(\?([aimsux]*)(?:-([imsx]+))?:")
_LONG_ESCAPE = lazy_pattern(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|0[0-7]{0,2}|[1-3][0-7]{2})"
)
_ONCE: Mapping[str, Literal["", "ahead", "behind"]] = {
    "(?=": "ahead", "(?!": "ahead", "(?<=": "behind", "(?<!": "behind", "(?>": "",
}  # fmt: skip


class PatternError(ValueError):
    """The error that a pattern is invalid or too costly, with the fault, its position and advice."""

    def __init__(self, message: str, label: str, start: int, end: int, advice: str = "") -> None:
        super().__init__(message)
        self.fault = SettingFault("pattern", message, label, advice, start, end)


@dataclass(frozen=True, slots=True)
class PatternPart:
    """A part of a regular expression, a node of its syntax tree, with the positions where it starts and ends."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chars(PatternPart):
    """A part that matches one character, with its `text`: a literal, an escape, a dot or a class in brackets."""

    text: str
    flags: int


@dataclass(frozen=True, slots=True)
class Anchor(PatternPart):
    """A part that matches no character but a kind of position, a zero-width assertion: ``^ $ A Z b B``."""

    kind: str
    flags: int


@dataclass(frozen=True, slots=True)
class Back(PatternPart):
    """A part that matches what a group matched, once more: a back-reference."""


@dataclass(frozen=True, slots=True)
class Sequence(PatternPart):
    """A part that consists of several parts, which match one after another."""

    parts: tuple[PatternNode, ...]


@dataclass(frozen=True, slots=True)
class Choice(PatternPart):
    """A part with alternatives, tried from left to right; with `either`, only one, chosen by a condition on a group."""

    branches: tuple[PatternNode, ...]
    either: bool = False


@dataclass(frozen=True, slots=True)
class Repeat(PatternPart):
    """A repeated part; `high` is None if it is unbounded. A possessive one is never backtracked into."""

    body: PatternNode
    low: int
    high: int | None
    mode: Literal["greedy", "lazy", "possessive"] = "greedy"


@dataclass(frozen=True, slots=True)
class Once(PatternPart):
    """A part that is never backtracked into once it has matched: an atomic group, a look-ahead or a look-behind."""

    body: PatternNode
    look: Literal["", "ahead", "behind"] = ""
    negative: bool = False


PatternNode: TypeAlias = Chars | Anchor | Back | Sequence | Choice | Repeat | Once


class Syntax(Struct, frozen=True):
    """A pattern's tree, its flags, the text of the flags at its beginning, and whether it refers to groups.

    `kept` is a part that is never backtracked into, an atomic group or a possessive loop, or None.
    """

    tree: PatternNode
    flags: int
    opening: str
    refers: bool
    kept: Once | Repeat | None


def parse_pattern(pattern: str) -> Syntax:
    """Return the syntax tree of a pattern that `re` accepts.

    Raises:
        PatternError: for syntax that is not known here, and for groups that are nested too deeply.

    Examples:
        >>> parse_pattern("(?i)a+").tree
        Repeat(start=4, end=6, body=Chars(start=4, end=5, text='a', flags=34), low=1, high=None, mode='greedy')
    """
    flags = int(re.UNICODE)
    reader = _Reader(pattern)
    if found := _GLOBAL.match(pattern):
        flags = _switched(flags, found[1], "")
        reader.place = found.end()
    head = pattern[: reader.place]
    tree = reader.choice(flags, 0)
    if reader.place < len(pattern):
        reader.refuse("this is not understood", reader.place + 1)
    return Syntax(tree, flags & ~_FLAGS["x"], head, reader.refers, reader.kept)


def _switched(flags: int, on: str, off: str) -> int:
    for letter in on:
        flags |= _FLAGS[letter]
        if letter in "au":
            flags &= ~_FLAGS["u" if letter == "a" else "a"]
    for letter in off:
        flags &= ~_FLAGS[letter]
    return flags


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = 0
        self.refers = False
        self.kept: Once | Repeat | None = None

    def refuse(self, message: str, end: int) -> NoReturn:
        end = min(max(end, self.place + 1), len(self.pattern))
        raise PatternError(message, "not supported", self.place, end)

    def at(self, text: str) -> bool:
        return self.pattern.startswith(text, self.place)

    def choice(self, flags: int, depth: int) -> PatternNode:
        if depth > MAX_DEPTH:
            self.refuse(f"groups stand at most {MAX_DEPTH} deep", self.place + 1)
        start = self.place
        branches = [self.sequence(flags, depth)]
        while self.at("|"):
            self.place += 1
            branches.append(self.sequence(flags, depth))
        return branches[0] if len(branches) == 1 else Choice(start, self.place, tuple(branches))

    def sequence(self, flags: int, depth: int) -> PatternNode:
        start = self.place
        parts: list[PatternNode] = []
        while self.place < len(self.pattern) and not (self.at("|") or self.at(")")):
            if flags & re.VERBOSE and self.skipped():
                continue
            place = self.place
            found = self.atom(flags, depth)
            if found is not None:
                while flags & re.VERBOSE and self.skipped():
                    continue
                parts.append(self.repeated(found, place))
        return parts[0] if len(parts) == 1 else Sequence(start, self.place, tuple(parts))

    def skipped(self) -> bool:
        """Skip white space or a comment of a verbose pattern, and return whether there was any."""
        if self.place < len(self.pattern) and self.pattern[self.place] in " \t\n\r\v\f":
            self.place += 1
            return True
        if self.at("#"):
            end = self.pattern.find("\n", self.place)
            self.place = len(self.pattern) if end < 0 else end + 1
            return True
        return False

    # ---- one part

    def atom(self, flags: int, depth: int) -> PatternNode | None:
        character = self.pattern[self.place]
        if character == "(":
            return self.group(flags, depth)
        start = self.place
        if character == "[":
            self.place = self.end_of_class()
        elif character == "\\":
            return self.escape(flags)
        else:
            self.place += 1
            if character in "^$":
                return Anchor(start, self.place, character, flags)
        text = self.pattern[start : self.place]
        return Chars(start, self.place, text if text[0] in ".[" else re.escape(text), flags & ~_FLAGS["x"])

    def escape(self, flags: int) -> PatternNode:
        start = self.place
        found = _LONG_ESCAPE.match(self.pattern, start)
        if found:
            self.place = found.end()
            return Chars(start, self.place, found[0], flags & ~_FLAGS["x"])
        letter = self.pattern[start + 1]
        self.place += 2
        if letter in "AZbB":
            return Anchor(start, self.place, letter, flags)
        if letter.isdigit():
            if self.pattern[self.place : self.place + 1].isdigit():
                self.place += 1
            self.refers = True
            return Back(start, self.place)
        return Chars(start, self.place, self.pattern[start : self.place], flags & ~_FLAGS["x"])

    def end_of_class(self) -> int:
        place = self.place + 1
        place += self.pattern.startswith("^", place)
        first = place
        while self.pattern[place] != "]" or place == first:
            place += 2 if self.pattern[place] == "\\" else 1
        return place + 1

    def repeated(self, found: PatternNode, start: int) -> PatternNode:
        """Return the part ``found``, which begins at ``start``, as a loop if a quantifier follows, else unchanged."""
        bounds = self.bounds()
        if bounds is None:
            return found
        mode: Literal["greedy", "lazy", "possessive"] = "greedy"
        if self.at("?") or self.at("+"):
            mode = "lazy" if self.at("?") else "possessive"
            self.place += 1
        loop = Repeat(start, self.place, found, *bounds, mode)
        self.kept = loop if mode == "possessive" else self.kept
        return loop

    def bounds(self) -> tuple[int, int | None] | None:
        quantifier = self.pattern[self.place : self.place + 1]
        if quantifier and quantifier in "*+?":
            self.place += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[quantifier]
        found = _REPEAT.match(self.pattern, self.place)
        if found is None or found[0] == "{}":
            return None
        low, comma, high = found.groups()
        self.place = found.end()
        if not comma:
            return int(low), int(low)
        return int(low or 0), int(high) if high else None

    # ---- groups

    def group(self, flags: int, depth: int) -> PatternNode | None:
        start = self.place
        if not self.at("(?"):
            return self.inner(1, flags, depth)
        if self.at("(?#"):
            self.place = self.pattern.index(")", self.place) + 1
            return None
        if found := _NAMED_GROUP.match(self.pattern, start):
            return self.inner(found.end() - start, flags, depth)
        if found := _BACK.match(self.pattern, start):
            self.place = found.end()
            self.refers = True
            return Back(start, self.place)
        if found := _CONDITION.match(self.pattern, start):
            self.refers = True
            body = self.inner(found.end() - start, flags, depth)
            branches = body.branches if isinstance(body, Choice) else (body, Sequence(start, start, ()))
            return Choice(start, self.place, branches, either=True)
        return self.odd_group(start, flags, depth)

    def odd_group(self, start: int, flags: int, depth: int) -> PatternNode:
        """Read and return the unnumbered group here: with flags of its own, atomic, a look-ahead or a look-behind."""
        for opening, look in _ONCE.items():
            if self.at(opening):
                body = self.inner(len(opening), flags, depth)
                once = Once(start, self.place, body, look, opening.endswith("!"))
                self.kept = self.kept if look else once
                return once
        found = _SCOPED.match(self.pattern, start)
        if found is None:
            self.refuse("this kind of group is not known", start + 3)
        return self.inner(found.end() - start, _switched(flags, found[1], found[2] or ""), depth)

    def inner(self, opening: int, flags: int, depth: int) -> PatternNode:
        self.place += opening
        body = self.choice(flags, depth + 1)
        if not self.at(")"):
            self.refuse("this group is never closed", self.place + 1)
        self.place += 1
        return body
