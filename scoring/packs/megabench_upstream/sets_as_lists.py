"""Sets as lists in a deterministic order."""

from __future__ import annotations

from typing import Any

from scoring.primitives.printed import in_stable_order


def set_as_list(items: Any) -> Any:
    """Return a set as a list in a deterministic order, and any other value unchanged.

    Examples:
        >>> set_as_list({"b", "a"}), set_as_list(("b", "a"))
        (['a', 'b'], ('b', 'a'))
    """
    return in_stable_order(items) if isinstance(items, (set, frozenset)) else items
