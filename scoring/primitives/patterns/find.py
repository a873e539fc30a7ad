"""Primitives that find, test, replace and split text by regular expressions with the meaning of Python's `re`."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from scoring.primitives.patterns.prepared import ReadyPattern, prepare
from scoring.primitives.patterns.syntax import PatternError
from scoring.registry import AtLeast, Doc, SettingFault, batch, checks, prepares, primitive
from scoring.result import Unparsed, Unscored
from scoring.values import Score

MOST_FOUND = 1_000_000
"""The limit on matches in one text."""
MOST_WRITTEN = 20_000_000
"""The limit on characters that a replacement may produce."""


PatternSetting: TypeAlias = Annotated[
    str, Doc("The pattern, as Python's `re` reads it; flags stand in it: `(?i)` for any case.")
]
PatternsSetting: TypeAlias = Annotated[
    str | list[str], Doc("The pattern, as Python's `re` reads it, or several; flags stand in it: `(?i)` for any case.")
]
GroupSetting: TypeAlias = Annotated[
    str | float | None,
    Doc("The group whose text is taken, by name or number, 0 for the whole; by default the first that took anything."),
]


AroundSetting: TypeAlias = Annotated[
    str | None,
    Doc("What stands around a pattern that the record brings, with `{}` in its place: `(?i)\\b{}\\b` for whole words."),
]


def _around(pattern: str, around: str | None) -> str:
    """Return the text ``around`` with the pattern in place of its `{}`, or the pattern itself if ``around`` is None.

    Raises:
        Unscored: when the surroundings do not contain `{}` exactly once.
    """
    if around is None:
        return pattern
    if fault := _fault_around(around):
        raise Unscored(fault.message)
    return around.replace("{}", pattern)


def _fault_around(around: str | None) -> SettingFault | None:
    if around is None or around.count("{}") == 1:
        return None
    return SettingFault("around", "`{}` stands for the pattern once in `around`", "where does the pattern stand?")


def _fault(pattern: str, group: str | float | None = None, by: str | None = None) -> SettingFault | None:
    """Return the fault of a pattern, of the ``group`` to be taken or of the replacement ``by``; None if valid."""
    try:
        regex = prepare(pattern).regex
    except PatternError as error:
        return error.fault
    if group is not None and not (group in regex.groupindex or group in range(regex.groups + 1)):
        names = ", ".join(f"`{name}`" for name in regex.groupindex) or "none has a name"
        count = f"its groups are numbered up to {regex.groups} ({names})" if regex.groups else "it has no groups"
        return SettingFault("group", f"the pattern has no group {group!r}", count)
    try:
        regex.sub(by or "", "")  # reads it, whether or not there is a match
    except (re.error, IndexError) as error:
        place = getattr(error, "pos", None)
        return SettingFault("by", f"no text to put in place of the pattern: {error}", "", "", place, (place or 0) + 1)
    return None


def _prepared(
    pattern: str | ReadyPattern, group: str | float | None = None, by: str | None = None, whole: bool = False
) -> ReadyPattern:
    """Return the pattern checked and compiled; with ``whole``, it has to match the whole text.

    Raises:
        Unscored: when the pattern, ``group`` or the replacement ``by`` is faulty, which only values of a record can be.
    """
    if isinstance(pattern, ReadyPattern):
        return pattern
    fault = _checked(pattern, group, by)
    if fault is not None:
        raise Unscored(f"{fault.message}: {pattern[:80]!r}")
    return prepare(pattern, whole)


_checked = functools.lru_cache(maxsize=256)(_fault)


def _found(ready: ReadyPattern, text: str, *, overlapping: bool = False) -> list[re.Match[str]]:
    """Return all matches in a text, or raise Unparsed if there are more than `MOST_FOUND`."""
    kept = list(itertools.islice(ready.matches(text, overlapping=overlapping), MOST_FOUND + 1))
    if len(kept) > MOST_FOUND:
        raise Unparsed(f"the pattern is found more than {MOST_FOUND:,} times")
    return kept


def _picked(ready: ReadyPattern, text: str, pick: Literal["first", "last"]) -> re.Match[str]:
    first = ready.first(text)
    if first is None:
        raise Unparsed("nothing in the text matches the pattern")
    return first if pick == "first" else _found(ready, text)[-1]


def _taken(found: re.Match[str], group: str | float | None) -> str:
    """Return the text of a group of a match; without ``group``, that of the first group that is not empty.

    Without groups in the pattern it is the text of the match. A group that took no part gives the empty text.
    """
    if group is None:
        return next(filter(None, found.groups()), "") if found.re.groups else found[0]
    return found[group if isinstance(group, str) else int(group)] or ""


@primitive(topics=("extraction",), aka=("regex", "regular expression", "regex extract", "extract_regex", "search"))
def find(
    text: str, /, *, pattern: PatternSetting, pick: Literal["first", "last"] = "first", group: GroupSetting = None
) -> str:
    """Return the text that a pattern matches: its first group that is not empty, or without groups the whole match.

    Args:
        pick: Which match is taken where there are several; they don't overlap, and are searched from left to right.

    Raises:
        Unparsed: when nothing matches, or the search could take more steps than are allowed.

    Examples:
        >>> find("Answer: (C). So the answer : b", pattern=r"(?i)answer\\s*:\\s*\\(?([a-d])", pick="last")
        'b'
        >>> find("It is 12 or 13.", pattern=r"\\d+")
        '12'

    Source:
        Python, library reference, module re.
    """
    return _taken(_picked(_prepared(pattern, group), text, pick), group)


@primitive(topics=("extraction",), aka=("regex all", "all matches"))
def find_all(
    text: str,
    /,
    *,
    pattern: PatternsSetting,
    group: GroupSetting = None,
    overlapping: bool = False,
    around: AroundSetting = None,
) -> list[Any]:
    """Return the texts of all matches of a pattern, from left to right; an empty list if there are none.

    With several patterns, all matches of the first come first, then those of the second, and so on.

    Args:
        overlapping: Whether matches may overlap: one match for each position where one begins.
        around: A larger pattern in which the pattern replaces `{}`, such as `(?i)\\b{}\\b` to match whole words.

    Raises:
        Unparsed: when the search could take more steps than are allowed, or finds more than a million matches.

    Examples:
        >>> find_all("1,200 or 15%", pattern=r"\\d[\\d,]*")
        ['1,200', '15']
        >>> find_all("aaa", pattern="aa"), find_all("aaa", pattern="aa", overlapping=True)
        (['aa'], ['aa', 'aa'])
        >>> find_all("* one\\n- two", pattern=["(?m)^-.*", "(?m)^[*].*"])
        ['- two', '* one']

    Source:
        Python, library reference, module re, `finditer`.
    """
    kept: list[str] = []
    for one in pattern if isinstance(pattern, list) else [pattern]:
        ready = _prepared(_around(one, around), group)
        kept += (_taken(found, group) for found in _found(ready, text, overlapping=overlapping))
    return kept


@primitive(topics=("extraction",), aka=("named groups",))
def find_groups(text: str, /, *, pattern: PatternSetting, pick: Literal["first", "last"] = "first") -> dict[str, Any]:
    """Return the texts of the named groups of a match as a mapping, without groups that took no part in the match.

    Args:
        pick: Which match is taken where there are several.

    Raises:
        Unparsed: when nothing matches, or the search could take more steps than are allowed.

    Examples:
        >>> find_groups("x=3, y=4", pattern=r"x=(?P<x>\\d+), y=(?P<y>\\d+)")
        {'x': '3', 'y': '4'}

    Source:
        Python, library reference, module re, `Match.groupdict`.
    """
    groups = _picked(_prepared(pattern), text, pick).groupdict()
    return {name: taken for name, taken in groups.items() if taken is not None}


@checks(find_groups)
def _(*, pattern: str | None, **_: Any) -> SettingFault | None:
    fault = None if pattern is None else _fault(pattern)
    if fault is None and pattern is not None and not prepare(pattern).regex.groupindex:
        return SettingFault("pattern", "no group of this pattern has a name", "no named group", "write `(?P<name>…)`")
    return fault


@primitive(traits=("response_alone",), topics=("extraction", "instructions"), aka=("regex match", "is match", "regexp"))
def matches(
    prediction: str, reference: Any, /, *, pattern: PatternSetting, whole: bool = False, around: AroundSetting = None
) -> Score:
    """Return 1 if a pattern matches in the prediction, else 0.

    Args:
        whole: Whether the pattern has to match the whole text.
        around: A larger pattern in which the pattern replaces `{}`, such as `(?i)\\b{}\\b` to match whole words.

    Raises:
        Unparsed: when the search could take more steps than are allowed.

    Examples:
        >>> matches("I can't help with that", None, pattern="(?i)can('|no)t help")
        1.0
        >>> matches("42 apples", None, pattern=r"\\d+", whole=True)
        0.0

    Source:
        Python, library reference, module re, `search` and `fullmatch`.
    """
    return float(_search(pattern, whole, around)(prediction) is not None)


@batch(matches)
def _(
    predictions: list[str], references: list[Any], *, pattern: str, whole: bool = False, around: str | None = None
) -> list[float]:
    search = _search(pattern, whole, around)
    return [float(search(text) is not None) for text in predictions]


def _search(pattern: str, whole: bool, around: str | None) -> Callable[[str], re.Match[str] | None]:
    ready = _prepared(_around(pattern, around), whole=whole)
    return ready.whole if whole else ready.first


@primitive(topics=("text", "extraction"), aka=("re.sub", "regex replace", "sub", "gsub", "regexes_to_ignore"))
def replace_pattern(
    text: str, /, *, pattern: PatternSetting, by: str = "", count: Annotated[float, AtLeast(0)] = 0
) -> str:
    """Replace every match of a pattern in the text.

    Args:
        by: The replacement; `\\1` or `\\g<name>` in it is the text of a group.
        count: How many matches are replaced, from the left; 0 for all.

    Raises:
        Unparsed: when the search could take more steps than are allowed, or the replacements would be too long.

    Examples:
        >>> replace_pattern("It costs $1,200.", pattern=r"[$,]")
        'It costs 1200.'
        >>> replace_pattern("2024-05-01", pattern=r"(\\d+)-(\\d+)-(\\d+)", by=r"\\3.\\2.\\1")
        '01.05.2024'

    Source:
        Python, library reference, module re, `sub`.
    """
    return _replaced(_prepared(pattern, by=by), text, by, count)


def _replaced(ready: ReadyPattern, text: str, by: str, count: float = 0) -> str:
    if not count and len(text) <= _SHORT and len(by) <= _SHORT and "\\" not in by:
        ready.admit(text)
        return ready.regex.sub(by, text)
    if ready.first(text) is None:
        return text
    parts: list[str] = []
    end = size = 0
    for number, found in enumerate(_found(ready, text)):
        if count and number >= count:
            break
        parts += text[end : found.start()], found.expand(by) if "\\" in by else by
        size += len(parts[-1])
        if size > MOST_WRITTEN:
            raise Unparsed(f"what replaces the matches has more than {MOST_WRITTEN:,} characters")
        end = found.end()
    return "".join([*parts, text[end:]])


@batch(replace_pattern)
def _(texts: list[str], *, pattern: str, by: str = "", count: float = 0) -> list[str]:
    ready = _prepared(pattern, by=by)
    done: list[str] = []
    room = MOST_WRITTEN  # for all texts together; a column that takes more goes one by one
    for text in texts:
        done.append(_replaced(ready, text, by, count))
        room -= len(done[-1])
        if room < 0:
            raise Unparsed("the texts of a column take too much memory together")
    return done


_SHORT = 500
"""Characters of a text in which all matches can be replaced at once: no limit on what is found or written is near, and
a loop at the beginning of a pattern can begin anew at each character."""


@primitive(topics=("text", "lists"), aka=("re.split", "regex split"))
def split_pattern(text: str, /, *, pattern: PatternSetting, limit: Annotated[float, AtLeast(0)] = 0) -> list[str]:
    """Split the text at the matches of a pattern; the texts of groups are not included.

    Args:
        limit: The greatest number of splits, from the left; 0 for one at every match.

    Raises:
        Unparsed: when the search could take more steps than are allowed.

    Examples:
        >>> split_pattern("a, b;c", pattern=r"\\s*[,;]\\s*")
        ['a', 'b', 'c']

    Source:
        Python, library reference, module re, `split`.
    """
    parts: list[str] = []
    end = 0
    for number, found in enumerate(_found(_prepared(pattern), text)):
        if limit and number >= limit:
            break
        parts.append(text[end : found.start()])
        end = found.end()
    return [*parts, text[end:]]


@prepares(find)
@prepares(find_all)
@prepares(find_groups)
@prepares(matches)
@prepares(replace_pattern)
@prepares(split_pattern)
def ready_settings(
    *, pattern: str | list[str], around: str | None = None, whole: bool = False, **settings: Any
) -> dict[str, Any]:
    """Return the changed settings of a step: the patterns put into ``around`` and compiled, and ``around`` as None."""
    several = [pattern] if isinstance(pattern, str) else pattern
    ready = [_prepared(_around(one, around), settings.get("group"), settings.get("by"), whole) for one in several]
    done = {} if around is None else {"around": None}
    return {**done, "pattern": ready[0] if isinstance(pattern, str) else ready}


@checks(find)
@checks(find_all)
@checks(matches)
@checks(replace_pattern)
@checks(split_pattern)
def fault_of_settings(
    *,
    pattern: str | list[str] | None,
    group: str | float | None = None,
    by: str | None = None,
    around: str | None = None,
    **_: Any,
) -> SettingFault | None:
    """Return the first fault in the settings of a step that searches with one or several patterns, or None."""
    every = [pattern] if isinstance(pattern, str) else pattern or []
    faults = (_fault(_around(one, around), group, by) for one in every)
    return _fault_around(around) or next(filter(None, faults), None)
