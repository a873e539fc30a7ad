"""Reading of Python literals from untrusted text: limited in size, never evaluated, without warnings."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

from scoring.depth import in_full_depth, on_large_stack
from scoring.lazy_pattern import lazy_pattern
from scoring.primitives.parsing.literal_fast import MAX_BRACKETS, NOTHING, fast_literal
from scoring.primitives.text.replacing import MANY_MARKS, order_combining_marks

# Far longer than any real answer, yet short enough that parsing a hostile one stays within 100 ms and 50 MB.
MAX_LENGTH = 100_000

# A text with a token that no literal contains is refused before it is compiled. Words with a non-ASCII character are
# left to the compiler, because Python normalises identifiers.
_LITERAL_TOKENS = lazy_pattern(
    r"""(?:
        [\s,\[\](){}:+\-.\\]++
      | \d[\w.]*+
      | [rRbBuU]{0,2}+ (?: '[^'\\\n]*+(?:\\[\s\S][^'\\\n]*+)*+' | "[^"\\\n]*+(?:\\[\s\S][^"\\\n]*+)*+" )
      | (?:None|True|False|set)(?!\w)
      | \w*[^\x00-\x7f]\w*
      | \#[^\n]*+
    )*+""",
    re.VERBOSE,
)
# A collection where an item of a set or a key may be; Python reads `ｓet` as `set`, and joins lines at a backslash.
_MAY_BE_UNHASHABLE = lazy_pattern(r"[{,][\s\\]*(?:[\[{(]|set\b|\w*[^\x00-\x7f])")
# From about 90 brackets or 500 signs on, the compiler may fail from nesting before it reaches the invalid token.
_MANY_BRACKETS, _MANY_OPERATORS = 90, 500
SHALLOW = 64
"""Texts of at most this length are compiled on any stack, longer ones on a large one."""
# Sources of compiler warnings: escapes such as `\d`, and numbers directly followed by a word (`1or 2`).
_WARNS = lazy_pattern(r"\\|\d\.?[A-Za-z]")


READING_ERRORS = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
"""The exceptions that reading a literal may raise, the same as those of `ast.literal_eval`."""


# Python normalises names, which takes quadratic time in the number of accents on one letter, so accents are sorted
# first. Names are outside of strings and comments.
_TEXTS_AND_MARKS = lazy_pattern(
    r"""'{3}(?:[^'\\]|\\[\s\S]|'(?!''))*+(?:'{3})?+ | "{3}(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:"{3})?+
      | '(?:[^'\\\n]|\\[\s\S])*+'?+ | "(?:[^"\\\n]|\\[\s\S])*+"?+ | \#[^\n]*+ | [^\x00-\x7f]{500,}+""",
    re.VERBOSE,
)


class NotALiteral(ValueError):
    """The error that a text is not a Python literal; raised before anything is compiled."""


def read_literal(text: str, *, exact: bool = False) -> Any:
    """Return the value of a Python literal, as ``ast.literal_eval`` does.

    It raises the same exceptions as ``ast.literal_eval`` (`READING_ERRORS`), except that a text with other content than
    literals raises ValueError even where Python raises SyntaxError, unless ``exact``.
    """
    if len(text) > MAX_LENGTH:
        raise SyntaxError(f"a literal of more than {MAX_LENGTH} characters")
    try:
        found = fast_literal(text)
    except RecursionError:
        found = on_large_stack(fast_literal, text)
    return in_full_depth(_compiled, text, exact) if found is NOTHING else found


def _compiled(text: str, exact: bool) -> Any:
    if not exact and _is_plainly_none(text):
        raise NotALiteral("not a Python literal")
    text = with_names_in_order(text)
    if _WARNS.search(text):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile_literal(text)
    return compile_literal(text)


def compile_literal(text: str) -> Any:
    """Return the result of `ast.literal_eval`, which raises the same exceptions.

    Long texts are parsed on a large stack, since each bracket and sign takes 3 kB of it.
    """
    try:
        return ast.literal_eval(text) if len(text) <= SHALLOW else on_large_stack(ast.literal_eval, text)
    except ValueError as error:
        message = str(error)
        raise ValueError(message.partition(": <")[0]) from None  # without the memory address of the tree's node


def with_names_in_order(text: str) -> str:
    """Return the text of a literal with the combining marks outside of its strings in canonical order.

    Python then compiles it in linear time; its value is unchanged.
    """
    if len(text) < MANY_MARKS or text.isascii():
        return text
    return _TEXTS_AND_MARKS.sub(
        lambda found: found[0] if found[0][0] in "'\"#" else order_combining_marks(found[0]), text
    )


def _is_plainly_none(text: str) -> bool:
    """Return whether a text is certainly not a literal because of its content; False if another reason is possible.

    Other reasons are nesting that is too deep (MemoryError, RecursionError) and unhashable items (TypeError).
    """
    if sum(map(text.count, "([{")) >= _MANY_BRACKETS or text.count("+") + text.count("-") >= _MANY_OPERATORS:
        return False
    if "'''" in text or '"""' in text or _LITERAL_TOKENS.fullmatch(text):
        return False
    return "{" not in text or _MAY_BE_UNHASHABLE.search(text) is None


def read_notation(text: str) -> Any:
    """Return the value of a whole text that is a Python literal, or a JSON object or list.

    It raises the same exceptions as ``read_literal`` if the text is neither.
    """
    try:
        return read_literal(text)
    except (SyntaxError, ValueError):
        if len(text) > MAX_LENGTH or text[:1] not in ("[", "{") or text.count("[") + text.count("{") > MAX_BRACKETS:
            raise
    return in_full_depth(json.loads, text)


def literal_or_itself(text: str, *, exact: bool = False) -> Any:
    """Return the value of a literal, or the text itself if it is not a literal."""
    try:
        return read_literal(text, exact=exact)
    except READING_ERRORS:
        return text


def notation_or_none(text: str) -> Any:
    """Return the value of a whole text, ignoring white space around it, or None if it can't be read."""
    try:
        return read_notation(text.strip())
    except READING_ERRORS:
        return None
