"""Prepared patterns: checked once, and refused on texts on which they could take too many steps."""

from __future__ import annotations

import functools
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from scoring.primitives.patterns.cost import (
    ANYTHING,
    END,
    THE_REST,
    CharSet,
    Endless,
    First,
    RunLength,
    charset,
    cost,
    first,
    shortest,
)
from scoring.primitives.patterns.syntax import (
    Anchor,
    Chars,
    PatternError,
    PatternNode,
    Repeat,
    Sequence,
    Syntax,
    parse_pattern,
)
from scoring.result import Unparsed

MOST_STEPS = 100_000_000
"""The limit on steps to search one text for a pattern: a second or two."""
LONGEST = 4000
"""The limit on characters in a pattern."""
# A pattern is refused if it may take too long even on a text of this length, in which no run of a class of characters
# is longer than two.
_USEFUL, _RUN = 100, 2


class TooCostly(Unparsed):
    """The error that a pattern could take more steps on a text than are allowed."""


@dataclass(slots=True)
class ReadyPattern:
    """A compiled pattern that computes, before it searches a text, how many steps that could take.

    `after` is what can follow a match; `anchored` means that a match can begin only at the start of the text.
    `lead` is the class of the unbounded loop that the pattern begins with, if any. If a match could begin inside a run
    of these characters, one also begins at the start of the run, so a search need not try every character of it:
    `guarded` is the pattern that matches only at the start of a run, and `rest` is the part after the loop. `heads`
    finds the positions where a match could begin. A text of at most `safe` characters can't take too many steps.
    """

    regex: re.Pattern[str]
    after: First
    rest: PatternNode
    lead: CharSet | None = None
    guarded: re.Pattern[str] | None = None
    heads: re.Pattern[str] | None = None
    anchored: bool = False
    safe: int | None = None  # the length up to which any text is safe; computed when first needed

    def steps(self, length: int, starts: int, run: RunLength) -> float:
        """Return an upper bound on the steps of a search in a text.

        A loop at the beginning goes through each run once, and the rest is tried after each of its characters.

        Args:
            length: The length of the text.
            starts: The number of positions where a match could begin.
            run: Returns the length of the longest run of a class in the text.
        """
        return 2 * (length + 1) + starts * (1 + cost(self.rest, self.after, run, length)[1])

    def starts(self, text: str) -> int:
        """Return the number of positions of a text where a match could begin."""
        if self.anchored:
            return 1
        if self.heads is None or self.lead is not None:
            return len(text) + 1
        return sum(1 for _ in self.heads.finditer(text))

    def admit(self, text: str) -> None:
        """Check that a search in a text can't take too many steps.

        Raises:
            TooCostly: when the pattern could take too many steps; the message states them and the limit.
        """
        if self.safe is None:
            self.safe = _longest_safe(self)
        if len(text) <= self.safe:
            return
        runs = functools.cache(lambda chars: longest_run(chars, text))
        steps = self.steps(len(text), self.starts(text), runs)
        if steps > MOST_STEPS:
            raise TooCostly(
                f"looking for the pattern in a text of {len(text):,} characters could take {steps:.2g} steps; at most "
                f"{MOST_STEPS:,} are taken"
            )

    def first(self, text: str) -> re.Match[str] | None:
        """Return the first match in a text, as `re.search` finds it; None if there is none.

        Raises:
            TooCostly: when the text could take too many steps.
        """
        if self.safe is None or len(text) > self.safe:
            self.admit(text)
        if self.guarded is None:
            return self.regex.search(text)
        return self.regex.match(text) or self.guarded.search(text)

    def whole(self, text: str) -> re.Match[str] | None:
        """Return the match of a whole text, as `re.fullmatch` finds it; None if there is none.

        Raises:
            TooCostly: when the text could take too many steps.
        """
        self.admit(text)
        return self.regex.fullmatch(text)

    def matches(self, text: str, *, overlapping: bool = False) -> Iterator[re.Match[str]]:
        """Yield the matches of `re.finditer`, in its order, and overlapping ones too if requested.

        Raises:
            TooCostly: when the text could take too many steps.
        """
        self.admit(text)
        if self.guarded is None and not overlapping:
            yield from self.regex.finditer(text)
            return
        place = 0
        while place <= len(text):
            if self.guarded is None:
                found = self.regex.search(text, place)
            else:
                found = self.regex.match(text, place) or self.guarded.search(text, place)
            if found is None:
                return
            yield found
            place = found.start() + 1 if overlapping else found.end()


def longest_run(chars: CharSet, text: str) -> int:
    """Return the length of the longest run of characters of a class in a text."""
    return max(map(len, chars.runs.findall(text)), default=0)


def _longest_safe(prepared: ReadyPattern) -> int:
    """Return the length up to which a pattern can search any text without exceeding the limit on steps."""

    def is_unsafe(length: int) -> bool:  # the worst case: the whole text is a single run
        return not prepared.steps(length, 1 if prepared.anchored else length + 1, lambda chars: length) <= MOST_STEPS

    return bisect_left(range(1, (1 << 24) + 1), True, key=is_unsafe)


# ---- preparation


@functools.lru_cache(maxsize=256)
def prepare(pattern: str, whole: bool = False) -> ReadyPattern:
    """Check a pattern and return it ready to run; `whole` is for one that has to match the whole text.

    Raises:
        PatternError: when the pattern is invalid or too costly; it states the fault and its position.

    Examples:
        >>> [found[0] for found in prepare(r"\\d+").matches("12 and 3")]
        ['12', '3']
        >>> prepare(r"(\\w+\\s?)*!")
        Traceback (most recent call last):
        ...
        scoring.primitives.patterns.syntax.PatternError: this loop can take the same text in very many ways
    """
    regex, syntax = _read(pattern)
    after = END if whole else THE_REST
    try:
        _, steps = cost(syntax.tree, after, lambda chars: _RUN, _USEFUL)
    except Endless as endless:
        label = "the work could double with each character"
        advice = "let a turn of the loop begin with a character that none of it can end with, or bound what is inside"
        raise PatternError(str(endless), label, endless.start, endless.end, advice) from None
    if steps > MOST_STEPS:
        message = f"this pattern could take more than {MOST_STEPS:,} steps on a text of {_USEFUL} characters"
        raise PatternError(message, "too costly", 0, len(pattern), "split it, or bound its loops: `{0,20}`")
    anchored = whole or _is_anchored(syntax.tree)
    lead = None if anchored or syntax.refers or shortest(syntax.tree) == 0 else _lead(syntax.tree)
    if lead is None or lead.flags != syntax.flags:
        return ReadyPattern(regex, after, syntax.tree, heads=_heads(syntax.tree), anchored=anchored)
    body = pattern[len(syntax.opening) :]
    line_end = "\n" if "x" in syntax.opening else ""  # ends a comment of a verbose pattern
    guarded = re.compile(f"{syntax.opening}(?<!{lead.text})(?:{body}{line_end})")
    return ReadyPattern(regex, after, _behind_lead(syntax.tree), charset(lead), guarded)


def _read(pattern: str) -> tuple[re.Pattern[str], Syntax]:
    if len(pattern) > LONGEST:
        message = f"a pattern has at most {LONGEST:,} characters, this has {len(pattern):,}"
        raise PatternError(message, "too long", 0, len(pattern), "split it into several")
    if "\b" in pattern:  # the value of "\b" in a string with escapes
        place = pattern.index("\b")
        raise PatternError("this pattern holds a backspace character", "backspace", place, place + 1, _RAW)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            regex, syntax = re.compile(pattern), parse_pattern(pattern)
    except re.error as error:
        place = min(error.pos or 0, len(pattern))
        raise PatternError(f"this is no pattern: {error.msg}", error.msg, place, place + 1) from None
    except FutureWarning as warning:  # a future version of `re` will read it differently
        message, _, position = str(warning).partition(" at position ")
        start = int(position) if position.isdecimal() else 0
        advice = "write a backslash before it, where it is meant as a character"
        raise PatternError(f"this is no clear pattern: {message}", "ambiguous", start, start + 1, advice) from None
    except (RecursionError, OverflowError):
        raise PatternError("this pattern is too deep or too large", "too large", 0, len(pattern)) from None
    if syntax.kept is not None and regex.groups:  # Python 3.11 to 3.13 lose the positions of groups in this case
        message = "numbered groups beside `(?>…)` or `++` are not read rightly by every Python"
        advice = "write groups without a number, `(?:…)`, or leave the possessive sign out"
        raise PatternError(message, "gives nothing back", syntax.kept.start, syntax.kept.end, advice)
    return regex, syntax


_RAW = 'where a word begins or ends is `\\b` in a raw text: r"\\bword\\b"'


def _is_anchored(node: PatternNode) -> bool:
    if isinstance(node, Sequence):
        return bool(node.parts) and _is_anchored(node.parts[0])
    return isinstance(node, Anchor) and (node.kind == "A" or (node.kind == "^" and not node.flags & re.MULTILINE))


def _lead(node: PatternNode) -> Chars | None:
    """Return the class of the unbounded loop that a pattern begins with, or None if there is none."""
    if isinstance(node, Sequence):
        return _lead(node.parts[0]) if node.parts else None
    if isinstance(node, Repeat) and isinstance(node.body, Chars) and node.high is None and node.low <= 1:
        return node.body
    return None


def _behind_lead(node: PatternNode) -> PatternNode:
    if isinstance(node, Sequence):
        return Sequence(node.start, node.end, (_behind_lead(node.parts[0]), *node.parts[1:]))
    return Sequence(node.start, node.end, ())


def _heads(tree: PatternNode) -> re.Pattern[str] | None:
    """Return a pattern that finds the positions where a match could begin, by the characters that can come first.

    The result is None if any character can.
    """
    fixed: list[Chars] = []
    for part in _opened(tree):
        if not isinstance(part, Chars):
            break
        fixed.append(part)
    begins = first(tree, ANYTHING)
    if not fixed and begins.anything:
        return None
    text = "".join(map(_scoped, map(charset, fixed))) if fixed else "|".join(map(_scoped, begins.classes))
    return re.compile(f"(?={text})")


def _opened(node: PatternNode) -> Iterator[PatternNode]:
    """Yield the parts of a sequence; if its first part is a sequence, that is flattened."""
    if isinstance(node, Sequence) and node.parts:
        yield from _opened(node.parts[0])
        yield from node.parts[1:]
    else:
        yield node


def _scoped(chars: CharSet) -> str:
    letters = zip("imsa", (re.I, re.M, re.S, re.A), strict=True)
    return f"(?{''.join(letter for letter, flag in letters if chars.flags & flag)}:{chars.text})"
