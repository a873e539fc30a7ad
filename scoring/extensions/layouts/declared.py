"""The layouts in which the files of a benchmark are published, as a task's key ``layouts`` declares them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scoring.compiler.records.record_reader import reader
from scoring.data.file_format import find_format
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.format.forms import NAME_PATTERN, TEXT, map_of, section, text_of
from scoring.format.keys import ReadsValues, ValueForm, key
from scoring.format.nodes import SpecNode
from scoring.format.sections import RECORD, RecordParts


def _format_name(building: ReadsValues, node: SpecNode) -> str:
    """Return the name of a file format with its settings; a finding is added if there is no such format or setting."""
    text = text_of(node)
    name, *settings = text.split(",")
    try:
        known = find_format(name).settings
    except InputError as error:
        building.diagnostics.error("unknown-value", str(error), node.span)
        return text
    for setting in settings:
        if setting.partition("=")[0] not in known or not setting.partition("=")[2]:
            allowed = f"it has {listed(known, 'and')}" if known else "it has none"
            message = f"{shown(setting)} is not a setting of the format `{name}`; {allowed}"
            building.diagnostics.error("unknown-value", message, node.span)
    return text


def _record(building: ReadsValues, node: SpecNode) -> RecordParts:
    """Return the parts of a record; a finding is added for a path that is none."""
    found: RecordParts = RECORD.read(building, node)
    for name, path in found.paths().items():
        try:
            reader(path, node[name].span)
        except SpecError as error:
            for one in error.diagnostics:
                building.diagnostics.error(one.id, one.message, one.span, one.primary.text, help=one.help)
    return found


_RECORD = ValueForm(RECORD.schema, _record, RECORD.inside)
_FORMAT = ValueForm(lambda kind: {"type": "string", "minLength": 1}, _format_name)


@dataclass(frozen=True, slots=True)
class FileLayout:
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


LAYOUTS: Final = map_of(section(FileLayout), names={"pattern": NAME_PATTERN})
"""The form of the value of the key `layouts`."""
