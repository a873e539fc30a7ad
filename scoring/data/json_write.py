"""Strict JSON for every value that a run can contain: NaN, complex numbers, sets, lone surrogates, infinity.

JSON has no word for these, so they are written as tags: ``{"$float": "nan"}``, ``{"$complex": [1.0, 2.0]}``,
``{"$set": [...]}``, ``{"$dict": [[key, value], ...]}`` for keys that are not text. What is too deep or too long is
cut and says so with ``{"$cut": ...}``. The result is always valid UTF-8 and never holds a bare ``NaN``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scoring.depth import WRITTEN, in_full_depth

# Python refuses to print longer integers in decimal (its guard against quadratic conversion).
MAX_INT_BITS = 14_000

_SURROGATE = re.compile("[\ud800-\udfff]")
_encoder = partial(json.JSONEncoder, ensure_ascii=False, allow_nan=False, check_circular=False)
_write = _encoder(separators=(",", ":")).encode
_write_sorted = _encoder(separators=(",", ":"), sort_keys=True).encode
_write_pretty = _encoder(indent=2).encode


def plain(value: Any, depth: int = WRITTEN) -> Any:
    """Return the value with everything that JSON cannot hold replaced by tags.

    Examples:
        >>> plain({"a": float("nan"), "b": (1, {"x"})})
        {'a': {'$float': 'nan'}, 'b': [1, {'$set': ['x']}]}
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$float": str(value)}
    if kind is int:
        return value if value.bit_length() <= MAX_INT_BITS else {"$cut": f"integer of {value.bit_length()} bits"}
    if depth <= 0:
        return {"$cut": f"nested deeper than {WRITTEN}"}
    if kind is dict:
        return _plain_dict(value, depth - 1)
    if kind is list or kind is tuple:
        return [item if type(item) is str else plain(item, depth - 1) for item in value]
    return _plain_other(value, depth - 1)


def _plain_dict(value: Mapping[Any, Any], depth: int) -> Any:
    found = {}
    for key, item in value.items():
        if type(key) is not str:
            return {"$dict": [[plain(key, depth), plain(item, depth)] for key, item in value.items()]}
        found[key] = item if type(item) is str else plain(item, depth)
    return found


def _plain_other(value: Any, depth: int) -> Any:
    if isinstance(value, (set, frozenset)):
        # Set order changes from process to process; the sorted text does not.
        return {"$set": sorted((plain(item, depth) for item in value), key=_write_sorted)}
    if isinstance(value, complex):
        return {"$complex": [plain(value.real), plain(value.imag)]}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": bytes(value).decode("latin-1")}
    if isinstance(value, Mapping):
        return _plain_dict(value, depth)
    if isinstance(value, (list, tuple)):
        return [plain(item, depth) for item in value]
    for base in (str, bool, int, float):
        if isinstance(value, base):
            return plain(base(value), depth)
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain(value.tolist(), depth)
    if hasattr(value, "isoformat"):  # dates, as Parquet yields them
        return str(value.isoformat())
    if value is ...:
        return {"$ellipsis": True}
    return {"$object": type(value).__name__}


def dumps(value: Any) -> str:
    """One line of strict JSON.

    Examples:
        >>> dumps({"name": "Müller", "bad": chr(0xD800)})
        '{"name":"Müller","bad":"\\\\ud800"}'
    """
    return escape_surrogates(in_full_depth(_plainly, _write, value))


def _plainly(write: Callable[[Any], str], value: Any) -> str:
    return write(plain(value))


def dumps_pretty(value: Any) -> str:
    """Strict JSON over several lines, for files that people read; ends with a line break."""
    return escape_surrogates(in_full_depth(_plainly, _write_pretty, value)) + "\n"


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: keys sorted, no spaces; its digest is the value's digest."""
    return escape_surrogates(in_full_depth(_plainly, _write_sorted, value))


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value.

    Examples:
        >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
        True
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def escape_surrogates(text: str) -> str:
    """Write lone surrogates as escapes, which UTF-8 cannot hold; only ever inside JSON strings."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text
