"""Read what a layout declares: the formats of files, and the paths of the parts of a record."""

from __future__ import annotations

from scoring.compiler.records.record_reader import reader
from scoring.data.file_format import find_format
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.format.forms import text_of
from scoring.format.keys import ReadsValues
from scoring.format.nodes import SpecNode
from scoring.format.sections import RECORD, RecordParts


def format_name(building: ReadsValues, node: SpecNode) -> str:
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


def record_parts(building: ReadsValues, node: SpecNode) -> RecordParts:
    """Return the parts of a record; a finding is added for a path that is none."""
    found: RecordParts = RECORD.read(building, node)
    for name, path in found.paths().items():
        try:
            reader(path, node[name].span)
        except SpecError as error:
            for one in error.diagnostics:
                building.diagnostics.error(one.id, one.message, one.span, one.primary.text, help=one.help)
    return found
