"""The actions of ``scoring judge-cache``: list the calls of a cache, drop some, export them as text, import them."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from scoring.extensions.judge.asking.cache import LONGEST_WORD, MOST_TOKENS, JudgeCache, is_count, parse_stored_json
from scoring.extensions.judge.asking.cache_file import LONGEST, DamagedCache
from scoring.extensions.judge.asking.transport import printable
from scoring.extensions.judge.calls import JudgeError
from scoring.extensions.judge.prompt import canonical_ascii_json, digest_ascii_json

LONGEST_LINE = 2 * LONGEST
"""Maximum number of characters in a line of an exported call."""
_COLUMNS = (
    "key", "model", "parameters", "prompt", "inputs", "question", "reply", "finish_reason", "answered_by",
    "prompt_tokens", "completion_tokens", "created",
)  # fmt: skip
_AS_JSON = ("parameters", "question", "reply")
_COUNTS = ("prompt_tokens", "completion_tokens")
# The last second of the year 9999, in seconds since 1970; later times are not valid dates in Python.
_LAST_TIME = 253_402_300_799
_IS_ODD = " OR ".join(
    [f"typeof({name}) <> 'text' OR length({name}) > {LONGEST_WORD}" for name in ("key", "model", "prompt")]
    + [f"typeof({name}) <> 'integer' OR {name} NOT BETWEEN 0 AND {MOST_TOKENS}" for name in _COUNTS]
    + [f"typeof(created) <> 'real' OR created NOT BETWEEN 0 AND {_LAST_TIME}"]
)


def list_cache(cache: JudgeCache) -> list[dict[str, Any]]:
    """Return the calls of a cache summarized by model and prompt, most calls first, with the first and last time.

    Raises:
        JudgeError: when the cache can't be read, or is damaged.
    """
    for (key,) in cache.execute(f"SELECT CAST(key AS TEXT) FROM calls WHERE {_IS_ODD} LIMIT 1", all_calls=True):
        raise DamagedCache(cache.path, f"the call {printable(str(key)[:12])} has a value that no call has")
    rows = cache.execute(
        "SELECT model, prompt, count(*), sum(prompt_tokens), sum(completion_tokens), min(created), max(created) "
        "FROM calls GROUP BY model, prompt ORDER BY count(*) DESC, model, prompt",
        all_calls=True,
    )
    names = ("model", "prompt", "calls", "prompt_tokens", "completion_tokens", "first", "last")
    return [dict(zip(names, row, strict=True)) for row in rows]


def prune_cache(
    cache: JudgeCache, *, model: str | None = None, prompt: str | None = None, older_than_days: float | None = None
) -> int:
    """Drop the calls that match every given condition, and free their disk space.

    Args:
        cache: The cache.
        model: Only calls of this model.
        prompt: Only calls whose prompt digest starts with this string.
        older_than_days: Only calls made longer ago than this.

    Returns:
        The number of dropped calls.

    Raises:
        JudgeError: when no condition is given (to drop everything, delete the file), the age is invalid, or the cache
            can't be written.
    """
    conditions: list[tuple[str, Any]] = []
    if model is not None:
        conditions.append(("model = ?", model))
    if prompt is not None:
        conditions.append(("instr(prompt, ?) = 1", prompt))
    if older_than_days is not None:
        if not 0 <= older_than_days < math.inf:
            raise JudgeError(f"an age is a number of days, 0 or more, not {older_than_days}")
        conditions.append(("created < ?", time.time() - 86_400 * older_than_days))
    if not conditions:
        raise JudgeError("name the calls to drop: a model, a prompt or an age")
    # Claims on calls whose reply is stored are leftovers; once the reply is dropped they would block the next caller.
    cache.execute("DELETE FROM claims WHERE key IN (SELECT key FROM calls)", all_calls=True)
    where, values = " AND ".join(text for text, _ in conditions), tuple(value for _, value in conditions)
    dropped: int = cache.execute(f"SELECT count(*) FROM calls WHERE {where}", values, all_calls=True)[0][0]
    cache.execute(f"DELETE FROM calls WHERE {where}", values, all_calls=True)
    cache.execute("VACUUM", all_calls=True)
    return dropped


def export_cache(cache: JudgeCache, keys: Collection[str] | None = None) -> Iterator[str]:
    """Yield the calls as JSON Lines in the order of their keys, so that two exports can be compared line by line.

    Args:
        cache: The cache.
        keys: Only these calls; all if not given.

    Raises:
        JudgeError: when the cache can't be read, or is damaged.
    """
    for row in cache.rows(f"SELECT {', '.join(_COLUMNS)} FROM calls ORDER BY key"):
        if keys is not None and row[0] not in keys:
            continue
        data = {
            name: parse_stored_json(value) if name in _AS_JSON else value
            for name, value in zip(_COLUMNS, row, strict=True)
        }
        odd = _odd(data)
        if odd is not None:
            raise DamagedCache(cache.path, f"the call {printable(str(row[0])[:12])} has no `{odd}` that is valid")
        yield json.dumps(data, sort_keys=True)


def import_cache(cache: JudgeCache, lines: Iterable[str]) -> int:
    """Add the calls in exported lines (`export_cache`) to a cache; calls that are already stored stay unchanged.

    Returns:
        The number of new calls.

    Raises:
        JudgeError: when a line is not an exported call, or the cache can't be written.
    """
    new = 0
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise JudgeError(
                f"line {number} is not an exported judge call: it has more than {LONGEST_LINE:,} characters"
            )
        if line.strip():
            row = _row(line, number)
            marks = ", ".join("?" * len(row))
            new += len(cache.execute(f"INSERT OR IGNORE INTO calls VALUES ({marks}) RETURNING 1", row))
    return new


def _row(line: str, number: int) -> tuple[Any, ...]:
    data = parse_stored_json(line)
    if not isinstance(data, dict):
        why = "it is not a JSON object"
    elif (odd := _odd(data)) is not None:
        why = f"it has no `{odd}` that is valid"
    elif data["key"] != digest_ascii_json({name: data[name] for name in ("model", "parameters", "question")}):
        why = "its key does not match its question"
    else:
        return tuple(canonical_ascii_json(data[name]) if name in _AS_JSON else data[name] for name in _COLUMNS)
    raise JudgeError(f"line {number} is not an exported judge call: {why}")


def _odd(data: Mapping[str, Any]) -> str | None:
    """Return the name of the first column of an exported call that has an invalid value; None if all are valid."""
    return next((name for name in _COLUMNS if not _FITS[name](data.get(name))), None)


_FITS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(_COLUMNS, lambda value: isinstance(value, str) and len(value) <= LONGEST_WORD),
    **dict.fromkeys(("parameters", "question"), lambda value: isinstance(value, dict)),
    "reply": lambda value: isinstance(value, str),
    **dict.fromkeys(_COUNTS, is_count),
    "created": lambda value: isinstance(value, (int, float)) and 0 <= value <= _LAST_TIME,
}
