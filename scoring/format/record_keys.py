"""The keys of ``record``: where the parts of a record are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from scoring.format import forms
from scoring.format.forms import DOC, PATH, TEXT, list_of, section
from scoring.format.keys import FileKind, ReadsValues, ValueForm, key, keys_of, object_schema
from scoring.format.nodes import SpecNode
from scoring.late import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """A further name of a record: where it is, and the values that it may have."""

    path: str = key(PATH, "Where it is, as a JMESPath into the record.", required=True)
    values: tuple[str, ...] | None = key(
        list_of(TEXT), "Every value it may have; `switch` is checked against them.", default=None
    )
    doc: str = key(TEXT, DOC, default="", prose=True)


@dataclass(frozen=True, slots=True)
class RecordParts:
    """Where the parts of a record are, as JMESPaths."""

    id: str | None = key(PATH, "Where the record's id is.", default=None, shown="id")
    response: str | None = key(PATH, "Where the model's raw response is.", default=None, shown="response")
    reference: str | None = key(PATH, "Where the reference answer is.", default=None, shown="reference")
    context: str | None = key(PATH, "Where further inputs of scorers are.", default=None, shown="context")
    weight: str | None = key(PATH, "Where the record's weight is.", default=None)
    more: Mapping[str, Attribute] = field(default_factory=dict)

    def paths(self) -> dict[str, str]:
        """The path of each part that the file names."""
        stated = {one.name: getattr(self, one.attribute) for one in keys_of(RecordParts)}
        own = {name: path for name, path in stated.items() if path is not None}
        return {**own, **{name: attribute.path for name, attribute in self.more.items()}}


_ATTRIBUTE = forms.either(PATH, section(Attribute), lambda path: Attribute(path))


def _record_schema(kind: FileKind) -> dict[str, Any]:
    return {"type": "object", **object_schema(RecordParts, kind), "additionalProperties": _ATTRIBUTE.schema(kind)}


def _record(building: ReadsValues, node: SpecNode) -> RecordParts:
    known = {one.name for one in keys_of(RecordParts)}
    more = {name: _ATTRIBUTE.read(building, item) for name, item in node.entries.items() if name not in known}
    return building.make(RecordParts, node, more=more)


RECORD = ValueForm(_record_schema, _record, (("", RecordParts), ("*", Attribute)))
