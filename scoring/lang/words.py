"""The lexical rules of the language: bare names, and texts in quotes."""

from __future__ import annotations

import json
import re

from scoring.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"[^\W\d]\w*")
_ESCAPE = lazy_pattern(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_UNIT = lazy_pattern(r"\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL)
_RAW = lazy_pattern(r'r"(?:[^"\\\n\x00-\x1f]|\\[^\n\x00-\x1f])*"')
_PLAIN_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# Control characters, line separators and halves of pairs: invisible or forbidden in a YAML file.
_HIDDEN = lazy_pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

#: Words that do not refer to a field in a formula.
FORMULA_WORDS = frozenset({"and", "or", "not", "true", "false", "score"})
#: All functions that a formula of a record may call.
CALLS = frozenset({
    "abs", "argmax", "clip", "dot", "exp", "fields", "if", "length", "log", "max", "mean", "min", "round", "sqrt",
    "sum",
})  # fmt: skip


class BadEscape(ValueError):
    """The exception for an unknown escape; `start` and `end` are offsets from the opening quote."""

    def __init__(self, escape: str, start: int, end: int) -> None:
        super().__init__(escape)
        self.escape, self.start, self.end = escape, start, end


def is_name(text: str) -> bool:
    """Return whether a text can be written as a bare word.

    Examples:
        >>> is_name("vendor"), is_name("prénom"), is_name("number of objects"), is_name("2nd")
        (True, True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def text_literal(text: str) -> str:
    """Return a text as a literal: raw if it has backslashes and that is possible, so that patterns stay readable.

    Examples:
        >>> print(text_literal("\\\\d+"), text_literal("a\\n"))
        r"\\d+" "a\\n"
    """
    raw = f'r"{text}"'
    return raw if "\\" in text and _RAW.fullmatch(raw) and not _HIDDEN.search(text) else quote(text)


def character_offsets(quoted: str) -> list[int]:
    """Return the offset in a quoted text at which each character inside the quotes begins, and the end of the last.

    Examples:
        >>> character_offsets('"a\\\\nb"')
        [1, 2, 4, 5]
    """
    if quoted[0] == "r":
        return list(range(2, len(quoted)))
    found = [one.start() for one in _UNIT.finditer(quoted, 1, len(quoted) - 1)]
    return [*found, len(quoted) - 1]


def quote(text: str) -> str:
    """Return a text in double quotes, escaped as in JSON.

    Examples:
        >>> print(quote('a "b"'))
        "a \\"b\\""
    """
    in_json = json.dumps(text, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", in_json)


def unquoted_text(quoted: str) -> str:
    """Return the text inside a pair of quotes; raise BadEscape for an unknown escape. A raw text, `r"\\d"`, has none.

    Examples:
        >>> unquoted_text("'it\\\\'s'")
        "it's"
        >>> print(unquoted_text('r"\\\\d+"'))
        \\d+
    """
    if quoted[0] == "r":
        return quoted[2:-1]
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    parts: list[str] = []
    end = 0
    for escape in _ESCAPE.finditer(inner):
        parts += inner[end : escape.start()], _unescape(escape)
        end = escape.end()
    # JSON writes a character above U+FFFF as a pair of escapes; half a pair is not a character.
    try:
        return "".join([*parts, inner[end:]]).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise BadEscape("half a pair of \\u escapes", 0, len(quoted)) from None


def _unescape(escape: re.Match[str]) -> str:
    body = escape[1]
    if len(body) == 5:
        return chr(int(body[1:], 16))
    if body not in _PLAIN_ESCAPES:
        raise BadEscape(escape[0], escape.start() + 1, escape.end() + 1)
    return _PLAIN_ESCAPES[body]
