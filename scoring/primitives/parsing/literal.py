"""Read a Python literal out of untrusted text: bounded in size, never evaluated, no warnings."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

# Far beyond any real answer, small enough that the syntax tree of a hostile one stays within 100 ms and 50 MB.
MAX_LENGTH = 100_000
# The tokenizer of Python refuses deeper brackets; JSON's reader does not.
MAX_BRACKETS = 200

# A text with a token that no literal holds is refused before it is compiled. Words with a character beyond ASCII are
# left to the compiler, because Python normalises identifiers.
_LITERAL_TOKENS = re.compile(
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
# JSON reads these words, Python does not; a surrogate can't be compiled.
_JSON_ONLY = re.compile(r"true|false|null|NaN|Infinity|[\ud800-\udfff\\]")
# What the compiler may warn about: escapes such as `\d`, and numbers that touch a word (`1or 2`).
_WARNS = re.compile(r"\\|\d\.?[A-Za-z]")


class NotALiteral(ValueError):
    """The text is no Python literal; raised before anything is compiled."""


def read_literal(text: str, *, exact: bool = False) -> Any:
    """The value of a Python literal, as ``ast.literal_eval`` gives it.

    Raises what ``ast.literal_eval`` raises (SyntaxError, ValueError, TypeError, MemoryError, RecursionError). A text
    that holds something else than literals raises ValueError even where Python says SyntaxError, unless ``exact``.
    """
    if len(text) > MAX_LENGTH:
        raise SyntaxError(f"a literal of more than {MAX_LENGTH} characters")
    first = text[:1]
    if first in ("[", "{", '"', "'"):
        found = _through_json(text)
        if found is not _NOTHING:
            return found
    if not exact and "'''" not in text and '"""' not in text and not _LITERAL_TOKENS.fullmatch(text):
        raise NotALiteral("not a Python literal")
    if _WARNS.search(text):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    return ast.literal_eval(text)


_NOTHING = object()
_decode = json.JSONDecoder().decode


def _through_json(text: str) -> Any:
    """The same value by the much faster reader of JSON, where both languages agree about the text."""
    if _JSON_ONLY.search(text) or (len(text) > MAX_BRACKETS and _brackets(text) >= MAX_BRACKETS):
        return _NOTHING
    if "'" in text:
        if '"' in text:
            return _NOTHING
        text = text.replace("'", '"')
    try:
        return _decode(text)
    except ValueError:
        return _NOTHING


def _brackets(text: str) -> int:
    return text.count("[") + text.count("{")
