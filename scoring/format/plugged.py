"""The names that plug-ins bring and that a spec may use: dialects of foreign files, layouts of exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from scoring.format import front_ends
from scoring.registry import plugins

EXPORTS = "scoring.exports"

# Where plug-ins are looked for: among our own, or among those of all packages.
Found: TypeAlias = Callable[[str], tuple[plugins.PlugIn, ...]]


def dialects(found: Found) -> Sequence[str]:
    """The dialects of foreign files."""
    return list(front_ends.dialects(found))


def layouts(found: Found) -> Sequence[str]:
    """The layouts in which a suite's results can be written for others."""
    return [plugin.name for plugin in found(EXPORTS)]
