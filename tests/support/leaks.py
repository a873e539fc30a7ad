"""Looking for a secret in what was written, in every usual encoding; by other means than the code that hides it."""

from __future__ import annotations

import base64
import binascii
import contextlib
import html
import io
import quopri
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

WINDOW = 12


def leaks(data: bytes, secret: str) -> list[str]:
    """The readings of the data that show so many signs of the secret in a row."""
    wanted = {secret[at : at + WINDOW].lower() for at in range(len(secret) - WINDOW + 1)}
    return [how for how, text in _readings(data) if any(word in text for word in wanted)]


def leaks_below(folder: Path, secret: str) -> dict[str, list[str]]:
    """The files below a folder that show it, those in archives, too."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for name, data in _contents(path):
            if how := leaks(data, secret):
                found[name] = how
    return found


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    yield path.name, path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield f"{path.name}/{name}", archive.read(name)


def _readings(data: bytes) -> Iterator[tuple[str, str]]:
    text = data.decode("latin-1")
    ways = {
        "as it is": text,
        "in UTF-16": data.decode("utf-16-le", "replace"),
        "in a URL": unquote(unquote(text)),
        "in HTML": html.unescape(html.unescape(text)),
        "in mail": _mail(data),
        "in JSON": _json(text),
        "in JSON in a URL": _json(unquote(text)),
        "in escapes": re.sub(r"\\+x([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), text),
        "in octal": re.sub(r"\\+([0-3][0-7]{2})", lambda found: chr(int(found[1], 8)), text),
    }
    for how, one in ways.items():
        joined = re.sub(r"\\+[nrt]|[^!-~]|\\", "", one).lower()
        yield how, joined
        yield f"{how}, backwards", joined[::-1]
    packed = re.sub(r"\\+[nr]|[\s\\]", "", text)
    for run in re.findall(r"(?:[0-9a-fA-F]{2}:?){12,}", packed):
        with contextlib.suppress(ValueError):
            yield "in hexadecimal digits", bytes.fromhex(run.replace(":", "")).decode("latin-1").lower()
    for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", packed):
        for start in range(4):
            with contextlib.suppress(binascii.Error):
                piece = run[start:].translate(str.maketrans("-_", "+/"))
                piece = piece[: len(piece) // 4 * 4]
                yield "in base64", base64.b64decode(piece).decode("latin-1").lower()


def _json(text: str) -> str:
    return re.sub(r"\\+u(?:00|\{)([0-9a-fA-F]{2})\}?", lambda found: chr(int(found[1], 16)), text)


def _mail(data: bytes) -> str:
    found = io.BytesIO()
    quopri.decode(io.BytesIO(data), found)
    return found.getvalue().decode("latin-1")
