"""Remove keys and passwords from texts of servers and programs that know them.

Many servers repeat a key: in an error message, in a trace, in a reply that is stored in a shared cache. So a text is
searched before anything else is done with it, since a truncated key is no longer found. The search ignores escapes,
white space and case, in which a key may be hidden by accident; a server that deliberately encodes the key in another
way can't be stopped.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from html.entities import html5
from typing import Final

from msgspec import Struct

from scoring.lazy_pattern import lazy_pattern

# A shorter key may be a word like `EMPTY`, which local servers expect; in a reply it may be an ordinary word.
LEAST = 12
# Encoded forms with fewer characters could occur in any text.
_LEAST_FORM = 6
# The number of levels of escapes that are undone, each possibly of another kind.
_ROUNDS = 3
_MARKS = "\\%=&"
_ESCAPE: Final = lazy_pattern(
    r"[\\%=&](?:(?<=\\)\\*(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-3][0-7]{2})|[nrtbf])"
    r"|(?<=%)(?:25)*([0-9a-f]{2})|(?<==)([0-9a-f]{2})"
    r"|(?<=&)(?:amp;)*(?:#x0*([0-9a-f]{1,6});?|#0*([0-9]{1,7});?|([a-z]{2,31};)))",
    re.IGNORECASE,
)
_BASES = (16, 16, 16, 8, 16, 16, 16, 10)
# A key consists of printable ASCII, so other characters are ignored, and backslashes, which may escape any character.
_DROPPED = bytes([*range(33), 127, ord("\\")])
_LOWER = bytes(range(128)).lower() + bytes(range(128, 256))


def hider(key: str | None) -> Callable[[str], str]:
    """Return a function that replaces a key by ``[key]`` in a text, in whatever form it is written there.

    The key is found as it is, in base64, in hexadecimal digits, backwards, with the escapes of JSON, URLs, HTML or
    mail, in other case, and over several lines; any half of it in one piece is found as well.

    Examples:
        >>> hide = hider("sk-very-secret")
        >>> hide("is sk-very-secret wrong? sk%2dvery%2Dsecret? 736b2d766572792d736563726574? SK-VERY-SECR…")
        'is [key] wrong? [key]? [key]? [key]…'
    """
    forms = _forms(key) if key else ()
    shortest = min((form.enough for form in forms), default=0)
    pieces = tuple({piece for form in forms for _, piece in form.pieces})

    def hide(text: str) -> str:
        if len(text) < shortest or not forms:
            return text
        for read in _readings(text):
            for piece in pieces:
                if piece in read:
                    spans = (
                        (starts[first], ends[last - 1])
                        for letters, starts, ends in _placed(text)
                        for form in forms
                        for first, last in form.found(letters)
                    )
                    return _without(text, sorted(spans))
        return text

    return hide


class _Form(Struct, frozen=True):
    """One form in which a key may be written (`letters`, such as its base64 text), and how many consecutive characters
    of it (`enough`) must not be shown."""

    letters: str
    enough: int

    @property
    def pieces(self) -> list[tuple[int, str]]:
        """Pieces of the form's text with their offsets in it; any ``enough`` consecutive characters contain a whole
        piece, so that a search for the pieces misses nothing."""
        size = (self.enough + 1) // 2
        return [(at, self.letters[at : at + size]) for at in range(0, len(self.letters) - size + 1, size)]

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each part of `text` that has at least ``enough`` consecutive characters of this
        form."""
        own = self.letters
        for place, piece in self.pieces:
            at = text.find(piece)
            while at >= 0:
                first, last, shift = at, at + len(piece), at - place
                while first > max(shift, 0) and text[first - 1] == own[first - 1 - shift]:
                    first -= 1
                while last < min(len(text), len(own) + shift) and text[last] == own[last - shift]:
                    last += 1
                if last - first >= self.enough:
                    yield first, last
                at = text.find(piece, at + 1)


def _forms(key: str) -> tuple[_Form, ...]:
    data = key.encode("utf-8", "surrogatepass")
    plain = _squeezed(key)
    written = {data.hex(), data.hex(":"), plain[::-1]}
    for shift in range(3):
        # The base64 characters that depend only on the key, for each alignment of its start in a longer text.
        letters = base64.b64encode(b"\0" * shift + data).decode()[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
        written |= {_squeezed(letters), _squeezed(letters.replace("+", "-").replace("/", "_"))}
    share = max(0.5, LEAST / len(key)) if len(key) >= LEAST else 1.0
    found = [plain, *sorted(form for form in written if len(form) >= _LEAST_FORM and form != plain)]
    return tuple(_Form(form, max(1, round(len(form) * share))) for form in found if form)


def _readings(text: str) -> Iterator[str]:
    """Yield a text in normal form (lower case, no spaces), and again after each level of unescaping; most texts have no
    escapes, so that there is only one.

    All levels are needed: characters that end an escape on one level may begin a key on another.
    """
    yield _squeezed(text)
    if any(mark in text for mark in _MARKS):
        for _ in range(_ROUNDS):
            text, changes = _ESCAPE.subn(_unescaped, text)
            if not changes:
                break
            yield _squeezed(text)


def _squeezed(text: str) -> str:
    """Return a text in lower case with only its ASCII characters, without white space and backslashes."""
    return text.encode("ascii", "ignore").translate(_LOWER, _DROPPED).decode("ascii")


def _unescaped(found: re.Match[str]) -> str:
    """Return the character that a matched escape, such as `%2D`, represents; "" for an escaped line end or an invalid
    code."""
    if found.lastindex is None:
        return ""
    code = found[found.lastindex]
    if found.lastindex > len(_BASES):
        return html5.get(code, "")
    number = int(code, _BASES[found.lastindex - 1])
    return chr(number) if number <= 0x10FFFF else ""


def _placed(text: str) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield each text that `_readings` yields, with two lists: where each of its characters starts and ends in the
    original text."""
    starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    for _ in range(_ROUNDS + 1):
        kept = [place for place, sign in enumerate(text) if sign.isascii() and ord(sign) not in _DROPPED]
        yield _squeezed(text), [starts[place] for place in kept], [ends[place] for place in kept]
        parts: list[str] = []
        begin: list[int] = []
        end: list[int] = []
        place = 0
        for found in _ESCAPE.finditer(text):
            first, last = found.span()
            unescaped = _unescaped(found)
            parts += [text[place:first], unescaped]
            begin += starts[place:first] + [starts[first]] * len(unescaped)
            end += ends[place:first] + [ends[last - 1]] * len(unescaped)
            place = last
        if not place:
            return
        text = "".join([*parts, text[place:]])
        starts, ends = begin + starts[place:], end + ends[place:]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with the given spans, which may overlap, replaced by ``[key]``."""
    parts: list[str] = []
    place = 0
    for first, last in spans:
        if first >= place:
            parts += [text[place:first], "[key]"]
        place = max(place, last)
    return "".join([*parts, text[place:]])
