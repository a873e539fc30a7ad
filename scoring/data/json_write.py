"""Write strict JSON for every value of a run: also NaN, complex numbers, sets, lone surrogates and huge numbers.

Values that JSON can't represent are written as tags: ``{"$float": "nan"}``, ``{"$complex": [1.0, 2.0]}``,
``{"$set": [...]}``, and ``{"$dict": [[key, value], ...]}`` for keys that are not text. Values that are nested too
deeply or too long are replaced by ``{"$cut": ...}``. The result is always valid UTF-8 and never contains a bare
``NaN``.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from scoring.depth import WRITTEN, in_full_depth
from scoring.lazy_pattern import lazy_pattern

# Python refuses to print longer integers in decimal (its guard against quadratic conversion).
MAX_INT_BITS = 14_000

_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_encoder = partial(json.JSONEncoder, ensure_ascii=False, allow_nan=False, check_circular=False)
_write = _encoder(separators=(",", ":")).encode
_write_sorted = _encoder(separators=(",", ":"), sort_keys=True).encode
_write_pretty = _encoder(indent=2).encode


def plain(value: Any, depth: int = WRITTEN) -> Any:
    """Return the value with all that JSON can't represent, or that is nested deeper than `depth`, replaced by tags.

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
        # The order of a set differs between processes; that of the sorted texts does not.
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
    """Return a value as one line of strict JSON.

    Examples:
        >>> dumps({"name": "Müller", "bad": chr(0xD800)})
        '{"name":"Müller","bad":"\\\\ud800"}'
    """
    return escape_surrogates(in_full_depth(_plainly, _write, value))


def _plainly(write: Callable[[Any], str], value: Any) -> str:
    return write(plain(value))


def dumps_pretty(value: Any) -> str:
    """Return a value as indented strict JSON for files that people read, with a final line feed."""
    return escape_surrogates(in_full_depth(_plainly, _write_pretty, value)) + "\n"


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value, with sorted keys and without spaces; its digest is the value's digest."""
    return escape_surrogates(in_full_depth(_plainly, _write_sorted, value))


def digest(value: Any) -> str:
    """Return the SHA-256 digest of the canonical JSON of a value.

    Examples:
        >>> digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
        True
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def escape_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 can't encode, by escapes; in JSON they only occur inside strings."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text
