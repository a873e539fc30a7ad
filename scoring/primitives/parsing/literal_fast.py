"""The commonest literals without a compiler: numbers, and what JSON's reader understands after a small translation.

Each shortcut either gives exactly what ``ast.literal_eval`` would, or ``NOTHING``; a property test holds it to that.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecoder
from json.scanner import make_scanner
from typing import Any

# The tokenizer of Python refuses deeper brackets; JSON's reader does not.
MAX_BRACKETS = 200

NOTHING: Any = object()

# One value from a place on, and where it ends: the decoder's own `decode` is two frames and two searches around it.
_scan = make_scanner(JSONDecoder())  # type: ignore[arg-type]  # the stubs name its context wrongly
_SPACES = " \t\n\r"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?")
# Numbers in a row are a tuple; a line end between them is none.
_ROW = re.compile(r"[-0-9][-+0-9.eE \t]*(?:,[-+0-9.eE \t]*)+")
_CONSTANTS = {"None": None, "True": True, "False": False}
_LONGEST_CONSTANT = 6
# Escapes that mean the same in both languages; a pair of surrogates does not.
_COMMON_ESCAPE = re.compile(r'\\(?:[ntrbf"\\]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})')
_TOKEN = re.compile(r"""'([^'\n]*)'|"[^"\n]*"|True|False|None|true|false|null|NaN|Infinity""")
# A word of JSON alone becomes a sign that no reader takes.
_WORDS = {"True": "true", "False": "false", "None": "null"}


def fast_literal(text: str) -> Any:
    """Return the value of a literal, or ``NOTHING`` if only the compiler can determine it."""
    first = text[:1]
    if text[-1:].isspace() and text[len(text.rstrip()) :].strip(" "):
        return NOTHING  # Python takes an indentation on a last, empty line for an error
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
    """Return a set, read as the list of its items; braces around nothing are a mapping."""
    whole = text.rstrip()
    inner = whole[1:-1]
    if whole[-1] != "}" or not inner.strip():
        return _through_json(text)
    found = _through_json(f"[{inner}]")
    try:
        return found if found is NOTHING else set(found)
    except TypeError:
        return NOTHING  # an item that can't be one: the compiler says so


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
        # What is JSON as it stands has its apostrophes, and perhaps its words, within texts.
        found = _decoded(text)
        if found is not NOTHING and (not worded or (not escapes and _only_texts(found, text))):
            return found
    if escapes or (single >= 0 and ("'''" in text or '"""' in text)):
        return NOTHING
    # All quotes are single ones; a line end between two of them is refused by both languages.
    return _decoded(text.replace("'", '"') if double < 0 and not worded else _TOKEN.sub(_translate, text))


def _has_word(text: str) -> bool:
    """Tell whether a word of either language stands anywhere; eight searches in C are quicker than one by pattern."""
    return (
        "None" in text or "null" in text or "True" in text or "true" in text
        or "False" in text or "false" in text or "NaN" in text or "Infinity" in text
    )  # fmt: skip


def _only_texts(value: Any, text: str) -> bool:
    """Tell whether nothing but flat texts was read, and all that stands there was: a key that comes again hides a
    value."""
    if type(value) is str:
        return True
    items = value.values() if type(value) is dict else value
    return set(map(type, items)) <= {str} and text.count('"') == (4 if type(value) is dict else 2) * len(value)


def _decoded(text: str) -> Any:
    """Return the JSON value that begins with the text and is all of it but for spaces; ``NOTHING`` where it is none."""
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
    """No surrogate, which can't be compiled, and no nesting that Python would refuse."""
    if not text.isascii() and _SURROGATE.search(text):
        return False
    return len(text) < MAX_BRACKETS or text.count("[") + text.count("{") + text.count("(") < MAX_BRACKETS


_SURROGATE = re.compile("[\ud800-\udfff]")
_LETTER = re.compile(r"[^\W\d_eE]")


def _of_tuples(text: str) -> Any:
    """Tuples of numbers, in a list or alone: read as arrays, from which the tuples are then made."""
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
    # One value in parentheses is no tuple.
    return NOTHING if len(items) < 2 or NOTHING in items else items
