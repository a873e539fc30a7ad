"""Reading label maps from PNG and NumPy files: sizes are checked before allocating memory, and nothing is unpickled."""

from __future__ import annotations

import math
import struct
import tokenize
import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from scoring.data.limits import limit_message, limits
from scoring.data.streams import read_whole
from scoring.extensions.vision.segmentation.pixels import Labels

MAGIC = b"\x89PNG\r\n\x1a\n"
GREY, PALETTE = 0, 3

Bytes = NDArray[np.uint8]


def read_png(data: bytes) -> NDArray[np.int64]:
    """Return the pixel values of a PNG image, grey levels or indices into its palette; raise a ValueError for a colour
    image, an interlaced one, or a damaged file.

    Source:
        Portable Network Graphics specification, chunks and filter types.
    """
    if not data.startswith(MAGIC):
        raise ValueError("not a PNG file")
    header, packed = _chunks(data)
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if colour not in (GREY, PALETTE):
        raise ValueError("a colour image; a mask holds one value for each pixel")
    if depth not in (1, 2, 4, 8, 16):
        raise ValueError(f"a depth of {depth} bits, which PNG does not have")
    if interlaced:
        raise ValueError("an interlaced image; save it without interlacing")
    check_pixels("an image", height, width)
    row = (width * depth + 7) // 8
    size = height * (row + 1)
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise ValueError(f"damaged pixel data: {error}") from error
    if len(raw) != size:
        raise ValueError(f"{len(raw)} bytes of pixel data, expected {size}")
    lines = np.frombuffer(raw, dtype=np.uint8).reshape(height, row + 1)
    return _values(_unfilter(lines, max(depth // 8, 1)), width, depth)


def check_pixels(what: str, height: int, width: int) -> None:
    """Check that an image has at least one pixel and not too many, before memory is allocated for them.

    Args:
        what: The words for the image in the message.
        height: Its height.
        width: Its width.

    Raises:
        ValueError: when it has none, or too many.
    """
    size = f"{what} of {height} × {width} pixels"
    if height < 1 or width < 1:
        raise ValueError(size)
    if height * width > limits().pixels:
        raise ValueError(limit_message(size, "pixels"))


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    place, header, packed = len(MAGIC), b"", []
    while place + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + length]
        if len(body) < length:
            raise ValueError("the file is cut off")
        if kind == b"IHDR":
            header = body
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"IEND":
            break
        place += length + 12
    if len(header) != 13:
        raise ValueError("the image header is missing")
    return header, b"".join(packed)


def _unfilter(lines: Bytes, step: int) -> Bytes:
    kinds, body = lines[:, 0], lines[:, 1:]
    if (kinds > 4).any():
        raise ValueError(f"unknown filter type {int(kinds.max())}")
    result = np.empty_like(body)
    above = np.zeros(body.shape[1], dtype=np.uint8)
    for number, kind in enumerate(kinds.tolist()):
        result[number] = above = _line(kind, body[number], above, step)
    return result


def _line(kind: int, line: Bytes, above: Bytes, step: int) -> Bytes:
    if kind == 0:
        return line
    if kind == 1:
        padded = np.append(line, np.zeros(-line.size % step, dtype=np.uint8)).reshape(-1, step)
        return np.cumsum(padded, axis=0, dtype=np.uint8).ravel()[: line.size]
    if kind == 2:
        return line + above
    return _predicted(kind, line, above, step)


def _predicted(kind: int, line: Bytes, above: Bytes, step: int) -> Bytes:
    """Return a line of a PNG image decoded from filter type 3 or 4, which predicts each byte from earlier bytes, so
    that a loop over bytes is needed.

    Args:
        kind: The filter type.
        line: The encoded bytes.
        above: The decoded line above.
        step: The number of bytes of a pixel.
    """
    values, up = line.tolist(), above.tolist()
    for i in range(len(values)):
        left = values[i - step] if i >= step else 0
        corner = up[i - step] if i >= step else 0
        guess = (left + up[i]) // 2 if kind == 3 else _paeth(left, up[i], corner)
        values[i] = (values[i] + guess) & 0xFF
    return np.array(values, dtype=np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    distances = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    if distances[0] <= distances[1] and distances[0] <= distances[2]:
        return left
    return up if distances[1] <= distances[2] else corner


def _values(rows: Bytes, width: int, depth: int) -> NDArray[np.int64]:
    if depth == 16:
        return np.ascontiguousarray(rows).view(">u2").astype(np.int64)
    if depth == 8:
        return rows.astype(np.int64)
    parts = [(rows >> shift) & ((1 << depth) - 1) for shift in range(8 - depth, -1, -depth)]
    return np.stack(parts, axis=-1).reshape(rows.shape[0], -1)[:, :width].astype(np.int64)


NOT_A_MAP = "a label map is one array of whole numbers, rows by columns"
_PLAIN = "iub"
_VERSIONS = ((1, 0), (2, 0), (3, 0))


def read_npy(stream: BinaryIO) -> Labels:
    """Return the label map in a .npy file, as integers.

    Raises:
        ValueError: when the file is not an array of integers in rows and columns, is truncated, or has too many pixels.

    Source:
        NumPy enhancement proposal 1, the .npy format.
    """
    try:
        version = npy.read_magic(stream)
        if version not in _VERSIONS:
            raise ValueError("a version that is not known")
        # A header of version 3 is one of version 2 in UTF-8, which only matters for field names.
        read: Any = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, kind = read(stream)
    except (ValueError, TypeError, EOFError, SyntaxError, tokenize.TokenError, OverflowError, RecursionError) as error:
        raise ValueError("not a NumPy file, or its header is damaged") from error
    if kind.hasobject:
        raise ValueError("Object arrays cannot be loaded: they are pickles, which are never read")
    if kind.kind not in _PLAIN or len(shape) != 2 or any(type(side) is not int for side in shape):
        raise ValueError(NOT_A_MAP)
    check_pixels("an array", *shape)
    size = math.prod(shape) * kind.itemsize
    data = read_whole(stream, "the file")  # in pieces, since the header may state more than there is
    if len(data) != size:
        raise ValueError(f"{len(data)} bytes of values, expected {size}")
    values = np.frombuffer(data, dtype=kind)
    return values.reshape(shape, order="F" if is_fortran else "C").astype(np.int64)
