"""The logs of evaluation hosts, which are layouts that every task has: plug-ins of the group ``scoring.logs``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.extensions.layouts.section import FileLayout
from scoring.format.sections import RecordParts
from scoring.registry import plugins

GROUP = "scoring.logs"
_PARTS = RecordParts(id="id", response="response", reference="reference")
"""Where the parts of a record are in the rows of every log."""
_WITHOUT_REFERENCE = RecordParts(id="id", response="response")


@cache
def find_log(name: str) -> Any:
    """Return the kind of log with a name, a `HostLog`; None if there is none."""
    plugin = plugins.find_plugin(GROUP, name) if name else None
    return None if plugin is None else plugin.load()


def log_names() -> list[str]:
    """Return the names of all kinds of logs."""
    return [plugin.name for plugin in plugins.every(GROUP)]


def layouts_of_log(log: Any, stated: str | None, data: Any) -> tuple[FileLayout, FileLayout]:
    """Return the layout of a kind of log, and the one whose reference is where the task says, for hosts that leave the
    place of references to their users; in the format ``stated`` if that is one of this kind.

    Raises:
        InputError: when the data is a file that can't be read as such a log.
    """
    is_its_own = (stated or "").partition(",")[0] == log.name
    is_file = isinstance(data, str | Path) and Path(data).is_file()
    title = log.about(InputFile(str(data))) if is_file and log.about is not None else log.title
    kind = stated if is_its_own else log.name
    return FileLayout(title, kind, None, _PARTS), FileLayout(title, kind, None, _WITHOUT_REFERENCE)
