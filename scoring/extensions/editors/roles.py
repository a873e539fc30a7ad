"""What a place of a spec holds: which kind of expression, or a path, and what flows where the expression begins."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, cast

from msgspec import Struct

from scoring.compiler.checks.compared import may_hold_fields
from scoring.extensions.editors.expression import OpenPart
from scoring.extensions.editors.flowing import FIELDS, ROWS, Follower, Stream
from scoring.extensions.editors.names import DEFINING, NamedDefinition, SpecNames, expression_text
from scoring.extensions.editors.outline import OutlineNode
from scoring.extensions.editors.place import KeyPath, OutlinePlace
from scoring.registry.plugins import has_table_kind
from scoring.values import ANY, Type

ExpressionRole: TypeAlias = Literal[
    "scorer", "transform", "parse", "aggregate", "metric", "computed", "source", "condition", "path", "record path"
]
"""What an expression is for; a path is one of the language, a record path a JMESPath into the record."""

ENTRIES = {"computed": "computed", "source": "computed", "condition": "formula", "path": "path", "record path": "path"}
"""The rule of the grammar for a role; `scorer` for others."""
_FORMULA_ROLES = ("condition", "aggregate", "computed", "metric", "scorer")


class Expected(Struct, frozen=True):
    """The expression that stands at a place.

    Attributes:
        role: What it is for.
        stream: What flows where it begins.
        definition: The definition that it belongs to, if any.
        length: How many keys of the path lead to the expression; what follows is inside of it, as data.
    """

    role: ExpressionRole
    stream: Stream
    definition: NamedDefinition | None
    length: int


def expected_at(names: SpecNames, path: KeyPath, node: OutlineNode | None = None) -> Expected | None:
    """Return which expression stands at a path of keys, None where none stands."""
    if not path or not isinstance(path[0], str):
        return None
    head, size = path[0], len(path)
    is_pack, is_task = names.kind == "pack", names.kind not in ("pack", "suite")
    if head in DEFINING and (is_pack or (is_task and head != "metrics")):
        return _of_definition(names, path)
    if head == "values" and size > 1:
        if size > 2 and path[2] == "doc":
            return None
        return Expected("computed", Stream("computed"), None, 3 if path[2:3] == ("value",) else 2)
    if head == "judges" and size == 4 and path[2] == "inputs":
        return Expected("computed", Stream("computed"), None, 4)
    if (head == "metrics" and size > 1) or (head == "score" and names.kind == "suite"):
        is_named = head == "metrics" and size == 3 and isinstance(path[2], str)
        length = 3 if is_named else 2 if head == "metrics" else 1
        return Expected("metric", Stream("metric", table_type(names), ROWS), None, length)
    if not is_task:
        return Expected("record path", Stream("source"), None, size) if head == "by" else None
    return _of_task(names, path, head, size)


def _of_task(names: SpecNames, path: KeyPath, head: str, size: int) -> Expected | None:
    if head == "parse":
        return Expected("parse", Stream("parse"), None, 1)
    if head == "score":
        return Expected("scorer", _compared(names, None), None, 1)
    if head == "fields" and size > 1:
        return _of_field(names, path)
    if head == "aggregate":
        return Expected("aggregate", Stream("aggregate", FIELDS, FIELDS), None, 1)
    if head == "pass":
        return Expected("condition", Stream("formula"), None, 1)
    if head == "by" or (head == "intervals" and path[1:2] in (("cluster",), ("strata",))):
        return Expected("record path", Stream("source"), None, size)
    if head == "record" and (size == 2 or path[2:] == ("path",)):
        return Expected("record path", Stream("source"), None, size)
    return None


def table_type(names: SpecNames) -> Type:
    """Return the type of the table that the metrics of a spec read."""
    if names.kind == "rows":
        return ROWS
    if names.kind not in ("pack", "suite") and has_table_kind(names.kind):
        from scoring.registry.table_kind import table_kind

        return table_kind(names.kind).reads
    return ROWS if names.kind == "suite" else ANY


FIELD_KEYS = ("score", "weight", "prediction", "reference", "optional", "doc")


def _of_field(names: SpecNames, path: KeyPath) -> Expected | None:
    fields = names.root.get("fields")
    field = None if fields is None else fields.get(str(path[1]))
    if len(path) > 2 and path[2] in FIELD_KEYS:
        if path[2] in ("prediction", "reference"):
            return Expected("source", Stream("source"), None, 3)
        return Expected("scorer", _compared(names, field), None, 3) if path[2] == "score" else None
    return Expected("scorer", _compared(names, None), None, 2)


def _compared(names: SpecNames, field: OutlineNode | None) -> Stream:
    """Return what a field's scorer is given, as its keys and the stage `parse` say."""
    follower = Follower(names)
    parsed = follower.through(Stream("parse"), [names.parse]) if names.parse else None
    sides = []
    for side in ("prediction", "reference"):
        stated = None if field is None else field.get(side)
        if stated is not None and stated.text:
            sides.append(follower.through(Stream("source"), [stated.text]).prediction)
        elif parsed is None:
            sides.append(ANY)
        else:
            kind = parsed.prediction if side == "prediction" else parsed.reference
            is_named = not names.has_score and may_hold_fields(parsed.prediction if side == "prediction" else kind)
            is_dict = is_named and kind.name == "Dict"
            sides.append(kind.args[1] if is_dict else ANY if is_named else kind)
    return Stream("scorer", sides[0], sides[1])


def _of_definition(names: SpecNames, path: KeyPath) -> Expected | None:
    form, word = DEFINING[str(path[0])]
    if len(path) < 2:
        return None
    definition = names.definitions.get(str(path[1]))
    stream = {
        "aggregate": Stream("aggregate", FIELDS, FIELDS),
        "metric": Stream("metric", table_type(names), ROWS),
        "parse": Stream("parse"),
        "transform": Stream("transform"),
    }.get(form, Stream("scorer"))
    role = cast(ExpressionRole, form)
    inside = path[2:]
    if inside[:1] == (word,):
        return Expected(role, stream, definition, 3)
    if inside == ("deprecated", "for"):
        return Expected(role, stream, definition, 4)
    if inside[:1] == ("params",):
        is_pipeline = definition is not None and len(inside) > 1 and inside[1] in definition.pipelines
        if is_pipeline and inside[2:] == ("default",):
            return Expected("scorer", Stream("scorer"), definition, 5)
        return None
    if inside and isinstance(inside[0], str) and inside[0] in DEFINITION_KEYS:
        return None
    return Expected(role, stream, definition, 2)


DEFINITION_KEYS = ("doc", "source", "examples", "deprecated", "params", "audit")


def follower_of(names: SpecNames, expected: Expected) -> Follower:
    """Return the follower for an expression, which knows the parameters of the definition around it."""
    if expected.definition is None:
        return Follower(names)
    return Follower(names, expected.definition.params, expected.definition.pipelines)


def opened_as_data(place: OutlinePlace, length: int) -> tuple[OpenPart, ...]:
    """Return what is open at a place inside an expression that is written as lists and mappings.

    Args:
        place: The place.
        length: How many keys lead to the expression.
    """
    parts = [OpenPart("whole")]
    inside = place.path[length:]
    for number, name in enumerate(inside):
        node = place.nodes[length + number]
        if isinstance(name, int):
            before = [expression_text(item) for item in node.items[:name]]
            if parts[-1].kind == "call" and number and isinstance(inside[number - 1], str):
                parts[-1].index = name  # positional arguments of a call
            else:
                parts[-1].steps = [(text, 0, 0) for text in before if text]
        elif parts[-1].kind == "call" and number and isinstance(inside[number - 1], str):
            parts[-1] = replace(parts[-1], key=name, given=[key.text for key, _ in node.entries if key.text != name])
        else:
            parts.append(OpenPart("call", name))
    return tuple(parts)
