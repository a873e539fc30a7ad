"""Rooms of the API: modules such as ``scoring.runs`` whose names are verbs, each imported when it is first used.

A verb is a plug-in of the group ``scoring.verbs``: its entry point is called ``room.name``, or ``name`` for one of
``scoring`` itself, and names the function or the type. So extensions and other packages bring verbs as the core does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scoring.registry import plugins

GROUP = "scoring.verbs"


def room(name: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` for the module of a room.

    Args:
        name: The room, such as ``runs``; its module is called ``scoring.runs``.

    Examples:
        >>> names, get, _ = room("runs")
        >>> "verify" in names, get("verify").__name__
        (True, 'verify')
    """
    ours = sorted(_names(plugins.own(GROUP), name))

    def get(wanted: str) -> Any:
        found = None if wanted.startswith("_") else plugins.find_plugin(GROUP, f"{name}.{wanted}")
        if found is None:
            raise AttributeError(f"module 'scoring.{name}' has no attribute {wanted!r}")
        return found.load()

    return ours, get, lambda: sorted({*ours, *_names(plugins.others(GROUP), name)})


def _names(found: tuple[plugins.PlugIn, ...], name: str) -> Iterator[str]:
    return (one.name.removeprefix(f"{name}.") for one in found if one.name.startswith(f"{name}."))
