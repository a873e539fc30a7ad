"""The primitive that lists the leaves of a nested value."""

from __future__ import annotations

from typing import Any

from scoring.primitives.printed import printed
from scoring.registry import primitive


@primitive(topics=("extraction", "mappings"), aka=("flatten", "flatten json", "key value pairs", "entities"))
def leaves(value: Any, /) -> list[list[str]]:
    """List the leaves of a nested value, each as a pair: the keys that lead to it, joined by dots, and its text.

    Items of a list get the keys of the list. White space at the ends of texts is removed. Values of a mapping that are
    null, false, 0 or empty are left out. Of a list with items other than mappings, only the strings and numbers count.

    Examples:
        >>> leaves({"menu": [{"name": "cake", "count": 2}, {"name": " tea "}], "total": ""})
        [['menu.name', 'cake'], ['menu.count', '2'], ['menu.name', 'tea']]

    Source:
        Donut (Kim et al. 2022), JSONParseEvaluator.
    """
    found: list[list[str]] = []
    waiting: list[tuple[str, Any]] = [("", value)] if value else []
    while waiting:
        keys, one = waiting.pop()
        if isinstance(one, dict):
            inner = [(f"{keys}.{key}" if keys else str(key), item) for key, item in one.items() if item]
            waiting += inner[::-1]
        elif isinstance(one, list | tuple) and all(isinstance(item, dict) for item in one):
            waiting += [(keys, item) for item in one[::-1]]
        elif isinstance(one, list | tuple):
            texts = (printed(item).strip() for item in one if type(item) in (str, int, float))
            found += [[keys, text] for text in texts if text]
        else:
            found.append([keys, printed(one).strip()])
    return found
