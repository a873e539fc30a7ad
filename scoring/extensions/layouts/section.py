"""The key ``layouts`` of a task: the layouts in which the files of a benchmark are published, by name."""

from __future__ import annotations

from typing import Any, Final

from scoring.format.forms import NAME_PATTERN, TEXT, map_of, section
from scoring.format.keys import ROWS, ReadsValues, SpecPart, SpecSection, ValueForm, key
from scoring.format.nodes import SpecNode
from scoring.format.sections import RECORD, RecordParts


def _read(name: str, building: ReadsValues, node: SpecNode) -> Any:
    from scoring.extensions.layouts import declared  # imported here, since few tasks have layouts

    return getattr(declared, name)(building, node)


_RECORD = ValueForm(RECORD.schema, lambda building, node: _read("record_parts", building, node), RECORD.inside)
_FORMAT = ValueForm(
    lambda kind: {"type": "string", "minLength": 1}, lambda building, node: _read("format_name", building, node)
)


class FileLayout(SpecPart, frozen=True):
    """A layout of the files that a task scores: the format of each file, and where the parts of a record are."""

    doc: str = key(TEXT, "What has this layout, for human readers.", moves="nothing", default="", prose=True)
    data: str | None = key(
        _FORMAT,
        "The format of the predictions, such as `json,rows=*`; by default the one that the file's name says.",
        moves="nothing",
        default=None,
    )
    references: str | None = key(
        _FORMAT,
        "The format of the references; a layout that states none has no separate references.",
        moves="nothing",
        default=None,
    )
    record: RecordParts = key(
        _RECORD, "Where the parts of a record are, as in the task's `record:`.", moves="nothing", default=RecordParts
    )


SECTION: Final = SpecSection(
    ("task",),
    map_of(section(FileLayout), names={"pattern": NAME_PATTERN}),
    "Layouts in which files are published: the first that fits the given files is used, or that which --layout names.",
    moves="nothing",
    kinds=ROWS,
)
