"""Read the size of a zip file's index before the index itself, which is loaded into memory as a whole."""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

_END = b"PK\x05\x06"
_LONGEST_END = 66_000


def index_size(stream: BinaryIO) -> tuple[int, int] | None:
    """Return the stated number of members of a zip file and the bytes of its index; None if it is not a zip file.

    Examples:
        >>> import io, zipfile
        >>> made = io.BytesIO()
        >>> with zipfile.ZipFile(made, "w") as archive:
        ...     archive.writestr("a", b"1")
        >>> index_size(made), index_size(io.BytesIO(b"no zip"))
        ((1, 47), None)
    """
    stream.seek(max(0, stream.seek(0, os.SEEK_END) - _LONGEST_END))
    tail = stream.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + 22:
        return None
    count, length = struct.unpack("<HI", tail[place + 10 : place + 16])
    before = tail.rfind(b"PK\x06\x06", 0, place)
    if before >= 0 and place >= before + 48:
        count, length = struct.unpack("<QQ", tail[before + 32 : before + 48])
    return int(count), int(length)
