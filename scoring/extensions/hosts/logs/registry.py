"""The kinds of logs that are known, and which of them a file is."""

from __future__ import annotations

from functools import cache

from scoring.extensions.hosts.logs.log import HostLog
from scoring.registry import plugins

GROUP = "scoring.logs"


@cache
def find_log(name: str) -> HostLog | None:
    """Return the kind of log with a name; None if there is none."""
    plugin = plugins.find_plugin(GROUP, name) if name else None
    return None if plugin is None else plugin.load()


def log_names() -> list[str]:
    """Return the names of all kinds of logs."""
    return [plugin.name for plugin in plugins.every(GROUP)]
