"""The logs of evaluation hosts, which are layouts that every task has: plug-ins of the group ``scoring.logs``."""

from __future__ import annotations

from functools import cache
from typing import Any

from scoring.extensions.layouts.section import FileLayout
from scoring.format.sections import RecordParts
from scoring.registry import plugins

GROUP = "scoring.logs"
_PARTS = RecordParts(id="id", response="response", reference="reference")
"""Where the parts of a record are in the rows of every log."""


@cache
def find_log(name: str) -> Any:
    """Return the kind of log with a name, a `HostLog`; None if there is none."""
    plugin = plugins.find_plugin(GROUP, name) if name else None
    return None if plugin is None else plugin.load()


def log_names() -> list[str]:
    """Return the names of all kinds of logs."""
    return [plugin.name for plugin in plugins.every(GROUP)]


def layout_of_log(log: Any, stated: str | None) -> FileLayout:
    """Return the layout of a kind of log, read in the format ``stated`` if that is one of this kind."""
    is_its_own = (stated or "").partition(",")[0] == log.name
    return FileLayout(log.title, stated if is_its_own else log.name, None, _PARTS)
