"""Fast reading of the commonest literals without a compiler: numbers, and texts easily translated to JSON.

Each shortcut returns either exactly what ``ast.literal_eval`` would return, or ``NOTHING``; a property test checks it.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecoder
from json.scanner import make_scanner
from typing import Any

from scoring.lazy_pattern import lazy_pattern

# Python's tokenizer refuses deeper brackets; the JSON decoder does not.
MAX_BRACKETS = 200

NOTHING: Any = object()

# Reads one value from a position on and returns its end; the decoder's `decode` adds two calls and two searches.
_scan = make_scanner(JSONDecoder())  # type: ignore[arg-type]  # the stubs name its context wrongly
_SPACES = " \t\n\r"
_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?")
# Numbers separated by commas are a tuple, but not if there is a line end between them.
_ROW = lazy_pattern(r"[-0-9][-+0-9.eE \t]*(?:,[-+0-9.eE \t]*)+")
_CONSTANTS = {"None": None, "True": True, "False": False}
_LONGEST_CONSTANT = 6
# Escapes that mean the same in both languages; surrogates are excluded, because they do not.
_COMMON_ESCAPE = lazy_pattern(r'\\(?:[ntrbf"\\]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})')
_TOKEN = lazy_pattern(r"""'([^'\n]*)'|"[^"\n]*"|True|False|None|true|false|null|NaN|Infinity""")
# The translation of Python's constants; a word of JSON that Python does not have becomes `?`, which is invalid.
_WORDS = {"True": "true", "False": "false", "None": "null"}


def fast_literal(text: str) -> Any:
    """Return the value of the literal in a text, or ``NOTHING`` where Python's compiler must decide."""
    first = text[:1]
    if text[-1:].isspace() and text[len(text.rstrip()) :].strip(" "):
        return NOTHING  # Python treats indentation on an empty last line as an error
    if first == "{" and ":" not in text:
        return _of_set(text)
    if first in ("[", "{", '"', "'"):
        if "(" in text and "'" not in text and '"' not in text:
            return _of_tuples(text)
        return _through_json(text)
    if first == "(":
        return NOTHING if "'" in text or '"' in text else _of_tuples(text)
    if first and first in "-0123456789":
        if _NUMBER.fullmatch(text):
            return float(text) if "." in text else int(text)
        if _ROW.fullmatch(text):
            found = _decoded(f"[{text}]")
            return found if found is NOTHING else tuple(found)
    return _CONSTANTS.get(text, NOTHING) if len(text) < _LONGEST_CONSTANT else NOTHING


def _of_set(text: str) -> Any:
    """Return the value of a set, read as the list of its items, or ``NOTHING``; empty braces are a mapping."""
    whole = text.rstrip()
    inner = whole[1:-1]
    if whole[-1] != "}" or not inner.strip():
        return _through_json(text)
    found = _through_json(f"[{inner}]")
    try:
        return found if found is NOTHING else set(found)
    except TypeError:
        return NOTHING  # an unhashable item: the compiler raises the error


def _through_json(text: str) -> Any:
    if not _readable(text):
        return NOTHING
    escapes = "\\" in text
    if escapes and "\\" in _COMMON_ESCAPE.sub("", text):
        return NOTHING
    single, double, worded = text.find("'"), text.find('"'), _has_word(text)
    if single < 0 and not worded:
        return _decoded(text)
    if single < 0 or 0 <= double < single:
        # If the text is already JSON, all of its apostrophes, and perhaps its words, are within strings.
        found = _decoded(text)
        if found is not NOTHING and (not worded or (not escapes and _only_texts(found, text))):
            return found
    if escapes or (single >= 0 and ("'''" in text or '"""' in text)):
        return NOTHING
    # All quotes are single quotes; both languages refuse a line end between two of them.
    return _decoded(text.replace("'", '"') if double < 0 and not worded else _TOKEN.sub(_translate, text))


def _has_word(text: str) -> bool:
    """Return whether a text contains a constant of Python or JSON, such as `None` or `true`.

    Eight searches in C are faster than a regular expression.
    """
    return (
        "None" in text or "null" in text or "True" in text or "true" in text
        or "False" in text or "false" in text or "NaN" in text or "Infinity" in text
    )  # fmt: skip


def _only_texts(value: Any, text: str) -> bool:
    """Return whether a value, read from ``text``, is a string, or a flat list or mapping with all strings of the text.

    A mapping lacks a string of the text if a key is repeated.
    """
    if type(value) is str:
        return True
    items = value.values() if type(value) is dict else value
    return set(map(type, items)) <= {str} and text.count('"') == (4 if type(value) is dict else 2) * len(value)


def _decoded(text: str) -> Any:
    """Return the JSON value of the whole text, but for spaces at its end, or ``NOTHING`` if it is not JSON."""
    try:
        found, end = _scan(text, 0)
    except (StopIteration, ValueError):
        return NOTHING
    return found if end == len(text) or not text[end:].strip(_SPACES) else NOTHING


def _translate(match: re.Match[str]) -> str:
    inner = match.group(1)
    if inner is not None:
        return f'"{inner}"' if '"' not in inner else '"' + inner.replace('"', '\\"') + '"'
    token = match.group()
    return token if token[0] == '"' else _WORDS.get(token, "?")


def _readable(text: str) -> bool:
    """Return whether a text has no surrogates, which can't be compiled, and no nesting that Python would refuse."""
    if not text.isascii() and _SURROGATE.search(text):
        return False
    return len(text) < MAX_BRACKETS or text.count("[") + text.count("{") + text.count("(") < MAX_BRACKETS


_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_LETTER = lazy_pattern(r"[^\W\d_eE]")


def _of_tuples(text: str) -> Any:
    """Return the value of tuples of numbers, in a list or alone, read as JSON and then converted, or ``NOTHING``."""
    lists = text.count("[")
    if lists != text.count("]") or lists > 1 or "{" in text or not _readable(text):
        return NOTHING
    if lists and (text[0] != "[" or text.rstrip()[-1] != "]"):
        return NOTHING
    if _LETTER.search(text):
        return NOTHING
    found = _decoded(text.replace("(", "[").replace(")", "]"))
    if not lists or found is NOTHING:
        return _tuple(found)
    items = [_tuple(item) for item in found]
    return NOTHING if NOTHING in items else items


def _tuple(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    items = tuple(map(_tuple, value)) if list in set(map(type, value)) else tuple(value)
    # A single value in parentheses is not a tuple.
    return NOTHING if len(items) < 2 or NOTHING in items else items
