r"""Make untrusted text harmless for its readers: on a terminal, in a log, in the log of a CI run.

Every output format passes each piece of text from the data through `visible`, which keeps it on one line. The complete
output then passes through `steady`, so a piece that was forgotten still can't control the terminal. Text in drawings
passes through `display`, since its width is needed.
"""

from __future__ import annotations

import re
import unicodedata

from scoring.lazy_pattern import lazy_pattern

# C1 controls, lone surrogates, and invisible characters: marks that reorder or split text, separators, joiners, tags.
_UNSEEN = "\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3"
_UNSEEN += "\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff"
HOSTILE = lazy_pattern(f"[\x00-\x1f{_UNSEEN}]")
# Our own colour sequences pass if colours are on; line ends and tabs always pass.
_UNSTEADY = lazy_pattern(f"[\x00-\x08\x0b-\x1f{_UNSEEN}]")
_UNSTEADY_BUT_COLOURS = lazy_pattern(f"[\x00-\x08\x0b-\x1a\x1c-\x1f{_UNSEEN}]|\x1b(?!\\[[0-9;]*m)")
# Commands that CI runners obey: `::error …` at the beginning of a line, `##[error]` and `##vso[…]` anywhere.
_COMMAND = lazy_pattern(r"(?m)^[ \t]*:(?=:[A-Za-z])")
_OLD_COMMAND = lazy_pattern(r"##(?=\w*\[)")


def visible(text: str) -> str:
    r"""Return the text on one line, with control characters and invisible characters written as escapes.

    Examples:
        >>> visible("a\x1b[31mb\nc")
        'a\\x1b[31mb\\nc'
    """
    return text if text.isascii() and text.isprintable() else HOSTILE.sub(_escape, text)


def steady(text: str, color: bool = False, commands: bool = False) -> str:
    r"""Return complete output without anything that controls a terminal or a CI runner.

    Such characters are replaced by JSON escapes, so that JSON keeps its meaning.

    Args:
        text: The output to print.
        color: Whether it may contain colours.
        commands: Whether to keep a CI runner's commands at the beginning of lines, as this program writes them.

    Examples:
        >>> print(steady('{"id": "\x9b2J"}\n  ::error::boo'))
        {"id": "\u009b2J"}
          \u003a:error::boo
    """
    if not text.isascii() or not text.isprintable():
        text = (_UNSTEADY_BUT_COLOURS if color else _UNSTEADY).sub(_json_escape, text)
    text = _OLD_COMMAND.sub(_spoil, text)
    return text if commands else _COMMAND.sub(_spoil, text)


def safe_line(text: str) -> str:
    """Return a text as one line that is safe to print anywhere, such as the message of an exception.

    Examples:
        >>> safe_line("no file `##[error]`")
        'no file `#\\\\u0023[error]`'
    """
    return steady(visible(text))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _spoil(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}"


_TAB = 4


def display(text: str) -> str:
    """Return the text with tabs as spaces and with visible signs for control characters, as drawings show it.

    Examples:
        >>> display("a\\tb"), display("\\x1b[31m"), display("\\u202e")
        ('a   b', '␛[31m', '�')
    """
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    column = 0
    for character in text:
        piece = _piece(character, column)
        shown.append(piece)
        column += sum(map(_width, piece))
    return "".join(shown)


def width(text: str) -> int:
    """Return the number of terminal columns of a text after `display`.

    Examples:
        >>> width("ab"), width("日本"), width("e\\u0301"), width("\\t")
        (2, 4, 1, 4)
    """
    return sum(map(_width, display(text)))


def _piece(character: str, column: int) -> str:
    if character == "\t":
        return " " * (_TAB - column % _TAB)
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return HOSTILE.sub("\ufffd", character)


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
