"""Keys and passwords, taken out of whatever a server or a program says that knows them.

Many repeat a key: in a message about it, in a trace, in a reply that goes into a cache which is shared. So a text is
looked through before anything else is done with it, since what was cut first is no longer found. It is read without
its escapes, white space and case, in which a key can hide by accident; a server that means to tell the key in a cipher
of its own can.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.entities import html5
from typing import Final

# A shorter key is a word like `EMPTY`, as local servers want one; in a reply it may stand for itself.
LEAST = 12
# Written otherwise, a key of fewer signs stands in any text.
_LEAST_FORM = 6
# So often an escape may be escaped again, each time in another way.
_ROUNDS = 3
_MARKS = "\\%=&"
_ESCAPE: Final = re.compile(
    r"[\\%=&](?:(?<=\\)\\*(?:u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([0-3][0-7]{2})|[nrtbf])"
    r"|(?<=%)(?:25)*([0-9a-f]{2})|(?<==)([0-9a-f]{2})"
    r"|(?<=&)(?:amp;)*(?:#x0*([0-9a-f]{1,6});?|#0*([0-9]{1,7});?|([a-z]{2,31};)))",
    re.IGNORECASE,
)
_BASES = (16, 16, 16, 8, 16, 16, 16, 10)
# A key is of the printable signs of ASCII, so nothing else is looked at; nor are backslashes, which escape anything.
_DROPPED = bytes([*range(33), 127, ord("\\")])
_LOWER = bytes(range(128)).lower() + bytes(range(128, 256))


def hider(key: str | None) -> Callable[[str], str]:
    """Return a function that replaces a key in a text by ``[key]``, whatever its encoding there.

    As it is, in base64, in hexadecimal digits, backwards, with the escapes of JSON, URLs, HTML or mail, in other case,
    over several lines; and any half of it in one piece.

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


@dataclass(frozen=True)
class _Form:
    """The key as it may be written, and how many of its letters in a row are too many."""

    letters: str
    enough: int

    @property
    def pieces(self) -> list[tuple[int, str]]:
        """Pieces, with their places, one of which is whole in any ``enough`` letters in a row."""
        size = (self.enough + 1) // 2
        return [(at, self.letters[at : at + size]) for at in range(0, len(self.letters) - size + 1, size)]

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the text has so much of it."""
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
        # The letters of base64 that depend on nothing but the key, wherever in a longer text it begins.
        letters = base64.b64encode(b"\0" * shift + data).decode()[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
        written |= {_squeezed(letters), _squeezed(letters.replace("+", "-").replace("/", "_"))}
    share = max(0.5, LEAST / len(key)) if len(key) >= LEAST else 1.0
    found = [plain, *sorted(form for form in written if len(form) >= _LEAST_FORM and form != plain)]
    return tuple(_Form(form, max(1, round(len(form) * share))) for form in found if form)


def _readings(text: str) -> Iterator[str]:
    """Yield a text unescaped in more and more steps; most texts have nothing to unescape.

    Each counts: what is the end of an escape in one may be the begin of a key in another.
    """
    yield _squeezed(text)
    if any(mark in text for mark in _MARKS):
        for _ in range(_ROUNDS):
            text, changes = _ESCAPE.subn(_meant, text)
            if not changes:
                break
            yield _squeezed(text)


def _squeezed(text: str) -> str:
    """Return a text without white space and case."""
    return text.encode("ascii", "ignore").translate(_LOWER, _DROPPED).decode("ascii")


def _meant(found: re.Match[str]) -> str:
    """Return the character that an escape denotes; nothing for line ends and the like."""
    if found.lastindex is None:
        return ""
    code = found[found.lastindex]
    if found.lastindex > len(_BASES):
        return html5.get(code, "")
    number = int(code, _BASES[found.lastindex - 1])
    return chr(number) if number <= 0x10FFFF else ""


def _placed(text: str) -> Iterator[tuple[str, list[int], list[int]]]:
    """`_readings`, and for each of their letters where what it was read from begins and ends."""
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
            meant = _meant(found)
            parts += [text[place:first], meant]
            begin += starts[place:first] + [starts[first]] * len(meant)
            end += ends[place:first] + [ends[last - 1]] * len(meant)
            place = last
        if not place:
            return
        text = "".join([*parts, text[place:]])
        starts, ends = begin + starts[place:], end + ends[place:]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with some spans, which may overlap, replaced by a mark."""
    parts: list[str] = []
    place = 0
    for first, last in spans:
        if first >= place:
            parts += [text[place:first], "[key]"]
        place = max(place, last)
    return "".join([*parts, text[place:]])
