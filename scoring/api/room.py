"""The public modules of the API, called rooms, such as ``scoring.runs``: each name in them is imported on first use.

Functions and types are plug-ins of the group ``scoring.verbs``. The name of the entry point is ``room.name``, or just
``name`` for one of ``scoring`` itself, and its value refers to the object. So the core, extensions and other packages
add names in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scoring.registry import plugins

GROUP = "scoring.verbs"


def room(name: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return the list ``__all__`` and the functions ``__getattr__`` and ``__dir__`` for the module of a room.

    Args:
        name: The name of the room, such as ``runs`` for the module ``scoring.runs``.

    Examples:
        >>> names, get, _ = room("specs")
        >>> "fmt" in names, get("fmt").__name__
        (True, 'fmt')
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
