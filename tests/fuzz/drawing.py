"""What the tests alone draw: bytes of files, pairs to compare, and the simplest value that still shows a finding."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from scoring.values import Type
from tests.fuzz.generators import corpus, mutate, values
from tests.fuzz.generators.smaller import smaller


def content(random: Random, original: bytes, other: bytes = b"") -> bytes:
    """Bytes with a few of them changed, cut, doubled, or taken from elsewhere; lengths and numbers become extreme."""
    found = bytearray(original)
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        start = random.randrange(len(found) + 1)
        end = min(len(found), start + random.choice((0, 1, 1, 2, 4, 8, 30, 200)))
        put = random.randrange(9)
        if put < 2:
            new = bytes(random.randrange(256) for _ in range(end - start))
        elif put < 3:
            new = random.choice(EXTREMES)
        elif put < 4:
            new = random.choice(mutate.PIECES).encode("utf-8", "surrogatepass")
        elif put < 5:
            new = bytes(found[start : start + 60]) * random.randrange(2, 4)
        elif put < 6:
            at = random.randrange(len(other) + 1)
            new = other[at : at + 60]
        elif put < 7:
            new = bytes(byte ^ (1 << random.randrange(8)) for byte in found[start:end])
        elif put < 8:
            new, end = b"", len(found) if random.randrange(3) == 0 else end
        else:
            new = b""
        found[start:end] = new
    return bytes(found)


EXTREMES = (
    b"\x00" * 4, b"\xff" * 4, b"\xff\xff\xff\x7f", b"\x00\x00\x00\x80", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"9" * 30,
    b"-1", b"1e999", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n\n", b"\x00", b"\x1a", b"\xed\xa0\x80", b"\xc0\xaf",
    b"\x80",
)  # fmt: skip
"""What lengths, counts and encodings are at their ends."""


def pair(random: Random, left: Type, right: Type, examples: list[tuple[Any, ...]] | None = None) -> list[Any]:
    """Two values to compare: an example, one that is nearly one, the same value twice, nearly the same, or any two."""
    pool, kind = corpus.texts(), random.randrange(16)
    if examples and kind < 5:
        prediction, reference = random.choice(examples)
        if kind > 1:
            prediction = mutate.value(random, prediction, pool)
        if kind > 3:
            reference = mutate.value(random, reference, pool)
        return [prediction, reference]
    prediction = values.of_type(random, left)
    if kind < 8:
        return [prediction, prediction]
    if kind < 10:
        return [prediction, mutate.value(random, prediction, pool)]
    return [prediction, values.of_type(random, right)]


def shrunk(value: Any, still: Callable[[Any], bool], tries: int) -> Any:
    """The simplest value found, in so many tries, for which something still holds."""
    left = tries
    while True:
        for simpler in smaller(value):
            if left == 0:
                return value
            left -= 1
            if still(simpler):
                value = simpler
                break
        else:
            return value
