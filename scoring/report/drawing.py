"""How extensions draw their parts of results, as blocks of documents: plug-ins of the group ``scoring.documents``.

The name of an entry point says what it draws, and its value is the function that draws it:

- ``metric.NAME``: the detail NAME of a metric. The function takes the title of the metric and the detail.
- ``summary.NAME``: the key NAME of a run's summary. The function takes the summary.

It returns an iterable of the blocks of `scoring.report.document`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from scoring.registry import plugins
from scoring.report.document import DocumentBlock

GROUP = "scoring.documents"


def drawer_of(part: Literal["metric", "summary"], name: str) -> Callable[..., Iterable[DocumentBlock]] | None:
    """Return an extension's function that draws the metric detail or summary key `name`; None if none draws it.

    Examples:
        >>> drawer_of("metric", "tea_leaves") is None
        True
    """
    wanted = f"{part}.{name}"
    found = next((plugin for plugin in plugins.noticed(GROUP) if plugin.name == wanted), None)
    return None if found is None else found.load()
