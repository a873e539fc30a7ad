"""Validate plain data, such as specs and replies of judges, against JSON Schema draft 7, by `jsonschema`.

Nothing is fetched: a reference must point into the schema itself, or into one of the documents given with it.

Source:
    https://json-schema.org/draft-07/json-schema-validation
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from jsonschema import ValidationError

Schema: TypeAlias = Mapping[str, Any]
Documents: TypeAlias = Mapping[str, Schema]


class Violation(NamedTuple):
    """A violation of one keyword of a schema by a value.

    Args:
        keyword: The name of the keyword; `false` where the schema itself is just `false`.
        wanted: The keyword's value in the schema.
        path: Keys and indices that lead to the value.
        schema: The schema that contains the keyword.
        value: The value, or the key's name where a key is at fault.
        in_key: Whether a key of the mapping at `path` is at fault.
        branches: For `anyOf` and `oneOf`, the violations of each alternative.
    """

    keyword: str
    wanted: Any
    path: tuple[str | int, ...]
    schema: Schema
    value: Any
    in_key: bool = False
    branches: tuple[tuple[Violation, ...], ...] = ()


def violations(data: Any, schema: Schema, others: Documents | None = None) -> Iterator[Violation]:
    """Yield all violations of a schema by plain data, in the order of the schema.

    Args:
        data: Plain JSON data.
        schema: A schema of draft 7.
        others: Further documents for references, by the file name with which these begin.

    Examples:
        >>> [(v.keyword, v.path) for v in violations({"a": [1, "x"]}, {"properties": {"a": {"items": {"const": 1}}}})]
        [('const', ('a', 1))]
        >>> list(violations(2, {"$ref": "other.json#/small"}, {"other.json": {"small": {"maximum": 3}}}))
        []
    """
    from referencing import Registry
    from referencing.jsonschema import DRAFT7

    registry = Registry().with_resources((name, DRAFT7.create_resource(one)) for name, one in (others or {}).items())
    validator = _validator()(schema, registry=registry)
    return (_violation(error) for error in validator.iter_errors(data))


def followed(schema: Any, documents: tuple[Schema, ...]) -> Schema:
    """Resolve a schema's `$ref` in the first document that has its target; return an empty schema if none has."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if reference is None:
            return schema if isinstance(schema, Mapping) else {}
        found = (_at(document, reference.partition("#")[2]) for document in documents)
        schema = next((one for one in found if one is not None), {})
    return {}


_MOST_REFERENCES = 16


def _at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document.get(step) if isinstance(document, Mapping) else None
    return document


def _violation(error: ValidationError) -> Violation:
    branches: dict[Any, list[Violation]] = defaultdict(list)
    for inner in error.context or ():
        branches[next(iter(inner.relative_schema_path), None)].append(_violation(inner))
    return Violation(
        str(error.validator or "false"),
        error.validator_value,
        tuple(error.absolute_path),
        error.schema if isinstance(error.schema, Mapping) else {},
        error.instance,
        _is_in_key(list(error.relative_schema_path)),
        tuple(map(tuple, branches.values())),
    )


def _is_in_key(steps: list[str | int]) -> bool:
    # A property may have that name, too: then it follows `properties`.
    return any(
        step == "propertyNames" and before != "properties" for before, step in zip(["", *steps], steps, strict=False)
    )


@cache
def _validator() -> Any:
    from jsonschema import Draft7Validator
    from jsonschema.validators import extend

    return extend(Draft7Validator, {"pattern": _pattern})


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    from jsonschema import ValidationError

    if isinstance(value, str) and not _compiled(pattern).search(value):
        yield ValidationError(f"{value[:80]!r} does not match {pattern!r}")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # In a schema `$` matches only at the end; Python's also matches before a final line feed, which a name may have.
    return re.compile(_DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern))


# A dollar sign, or an escape or character class, in which a dollar sign has no special meaning.
_DOLLAR = lazy_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
