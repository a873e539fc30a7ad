"""The columns that scores add to a table: their names, their kinds, and their values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, TypeAlias

from scoring.errors import InputError
from scoring.extensions.hosts.columns import Columns

AddedKind: TypeAlias = Literal["number", "text", "truth"]
_OUTCOME: dict[str, AddedKind] = {"score": "number", "status": "text", "reason": "text", "passed": "truth"}


def added_kinds(fields: Sequence[str], names: Collection[str], prefix: str) -> dict[str, AddedKind]:
    """Return the kinds of the columns that scores add to a table, by the columns' names.

    These are ``score``, ``status``, ``reason``, ``passed``, and one for each field: with the field's name, or
    ``field.NAME`` if another column has that name.

    Args:
        fields: The names of the fields.
        names: The names of the table's own columns.
        prefix: What the names of the new columns begin with.

    Raises:
        InputError: when the table has a column with one of these names.

    Examples:
        >>> list(added_kinds(["city", "score"], ["id", "city"], ""))
        ['score', 'status', 'reason', 'passed', 'field.city', 'field.score']
    """
    found: dict[str, AddedKind] = {prefix + name: kind for name, kind in _OUTCOME.items()}
    taken = [name for name in found if name in names]
    for field in fields:
        name = prefix + field
        if name in names or name in found:
            name = f"{prefix}field.{field}"
        if name in names or name in found:
            taken.append(name)
        found[name] = "number"
    if taken:
        raise InputError(f'the table has a column `{taken[0]}` already; say prefix="my_" for `my_{taken[0]}`')
    return found


def added_values(found: Columns) -> list[Any]:
    """Return the values of these columns in their order: numbers as arrays with NaN where there is none, others as
    lists."""
    reasons = found.reasons
    texts = [_in_utf8(reasons.get(place)) for place in range(len(found))]
    return [found.scores, found.statuses, texts, found.passed, *found.fields.values()]


def _in_utf8(reason: str | None) -> str | None:
    """Return a text with lone surrogates, which columns can't hold, replaced by escapes."""
    if reason is None or reason.isascii():
        return reason
    return reason.encode("utf-8", "backslashreplace").decode()
