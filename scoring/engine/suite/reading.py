"""The attributes of a task: its own, those of the attributes file, and what the spec reads out of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.compiler.record import reader
from scoring.engine.suite.attributes import Attributes


class Reading:
    """Where attributes come from; later sources win.

    Args:
        table: The attributes file by task name, None where there is none.
        read: Further attributes as JMESPaths into the others.

    Examples:
        >>> reading = Reading({"chess": {"num_input": "1-image"}}, {"input_num": "num_input"})
        >>> reading.attributes("chess", {"app": "games"})
        {'app': 'games', 'num_input': '1-image', 'input_num': '1-image'}
    """

    def __init__(self, table: Attributes | None, read: Mapping[str, str]) -> None:
        self.table = table
        self._read = {name: reader(path) for name, path in read.items()}

    def attributes(self, task: str, own: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes of a task."""
        found = {**own, **((self.table or {}).get(task) or {})}
        return {**found, **{name: read(found) for name, read in self._read.items()}}

    def knows(self, task: str) -> bool:
        """Whether the attributes file has the task; yes where there is no file."""
        return self.table is None or task in self.table
