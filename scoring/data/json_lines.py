"""Read JSON Lines by the fastest available reader, with exactly the values of the strict reader.

The fast reader (orjson, the extra `fast`; Python's `json` where it is missing) is trusted only where a look at the
bytes shows that a line contains nothing on which the two differ. orjson turns whole numbers beyond 64 bits into floats
and reads deeper nesting than Python; both silently take the last of two equal keys. Lines that the fast reader refuses
(NaN, lone surrogates, numbers beyond the range of floats, broken lines) are read again by the strict reader, so that
values and messages are those of the strict reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.data.limits import limits
from scoring.depth import DEEPEST, nests_too_deep
from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from scoring.data.json_read import NotJson

# The shortest run of digits that may be a whole number beyond 64 bits.
_LONG = 19
# Clearing this bit turns `{` into `[`, and no other character.
_AS_BRACKETS, _BRACKET = 0xDF, 0x5B
# The number of white space characters that are examined between a key and its colon.
_WIDE = 8
# An escape that orjson writes as a plain colon: at the start of a string it would count as a key, hiding a lost one.
_COLONS = lazy_pattern(rb"\\u003[aA]")
_QUOTE, _COLON, _BACKSLASH, _SPACE, _ZERO = b'":\\ 0'


@cache
def _reader() -> Callable[[bytes], Any]:
    try:
        import orjson
    except ImportError:
        return lambda line: json.loads(line.decode(), parse_constant=_refuse)
    return orjson.loads


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def values_of_lines(text: bytes, lines: Sequence[bytes], strictly: set[int] | None = None) -> list[Any]:
    """Return the value of each line; a `NotJson` for a line that is not JSON, or that repeats a key in an object.

    Args:
        text: The lines as they are in the file, which are examined as a whole.
        lines: The same lines as a sequence, without line feeds.
        strictly: A set to which the positions of lines read by the strict reader are added; only these can contain
            NaN, which is not JSON.

    Examples:
        >>> values_of_lines(b'{"a":1}\\n{"a":1,"a":2}', [b'{"a":1}', b'{"a":1,"a":2}'])
        [{'a': 1}, NotJson('the key `a` appears twice')]
    """
    most = limits().values
    if len(text) > 2 * most and (refused := _with_too_many(lines, most)):
        rest = [b"" if place in refused else line for place, line in enumerate(lines)]
        return [refused.get(at, value) for at, value in enumerate(values_of_lines(b"\n".join(rest), rest, strictly))]
    keys, odd = _looked_at(text, lines)
    values = _read(lines, odd, set() if strictly is None else strictly)
    if not odd and _have_keys(values, keys, text):
        return values
    for place, (line, value) in enumerate(zip(lines, values, strict=True)):
        # Counts may differ by `":` within strings or nested objects; lines whose own counts differ are read again.
        if place not in odd and line.count(b'":') - line.count(b'\\":') != _keys(value):
            values[place] = parse_once(line)
    return values


def values_of_plain_texts(texts: Sequence[str]) -> list[Any]:
    """Return the value of each JSON text as Python's reader gives it, which takes the last of equal keys.

    Raises:
        ValueError: when the fast reader refuses some text, or may read it otherwise.
    """
    lines = [text.encode() for text in texts]
    values = list(map(_reader(), lines))
    if any(len(line) > DEEPEST < line.count(b"[") + line.count(b"{") for line in lines):
        raise ValueError("a text that may be nested too deep")
    if len(_long_numbers(np.frombuffer(b"".join(lines), dtype=np.uint8))):
        raise ValueError("a number that may exceed 64 bits")
    return values


def _with_too_many(lines: Sequence[bytes], most: int) -> dict[int, NotJson]:
    """Return an error for each line with more values than a row may have, by position."""
    from scoring.data.json_read import NotJson, check_value_count

    found = {}
    for place, line in enumerate(lines):
        try:
            check_value_count(line, most)
        except NotJson as error:
            found[place] = error
    return found


def _read(lines: Sequence[bytes], odd: set[int], strictly: set[int]) -> list[Any]:
    """Return the value of each line: by the strict reader at the positions in `odd`, and where the fast one refuses.

    The positions of the lines that the strict reader read are added to `strictly`.
    """
    read, values = _reader(), []
    strictly |= odd
    if not odd:
        with suppress(ValueError, RecursionError, MemoryError):
            return list(map(read, lines))
    for place, line in enumerate(lines):
        try:
            values.append(parse_once(line) if place in odd else read(line))
        except (ValueError, RecursionError, MemoryError):
            values.append(parse_once(line))
            strictly.add(place)
    return values


def parse_once(line: bytes) -> Any:
    """Return the value of a line by the strict reader; a `NotJson` if it can't be read, or an object repeats a key."""
    from scoring.data.json_read import NotJson, parse

    try:
        return parse(line, once=True, levels=DEEPEST + 1)
    except NotJson as error:
        return error


def _have_keys(values: list[Any], keys: int, text: bytes) -> bool:
    """Return whether parsed values have as many keys as their text (`keys`), so that none repeats; False if unsure."""
    if keys == sum(len(value) for value in values if type(value) is dict):
        return True
    if _COLONS.search(text):
        return False
    try:
        import orjson

        # For nested objects, writing all values and counting the written keys is faster than traversing them.
        return keys == len(_ends_of_keys(orjson.dumps(values))[0])
    except (ImportError, TypeError):  # it can't write exceptions, nor very deep values
        return False


def _keys(value: Any) -> int:
    """Return the number of keys of a value, including those of nested objects."""
    count = 0
    pending: list[Any] = [value] if type(value) is dict or type(value) is list else []
    while pending:
        one = pending.pop()
        if type(one) is dict:
            count += len(one)
            one = one.values()
        pending.extend(item for item in one if type(item) is dict or type(item) is list)
    return count


def _looked_at(text: bytes, lines: Sequence[bytes]) -> tuple[int, set[int]]:
    """Return the number of keys in a text, and the positions of lines that the fast reader may read differently."""
    ends, unsure, codes, before = _ends_of_keys(text)
    positions = np.concatenate([unsure, _spaced(codes, before), _long_numbers(codes)])
    nested = _nested(text, codes)
    if not len(positions) and not nested:
        return len(ends), set()
    stops = np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)) + 1)
    odd = set(np.searchsorted(stops, positions, side="right").tolist())
    maybe = set(np.searchsorted(stops, nested, side="right").tolist())
    return len(ends), odd | {position for position in maybe if nests_too_deep(lines[position], DEEPEST + 1)}


def _ends_of_keys(text: bytes) -> tuple[Any, Any, Any, Any]:
    """Return the positions of quotes that end keys, of quotes that may do so, the bytes as an array, and the positions
    before colons."""
    codes = np.frombuffer(text, dtype=np.uint8)
    before = np.flatnonzero(codes[1:] == _COLON)
    quoted = before[codes[before] == _QUOTE]
    # After one backslash a quote is part of a string; after several, their number decides, so the line is unsure.
    escaped = codes[np.maximum(quoted - 1, 0)] == _BACKSLASH
    unsure = quoted[escaped & (codes[np.maximum(quoted - 2, 0)] == _BACKSLASH)]
    return quoted[~escaped], unsure, codes, before


def _nested(text: bytes, codes: Any) -> list[int]:
    """Return positions in the lines whose nesting may be too deep; `codes` are the bytes of `text` as an array."""
    # A line with more than `DEEPEST` brackets contains two successive positions of this sample.
    some = np.flatnonzero((codes & _AS_BRACKETS) == _BRACKET)[:: DEEPEST // 2].tolist()
    return [at for at, to in pairwise(some) if text.find(b"\n", at, to) < 0]


def _spaced(codes: Any, before: Any) -> Any:
    """Return positions where white space separates a quote from a colon, or is too long to be examined.

    `codes` are the bytes of the text as an array, `before` the position before each colon.
    """
    positions, found = before[codes[before] <= _SPACE], []
    for _ in range(_WIDE):
        if not len(positions):
            break
        positions = positions[positions > 0] - 1
        here = codes[positions]
        found.append(positions[here == _QUOTE])
        positions = positions[here <= _SPACE]
    return np.concatenate([*found, positions]) if found else positions


def _long_numbers(codes: Any) -> Any:
    """Return, for text bytes as an array, the positions of digit sequences so long that they may exceed 64 bits."""
    # Any such run contains four aligned words of four bytes, so few texts need a check of each byte.
    words = codes[: len(codes) // 4 * 4].view(np.uint32)
    if not _in_a_row((words & 0xF0F0F0F0) == 0x30303030, 4).any():
        return np.zeros(0, np.int64)
    # Unsigned codes wrap around, so characters below "0" become greater than 9.
    return np.flatnonzero(_in_a_row(codes - _ZERO < 10, _LONG))


def _in_a_row(run: Any, count: int) -> Any:
    """Return a mask of the positions at which `count` consecutive true values begin."""
    width = 1
    while width < count:
        step = min(width, count - width)
        run = run[:-step] & run[step:]
        width += step
    return run
