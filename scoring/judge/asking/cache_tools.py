"""What ``scoring judge-cache`` does: list what a cache holds, drop parts of it, export it as text and read it back."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from scoring.judge.asking.cache import JudgeCache
from scoring.judge.calls import JudgeError
from scoring.judge.prompt import canonical

_COLUMNS = (
    "key", "model", "parameters", "prompt", "inputs", "question", "reply", "finish_reason", "answered_by",
    "prompt_tokens", "completion_tokens", "created",
)  # fmt: skip
_AS_JSON = {"parameters", "question", "reply"}


def list_cache(cache: JudgeCache) -> list[dict[str, Any]]:
    """What a cache holds, by model and prompt, the most calls first, with the times of the first and the last."""
    rows = cache.execute(
        "SELECT model, prompt, count(*), sum(prompt_tokens), sum(completion_tokens), min(created), max(created) "
        "FROM calls GROUP BY model, prompt ORDER BY count(*) DESC, model, prompt"
    )
    names = ("model", "prompt", "calls", "prompt_tokens", "completion_tokens", "first", "last")
    return [dict(zip(names, row, strict=True)) for row in rows]


def prune_cache(
    cache: JudgeCache, *, model: str | None = None, prompt: str | None = None, older_than_days: float | None = None
) -> int:
    """Drop the calls that fit every given condition, and give the space back.

    Args:
        cache: The cache.
        model: Only calls of this model.
        prompt: Only calls whose prompt digest starts like this.
        older_than_days: Only calls made longer ago.

    Returns:
        How many calls were dropped.

    Raises:
        JudgeError: when no condition is given; deleting the file is the way to drop everything.
    """
    conditions: list[tuple[str, Any]] = []
    if model is not None:
        conditions.append(("model = ?", model))
    if prompt is not None:
        conditions.append(("instr(prompt, ?) = 1", prompt))
    if older_than_days is not None:
        conditions.append(("created < ?", time.time() - 86_400 * older_than_days))
    if not conditions:
        raise JudgeError("say which calls to drop: a model, a prompt or an age")
    # Those of replies that are there are left over, and would hold up whoever asks again.
    cache.execute("DELETE FROM claims WHERE key IN (SELECT key FROM calls)")
    where = " AND ".join(text for text, _ in conditions)
    dropped = cache.execute(f"DELETE FROM calls WHERE {where} RETURNING key", tuple(value for _, value in conditions))
    cache.execute("VACUUM")
    return len(dropped)


def export_cache(cache: JudgeCache, keys: Collection[str] | None = None) -> Iterator[str]:
    """The calls as JSON Lines in the order of their keys, so that two exports can be compared line by line.

    Args:
        cache: The cache.
        keys: Only these calls; all where not given.
    """
    for row in cache.execute(f"SELECT {', '.join(_COLUMNS)} FROM calls ORDER BY key"):
        if keys is not None and row[0] not in keys:
            continue
        data = {
            name: json.loads(value) if name in _AS_JSON else value for name, value in zip(_COLUMNS, row, strict=True)
        }
        yield json.dumps(data, sort_keys=True)


def import_cache(cache: JudgeCache, lines: Iterable[str]) -> int:
    """Add exported calls; what is there stays as it is.

    Returns:
        How many calls were new.

    Raises:
        JudgeError: when a line is no exported call.
    """
    new = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            row = tuple(canonical(data[name]) if name in _AS_JSON else data[name] for name in _COLUMNS)
        except (ValueError, KeyError, TypeError):
            raise JudgeError(f"line {number} is no exported judge call") from None
        marks = ", ".join("?" * len(row))
        new += len(cache.execute(f"INSERT OR IGNORE INTO calls VALUES ({marks}) RETURNING key", row))
    return new
