"""Image files as small pictures in a page: bounded before they are decoded, decoded by Pillow, and encoded anew.

Nothing of the file itself reaches the page, neither its metadata nor what is hidden behind its pixels.
"""

from __future__ import annotations

import base64
import importlib
import io
import struct
import zlib
from pathlib import Path
from typing import Any

from scoring.data.limits import limits

MOST_BYTES = 32_000_000
"""The size of an image file that is decoded."""
MOST_PIXELS = 40_000_000
"""The pixels of one; `SCORING_LIMITS=pixels=…` can lower it."""
MOST_SCANS = 100
"""The scans of a JPEG: each makes the decoder pass all pixels, and a few bytes are enough for one."""
SIDE = 640
"""The longer side of the picture on the page."""
MOST_ON_PAGE = 3_000_000
"""The bytes of all pictures of a page."""
FORMATS = ("JPEG", "PNG", "WEBP")
STEMS = (".jpg", ".jpeg", ".png", ".webp")
# What the decoders raise for damaged files.
_DAMAGED = (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError, KeyError, struct.error, zlib.error)


class PictureFiles:
    """The image files of a data set below one folder, of which a page shows some.

    Args:
        folder: The folder; None if there is none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._left = MOST_ON_PAGE

    def address(self, name: Any) -> tuple[str, str]:
        """Return an image file as an address that holds its data, and "", or else "" and why it is not shown.

        Args:
            name: The name of the file below the folder, as the data set states it.
        """
        if self._folder is None:
            return "", ""
        if not isinstance(name, str) or not name or "\x00" in name:
            return "", "its record names no `file_name`"
        try:
            folder = self._folder.resolve()
            path = (folder / name).resolve()
            if not path.is_relative_to(folder):
                return "", "its file is outside of the folder of pictures"
            if not folder.is_dir():
                return "", "the folder of pictures is not there"
            if not path.is_file():
                return "", "its file is not in the folder of pictures"
            with path.open("rb") as stream:
                data = stream.read(MOST_BYTES + 1)
            small = small_picture(data)
        except OSError as error:
            return "", f"its file can't be read: {error.strerror or type(error).__name__}"
        except ValueError as error:
            return "", f"its file is not shown: {error}"
        if len(small) > self._left:
            return "", "the pictures above it fill what a page holds"
        self._left -= len(small)
        return f"data:image/jpeg;base64,{base64.b64encode(small).decode()}", ""

    def address_of_stem(self, stem: str) -> tuple[str, str]:
        """Return the same as `address` for the image file of any format whose name without ending is `stem`."""
        if self._folder is None:
            return "", ""
        if not self._folder.is_dir():
            return "", "the folder of pictures is not there"
        found = next((f"{stem}{ending}" for ending in STEMS if (self._folder / f"{stem}{ending}").is_file()), None)
        return self.address(found) if found else ("", "its file is not in the folder of pictures")


def small_picture(data: bytes) -> bytes:
    """Return an image file as a JPEG of at most `SIDE` pixels a side, without any of its metadata.

    Raises:
        ValueError: when it is too large to be decoded, damaged, or of another format than `FORMATS`; or when the
            library that decodes images is not installed.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    if data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > MOST_SCANS:
        raise ValueError(f"it has more than {MOST_SCANS} scans")
    try:
        images = importlib.import_module("PIL.Image")
    except ImportError:
        raise ValueError("pictures need the extra `render`: pip install 'scoring-dsl[render]'") from None
    most = min(limits().pixels, MOST_PIXELS)
    try:
        with images.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > most:  # known from the header alone
                raise TooManyPixels(f"it has {width:,} × {height:,} pixels, more than {most:,}")
            image.draft("RGB", (SIDE, SIDE))
            small = image.convert("RGB")
            small.thumbnail((SIDE, SIDE))
            found = io.BytesIO()
            small.save(found, "JPEG", quality=80)
    except TooManyPixels:
        raise
    except (*_DAMAGED, images.DecompressionBombError, images.DecompressionBombWarning) as error:
        raise ValueError(f"it is damaged, or no {' or '.join(FORMATS)} ({type(error).__name__})") from error
    return found.getvalue()


class TooManyPixels(ValueError):
    """The exception for an image that has more pixels than are decoded."""
