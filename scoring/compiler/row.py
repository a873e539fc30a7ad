"""Values of the row that is being scored, as expressions name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from scoring.lang.tree import Path
from scoring.result import Unscored

Row: TypeAlias = Mapping[str, Any]

NO_ROW: Row = {}


def read_path(path: Path, row: Row) -> Any:
    """The value of the row that a path names.

    Raises:
        Unscored: when the row has no such value.
    """
    value: Any = row.get(path.root)
    for segment in path.segments:
        try:
            value = value[segment]
        except (KeyError, IndexError, TypeError):
            raise Unscored(f"the record has no `{show_path(path)}`") from None
    return value


def show_path(path: Path) -> str:
    """A path as it is written."""
    parts = [f"[{segment}]" if isinstance(segment, int) else f".{segment}" for segment in path.segments]
    return path.root + "".join(parts)
