"""The key ``layouts`` of a task: layouts of published files, by name. Its reader is imported on first use."""

from __future__ import annotations

from typing import Any, Final

from scoring.format.keys import ROWS, ReadsValues, SpecSection, ValueForm
from scoring.format.nodes import SpecNode


def _schema(kind: str) -> Any:
    from scoring.extensions.layouts.declared import LAYOUTS

    return LAYOUTS.schema(kind)


def _read(building: ReadsValues, node: SpecNode) -> Any:
    from scoring.extensions.layouts.declared import LAYOUTS

    return LAYOUTS.read(building, node)


SECTION: Final = SpecSection(
    ("task",),
    ValueForm(_schema, _read),
    "Layouts in which files are published: the first that fits the given files is used, or that which --layout names.",
    moves="nothing",
    kinds=ROWS,
)
