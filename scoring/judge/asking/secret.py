"""The key of a judge's server, taken out of whatever that server says."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

# A shorter key is a word like `EMPTY`, as local servers want one; in a reply it may stand for itself.
LEAST = 12
_ESCAPES = ("%", "\\", "&#")


def hider(key: str | None) -> Callable[[str], str]:
    """A function that replaces a key by ``[key]`` in a text, also where it is written in base64, in hexadecimal digits
    or with the escapes of JSON, URLs or HTML.

    Examples:
        >>> hide = hider("sk-very-secret")
        >>> hide("is sk-very-secret wrong? sk%2dvery%2Dsecret? 736b2d766572792d736563726574?")
        'is [key] wrong? [key]? [key]?'
    """
    if not key:
        return str
    data = key.encode()
    whole = [key, data.hex(), data.hex().upper()]
    for shift in range(3):
        # The letters of base64 that depend on nothing but the key, wherever in a longer text it begins.
        letters = base64.b64encode(b"\0" * shift + data).decode()[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
        if len(letters) > 2:  # fewer, of a key of a sign or two, stand in any text
            whole += {letters, letters.replace("+", "-").replace("/", "_")}
    escaped = re.compile("".join(map(_any_escape, key)))

    def hide(text: str) -> str:
        for word in whole:
            text = text.replace(word, "[key]")
        return escaped.sub("[key]", text) if any(mark in text for mark in _ESCAPES) else text

    return hide


def _any_escape(sign: str) -> str:
    code = ord(sign)
    bytewise = "".join(f"%{byte:02x}" for byte in sign.encode())
    return rf"(?:{re.escape(sign)}|(?i:\\+u{code:04x}|\\+x{code:02x}|{bytewise}|&#0*{code};?|&#x0*{code:x};?))"
