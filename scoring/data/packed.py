"""Compressed files: which compression it is tells the content, whatever the name says."""

from __future__ import annotations

import gzip
import io
from typing import BinaryIO, cast

from scoring.data.file_format import require

#: Suffixes of compressed files.
PACKED = (".gz", ".zst")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The bytes of a stream, unpacked if they are compressed.

    Raises:
        InputError: when the library of the compression is missing.
    """
    start = stream.read(4)
    stream.seek(0)
    if start.startswith(_GZIP):
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if start == _ZSTD:
        arrow = require("zst", "pyarrow", "scoring-dsl[parquet]")
        return io.BufferedReader(arrow.input_stream(stream, compression="zstd"))
    return stream
