"""Export a suite's summary in the layouts of other tools; each layout is a plug-in of the group ``scoring.exports``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean
from scoring.format.front_ends import Found
from scoring.registry import plugins

EXPORTS = "scoring.exports"


class Export(Struct, frozen=True):
    """A layout of a suite's summary for another tool: the name of its file in the run folder, and the function that
    makes its content."""

    file_name: str
    content: Callable[[Mapping[str, Any]], dict[str, Any]]


def layouts(found: Found) -> list[str]:
    """Return the names of the layouts of other tools in which a suite's summary can be exported.

    Args:
        found: Returns the plug-ins of a group, such as ``scoring.exports``.
    """
    return [plugin.name for plugin in found(EXPORTS)]


def exported(layout: str, summary: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name and the content of the file for a suite's summary in the layout named `layout`.

    Raises:
        SpecError: when no plug-in provides a layout of that name.
    """
    plugin = plugins.find_plugin(EXPORTS, layout)
    if plugin is None:
        known = [found.name for found in plugins.every(EXPORTS)]
        message = f"there is no layout `{layout}` to export to"
        raise SpecError.of("unknown-value", message, None, help=did_you_mean(layout, known))
    export: Export = plugin.load()
    return export.file_name, export.content(summary)
