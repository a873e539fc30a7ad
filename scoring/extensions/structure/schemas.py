"""The comparator ``matches_schema``: validation of a value, or of a share of it, against a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from scoring.extensions.structure.json_schema_match import NoSchema, ReadySchema, SchemaFault, ready_schema
from scoring.registry import SettingFault, checks, explains, prepares, primitive
from scoring.result import Unscored
from scoring.values import Score

_MOST_SHOWN = 50
# If one of these keywords fails, everything inside the value is wrong; any other keyword concerns only its location.
_OF_ALL = ("type", "enum", "const", "anyOf", "oneOf", "not", "false", "disallow")


@primitive(
    traits=("response_alone",),
    uses=("jsonschema",),
    revision=2,
    topics=("extraction", "mappings"),
    aka=("json schema", "schema validation", "structured output", "is valid json"),
)
def matches_schema(
    prediction: Any,
    reference: Any,
    /,
    *,
    schema: Any,
    credit: Literal["whole", "paths"] = "whole",
    formats: Literal["ignored", "checked"] = "ignored",
    draft: Literal["declared", "draft-03", "draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] = "declared",
) -> Score:
    """Validate a value against a JSON Schema: return 1 or 0, or the share of its locations that are valid.

    Types are strict: `"3"` and true are not numbers, but 1.0 is an integer, as in the standard. Locations are the
    strings, numbers, booleans, nulls and empty collections of a value, each key that is missing or not allowed, and
    each collection that is itself invalid (too short, repeated items). All locations inside a value that has the wrong
    type, or that matches none of the alternatives, are wrong. `explain` lists the faults, path by path.

    Args:
        schema: The schema, true, false, or its JSON text; usually a path such as `record.schema` or `reference`.
        credit: "whole" is 1 if the whole value is valid, else 0; "paths" is the share of valid locations.
        formats: Whether `format` is checked: `date`, `email`, `idn-email`, `ipv4`, `ipv6`, `regex`, `uuid`; others
            never are. A schema with a pattern that Python can't read is then invalid.
        draft: The draft of the standard; by default that of `$schema`, or 2020-12 if there is no `$schema`.

    Raises:
        Unscored: when the schema is invalid, a reference in it leads out of it (nothing is fetched), a pattern in it
            could take too long, or the work exceeds its limit.

    Examples:
        >>> person = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["name", "age"]}
        >>> matches_schema({"name": "Eve", "age": 3}, None, schema=person)
        1.0
        >>> (
        ...     matches_schema({"age": 3}, None, schema=person),
        ...     matches_schema({"age": 3}, None, schema=person, credit="paths"),
        ... )
        (0.0, 0.5)

    Source:
        JSON Schema, https://json-schema.org, by the package `jsonschema`; the share is our own.
    """
    ready = schema if isinstance(schema, ReadySchema) else _ready(schema, formats, draft)
    is_valid = ready.is_valid(prediction)
    if is_valid or (is_valid is False and credit == "whole"):
        return float(is_valid)
    found = _faults(ready, prediction, most=1 if credit == "whole" else None)
    if credit == "whole" or not found:
        return float(not found)
    wrong = {place for fault in found for place in _wrong(prediction, fault)}
    right = {path for path in _leaves(prediction, ()) if path not in wrong}
    # An empty mapping with missing keys is not a location in addition to those keys.
    right -= {fault.path for fault in found if fault.missing is not None}
    return len(right) / (len(right) + len(wrong))


@prepares(matches_schema)
def _(*, schema: Any, formats: str = "ignored", draft: str = "declared", **_: Any) -> dict[str, Any]:
    return {"schema": _ready(schema, formats, draft)}


@checks(matches_schema)
def _(*, schema: Any, credit: str | None, formats: str | None, draft: str | None) -> SettingFault | None:
    if schema is None:
        return None
    try:
        ready_schema(schema, draft or "declared", formats == "checked")
    except NoSchema as error:
        return SettingFault("schema", f"this is no JSON Schema that can be followed: {error}", "not a schema")
    except Unscored:
        return None  # the extra is not installed, which is the reason of each record
    return None


@explains(matches_schema)
def _(
    prediction: Any, reference: Any, *, schema: Any, formats: str = "ignored", draft: str = "declared", **_: Any
) -> list[dict[str, Any]]:
    found = _faults(_ready(schema, formats, draft), prediction, most=_MOST_SHOWN)
    lines = [{"stage": f"{_shown(fault.path)} ({fault.keyword})", "value": fault.message[:200]} for fault in found]
    count = f"{len(found)}{' or more' if len(found) == _MOST_SHOWN else ''}"
    return [{"stage": "schema", "value": f"{count} wrong" if found else "everything holds"}, *lines]


def _ready(schema: Any, formats: str, draft: str) -> ReadySchema:
    try:
        return ready_schema(schema, draft, formats == "checked")
    except NoSchema as error:
        raise _not_followed(error) from None


def _faults(ready: ReadySchema, value: Any, most: int | None) -> list[SchemaFault]:
    try:
        return ready.faults(value, most)
    except NoSchema as error:
        raise _not_followed(error) from None


def _not_followed(error: NoSchema) -> Unscored:
    return Unscored(f"the schema can't be followed: {error}")


def _wrong(value: Any, fault: SchemaFault) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each location in a value that a violation of the schema makes wrong."""
    if fault.missing is not None:
        yield (*fault.path, fault.missing)
    elif fault.surplus:
        for key in fault.surplus:
            yield from _leaves(_at(value, (*fault.path, key)), (*fault.path, key))
    elif fault.keyword in _OF_ALL:
        yield from _leaves(_at(value, fault.path), fault.path)
    else:
        yield fault.path


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each leaf in a value, each beginning with `path`; a leaf is not a list or mapping, or is an
    empty one.
    """
    waiting = [(path, value)]
    while waiting:
        place, one = waiting.pop()
        if isinstance(one, dict) and one:
            waiting.extend(((*place, key), part) for key, part in one.items())
        elif isinstance(one, list | tuple) and one:
            waiting.extend(((*place, index), part) for index, part in enumerate(one))
        else:
            yield place


def _shown(path: tuple[Any, ...]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")[:80] or "the value"
