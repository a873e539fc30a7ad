"""PNG label maps of every depth and filter come back as they were written."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from scoring.extensions.vision.files.map_files import read_png


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def paeth(a: int, b: int, c: int) -> int:
    distances = [(abs(b - c), a), (abs(a - c), b), (abs(a + b - 2 * c), c)]
    return min(distances, key=lambda pair: pair[0])[1]


def filtered(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    out = []
    for i, value in enumerate(row):
        a = row[i - step] if i >= step else 0
        c = above[i - step] if i >= step else 0
        guess = (0, a, above[i], (a + above[i]) // 2, paeth(a, above[i], c))[kind]
        out.append((value - guess) & 0xFF)
    return bytes([kind, *out])


def encode(pixels: np.ndarray, depth: int, kind: int, colour: int = 0, interlaced: int = 0) -> bytes:
    height, width = pixels.shape
    if depth == 16:
        rows = [row.astype(">u2").tobytes() for row in pixels]
    elif depth == 8:
        rows = [row.astype(np.uint8).tobytes() for row in pixels]
    else:
        bits = (pixels[:, :, None] >> np.arange(depth - 1, -1, -1)) & 1
        rows = [np.packbits(row.ravel().astype(np.uint8)).tobytes() for row in bits]
    above, raw = bytes(len(rows[0])), b""
    for row in rows:
        raw += filtered(kind, row, above, max(depth // 8, 1))
        above = row
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"tEXt", b"x")
        + chunk(b"IDAT", zlib.compress(raw))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("kind", range(5))
def test_depths_and_filters(depth: int, kind: int) -> None:
    pixels = np.random.default_rng(depth).integers(0, 2**depth, (7, 11))
    assert (read_png(encode(pixels, depth, kind)) == pixels).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d[:60], "cut off"),
        (lambda d: d.replace(b"IHDR", b"IHDX"), "the image header is missing"),
        (lambda d: d.replace(b"IDAT", b"IDAX"), "0 bytes of pixel data, expected 84"),
    ],
)
def test_damaged(change: object, message: str) -> None:
    data = encode(np.zeros((7, 11), dtype=np.int64), 8, 0)
    with pytest.raises(ValueError, match=message):
        read_png(change(data))  # type: ignore[operator]


def test_kinds_that_are_no_masks() -> None:
    pixels = np.zeros((2, 2), dtype=np.int64)
    with pytest.raises(ValueError, match="a colour image"):
        read_png(encode(pixels, 8, 0, colour=2))
    with pytest.raises(ValueError, match="interlaced"):
        read_png(encode(pixels, 8, 0, interlaced=1))


def test_a_bomb_is_not_unpacked() -> None:
    header = struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)
    bomb = zlib.compress(bytes(10**7))
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", bomb) + chunk(b"IEND", b"")
    with pytest.raises(ValueError, match="21 bytes of pixel data, expected 20"):
        read_png(data)
