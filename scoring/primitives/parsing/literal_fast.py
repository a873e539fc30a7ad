"""The commonest literals without a compiler: numbers, and what JSON's reader understands after a small translation.

Each shortcut either gives exactly what ``ast.literal_eval`` would, or ``NOTHING``; a property test holds it to that.
"""

from __future__ import annotations

import json
import re
from typing import Any

# The tokenizer of Python refuses deeper brackets; JSON's reader does not.
MAX_BRACKETS = 200

NOTHING: Any = object()

_decode = json.JSONDecoder().decode
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?")
# Escapes that mean the same in both languages; a pair of surrogates does not.
_COMMON_ESCAPE = re.compile(r'\\(?:[ntrbf"\\]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})')
_TOKEN = re.compile(r"""'([^'\n]*)'|"[^"\n]*"|True|False|None|true|false|null|NaN|Infinity""")
# A word of JSON alone becomes a sign that no reader takes.
_WORDS = {"True": "true", "False": "false", "None": "null"}


def fast_literal(text: str) -> Any:
    """The value of a literal, or ``NOTHING`` where only the compiler can tell."""
    first = text[:1]
    if text[-1:].isspace() and text[len(text.rstrip()) :].strip(" "):
        return NOTHING  # Python takes an indentation on a last, empty line for an error
    if first in ("[", "{", '"', "'"):
        if "(" in text and "'" not in text and '"' not in text:
            return _of_tuples(text)
        return _through_json(text)
    if first == "(":
        return NOTHING if "'" in text or '"' in text else _of_tuples(text)
    if first and (first in "-0123456789") and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return NOTHING


def _through_json(text: str) -> Any:
    if not _readable(text):
        return NOTHING
    if "\\" in text:
        if "'" in text or "\\" in _COMMON_ESCAPE.sub("", text) or _TOKEN_WORD.search(text):
            return NOTHING
    elif "'" in text:
        if "'''" in text or '"""' in text:
            return NOTHING
        text = _TOKEN.sub(_translate, text)
    elif _TOKEN_WORD.search(text):
        text = _TOKEN.sub(_translate, text)
    try:
        return _decode(text)
    except ValueError:
        return NOTHING


_TOKEN_WORD = re.compile(r"[TtFf](?:rue|alse)|[Nn](?:one|ull|aN)|Infinity")


def _translate(match: re.Match[str]) -> str:
    inner = match.group(1)
    if inner is not None:
        return f'"{inner}"' if '"' not in inner else '"' + inner.replace('"', '\\"') + '"'
    token = match.group()
    return token if token[0] == '"' else _WORDS.get(token, "?")


def _readable(text: str) -> bool:
    """No surrogate, which can't be compiled, and no nesting that Python would refuse."""
    if not text.isascii() and _SURROGATE.search(text):
        return False
    return len(text) < MAX_BRACKETS or text.count("[") + text.count("{") + text.count("(") < MAX_BRACKETS


_SURROGATE = re.compile("[\ud800-\udfff]")
_ARRAYS = str.maketrans("()", "[]")


def _of_tuples(text: str) -> Any:
    """Tuples of numbers, in a list or alone: read as arrays, from which the tuples are then made."""
    lists = text.count("[")
    if lists != text.count("]") or lists > 1 or "{" in text or not _readable(text):
        return NOTHING
    if lists and (text[0] != "[" or text.rstrip()[-1] != "]"):
        return NOTHING
    if any(letter.isalpha() and letter not in "eE" for letter in text):
        return NOTHING
    try:
        found = _decode(text.translate(_ARRAYS))
    except ValueError:
        return NOTHING
    if not lists:
        return _tuple(found)
    items = [_tuple(item) for item in found]
    return NOTHING if NOTHING in items else items


def _tuple(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    items = tuple(_tuple(item) for item in value)
    # One value in parentheses is no tuple.
    return NOTHING if len(items) < 2 or NOTHING in items else items
