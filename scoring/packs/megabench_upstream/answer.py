"""MEGA-Bench as released: the single answer after the last marker, and the conversions of fields by its metrics.

Every quirk here is the released code's; SEMANTICS of the golden vectors lists them. Its Python reader is replaced by
one with limits, which gives the same values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.lazy_pattern import lazy_pattern
from scoring.packs.megabench_upstream.json import parse_json
from scoring.packs.megabench_upstream.text import after_blank_lines, drawing_in_fence, first_fence, up_to_blank_lines
from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.printed import in_stable_order, printed
from scoring.registry import primitive

_CLOSING = {"(": ")", "{": "}", "[": "]"}


def iterable_of(make: Callable[..., Any], value: Any) -> Any:
    """Return the elements that the released code reads from a string, as a set or a list, whichever ``make`` is.

    A string that is not a Python literal is split on commas, and a number is a single element. The text `None` gives
    the empty string. Anything else without elements, such as a value that is not a string, gives none.
    """
    if not isinstance(value, str):
        return make()
    text = value.strip(" ")
    if not text:
        return make()
    closing = _CLOSING.get(text[0])
    if closing is not None and text[-1] != closing:
        return make()
    try:
        found = read_literal(text)
    except (SyntaxError, ValueError):
        inner = text if closing is None else text[1:-1]
        return make([part.strip() for part in inner.split(",")])
    except TypeError:
        return make()
    if found is None:
        return ""
    if isinstance(found, (int, float)):
        return make([found])
    if make is list and isinstance(found, set):
        return in_stable_order(found)
    try:
        return make(found)
    except TypeError:  # an unhashable element, a complex number, an ellipsis
        return make()


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_freeze(item) for item in value)
    if isinstance(value, set):
        return frozenset(value)
    return value


@primitive
def megabench_upstream_to_set(value: object, /) -> Any:
    """Return the set that the released code makes of a field; numbers and None become the empty set.

    Examples:
        >>> sorted(megabench_upstream_to_set("[1, 2]")), megabench_upstream_to_set(5)
        ([1, 2], set())

    Source:
        MEGA-Bench, released code, cast_to_set.
    """
    if type(value) is str:
        return iterable_of(set, value)
    frozen = _freeze(value)
    if isinstance(frozen, (tuple, frozenset)):
        return set(frozen)
    return iterable_of(set, frozen)


@primitive
def megabench_upstream_text_to_set(value: object, /) -> Any:
    """Return the set that the released code reads from a string; any other value becomes the empty set.

    A string that is not a Python literal is split on commas; a quoted string becomes its characters.

    Examples:
        >>> sorted(megabench_upstream_text_to_set("b, a")), sorted(megabench_upstream_text_to_set("'ab'"))
        (['a', 'b'], ['a', 'b'])

    Source:
        MEGA-Bench, released code, str_to_set.
    """
    return iterable_of(set, value)


@primitive
def megabench_upstream_text_to_list(value: object, /) -> Any:
    """Return the list that the released code reads from a string; any other value becomes the empty list.

    Examples:
        >>> megabench_upstream_text_to_list("(1, 2)"), megabench_upstream_text_to_list("a, b")
        ([1, 2], ['a', 'b'])

    Source:
        MEGA-Bench, released code, str_to_list.
    """
    return iterable_of(list, value)


@primitive
def megabench_upstream_to_dict(value: object, /) -> Any:
    """Return the object or list read from a string, or the string itself if that is empty or there is none.

    Every value of a dictionary is converted likewise; other values, also those inside what was read, are unchanged.

    Examples:
        >>> megabench_upstream_to_dict("{'a': '{}'}")
        {'a': '{}'}

    Source:
        MEGA-Bench, released code, cast_to_dict.
    """
    if isinstance(value, dict):
        return {key: megabench_upstream_to_dict(item) for key, item in value.items()}
    if isinstance(value, str):
        return parse_json(value) or value
    return value


@primitive
def megabench_upstream_evaluate_as_string(value: object, /) -> Any:
    """Return a quoted string without its quotes, and any other value unchanged.

    The released code does this to every reference, to every value of a parsed JSON object and to the single answer.

    Examples:
        >>> megabench_upstream_evaluate_as_string("'B'"), megabench_upstream_evaluate_as_string("[1]")
        ('B', '[1]')

    Source:
        MEGA-Bench, released code, evaluate_as_string.
    """
    if not isinstance(value, str):
        return value
    if len(value) < 200 and "{" not in value and (value[:1] == "[" or ("'" not in value and '"' not in value)):
        return value  # clearly neither a string literal nor one that raises another error
    try:
        found = read_literal(value)
    except (SyntaxError, ValueError):
        return value
    except MemoryError:
        return ""
    return found if isinstance(found, str) else value


_MARKER = "Answer:"
_WORD = lazy_pattern(r"\w")
_GAP = lazy_pattern(r"\A\s*|\n\s*")
# The beginning of an answer that may stand alone, with an explanation in the next paragraph: a word, or one word in
# parentheses and nothing else.
_BEGINS_PLAINLY = lazy_pattern(r"[A-Za-z0-9_-]|\([A-Za-z0-9_-]+\)\Z")


@primitive(revision=2)
def megabench_upstream_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """Return the text after the last `Answer:`, without its fence and its quotes.

    Args:
        single_line: Whether the reference is one line; if so, an explanation in a further paragraph is dropped.
        like: The reference, from which `single_line` is derived if it is not given.

    Examples:
        >>> megabench_upstream_answer_string("I think so.\\nAnswer: 'B'")
        'B'
        >>> megabench_upstream_answer_string("**Answer:** B")
        ''

    Source:
        MEGA-Bench, released code, parser answer_string.
    """
    text = _content(response or "").strip()
    fenced = first_fence(text)
    if fenced is not None:
        text = fenced.strip()
    elif single_line or (single_line is None and like is not None and "\n" not in like):
        text = _first_paragraph(text)
    return _value(text)


@primitive(revision=2)
def megabench_upstream_ascii_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """Return the text after the last `Answer:` with its indentation, for ASCII art.

    Args:
        single_line: Ignored, as by the released code; present so that the three parsers take the same arguments.
        like: Ignored likewise.

    Examples:
        >>> megabench_upstream_ascii_answer_string("Answer:\\n  /\\\\\\n /  \\\\ ")
        '  /\\\\\\n /  \\\\'

    Source:
        MEGA-Bench, released code, parser ascii_answer_string.
    """
    text = _without_blank_lines(_content(response or "")).rstrip()
    return _value(drawing_in_fence(after_blank_lines(text), trimmed=True))


@primitive(revision=2)
def megabench_upstream_verbatim_answer_string(
    response: str | None, /, *, single_line: bool | None = None, like: str | None = None
) -> str:
    """Return the text after the last `Answer:` with its indentation and its trailing spaces.

    Args:
        single_line: Ignored, as by the released code; present so that the three parsers take the same arguments.
        like: Ignored likewise.

    Examples:
        >>> megabench_upstream_verbatim_answer_string("Answer: B  \\n")
        ' B  '

    Source:
        MEGA-Bench, released code, parser verbatim_answer_string.
    """
    text = up_to_blank_lines(_without_blank_lines(_content(response or "")))
    return _value(drawing_in_fence(after_blank_lines(text)))


@primitive
def megabench_upstream_dummy(response: str, /) -> str:
    """Return the response itself, without surrounding white space; None is not a response.

    Examples:
        >>> megabench_upstream_dummy(" Answer: B ")
        'Answer: B'

    Source:
        MEGA-Bench, released code, parser dummy.
    """
    return response.strip()


def _content(text: str) -> str:
    """Return the text after the last `Answer:`, the marker; if an asterisk precedes it, up to the next asterisk.

    Earlier markers are removed from the text, wherever they are. Only a marker at the beginning of a word counts;
    without one, the whole text is the answer. Removing markers may create a new one, of which the first counts.
    """
    text = text.replace("answer:", _MARKER)
    last = text.rfind(_MARKER)
    if last < 0:
        return text
    text = text[:last].replace(_MARKER, "") + text[last:]
    start = text.find(_MARKER)
    while start >= 0:
        content = text[start + len(_MARKER) :]
        before = text[start - 1 : start]
        if before == "*" and "*" in content:
            return content[: content.index("*")]
        if not _WORD.match(before):
            return content
        start = text.find(_MARKER, start + 1)
    return text


def _without_blank_lines(text: str) -> str:
    """Return the text with at most one blank line in a row, and none at the end; lines of spaces are blank."""
    kept, end = [], 0
    for found in _GAP.finditer(text):
        start = found.start() and found.start() + 1  # after the line end before the gap, or at the very beginning
        last = text.rfind("\n", start, found.end())
        stop = len(text) if found.end() == len(text) else last
        if last >= 0 and (stop > last or "\n" in text[start:last]):
            kept.append(text[end:start])
            end = stop
    return "".join([*kept, text[end:]])


def _first_paragraph(text: str) -> str:
    """Return the first paragraph if it is one line and begins with a letter, a digit, `_` or `-`, or is one word in
    parentheses; else the whole text."""
    first = text.split("\n\n", 1)[0].strip()
    if not _BEGINS_PLAINLY.match(first):
        return text
    lines = text.splitlines()
    return first if len(lines) > 1 and not lines[1].strip() else text


def _value(text: str) -> str:
    """Return the text of an answer as a value: JSON as Python prints it, a quoted string without its quotes.

    Any other text is returned unchanged.
    """
    if text.startswith(("{", "[")):
        found = parse_json(text)
        if (found == {} and "{}" not in text) or (found == [] and "[]" not in text):
            return text
        return printed(found)
    value: str = megabench_upstream_evaluate_as_string(text)
    return value
