"""Plain data against JSON Schema (draft-07, the part that this project writes): a quick yes, or each violation.

Specs are held to their format by it, judges' replies to the schema of their program. Only the keywords listed at the
end of this file are known; a schema with any other is refused, never half obeyed. A property test holds this to
what the package `jsonschema` says. References stay inside the schema, or lead into the documents given beside it:
nothing is ever fetched.

Source:
    https://json-schema.org/draft-07/json-schema-validation
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from operator import ge, gt, le, lt
from typing import Any, Literal, NamedTuple, TypeAlias

from scoring.late import dataclass
from scoring.values import is_number, key_of

Schema: TypeAlias = Mapping[str, Any] | bool
SchemaStep: TypeAlias = str | int


class UnknownSchema(ValueError):
    """A schema with a keyword or a reference that is not known here."""


class References(NamedTuple):
    """Where references lead: the document that they stand in, and the documents beside it."""

    document: Mapping[str, Any]
    beside: Mapping[str, Mapping[str, Any]]

    def follow(self, schema: Schema) -> tuple[Schema, References]:
        """A schema with its references followed, and the scope that it stands in.

        Raises:
            UnknownSchema: When a reference leads nowhere, or round in circles.
        """
        scope = self
        for _ in range(_MOST_REFERENCES):
            # In draft-07 a reference hides the keywords beside it.
            reference = schema.get("$ref") if isinstance(schema, Mapping) else None
            if reference is None:
                return schema, scope
            schema, scope = scope._referred(reference)
        raise UnknownSchema("references lead round in circles")

    def _referred(self, reference: str) -> tuple[Schema, References]:
        name, _, pointer = reference.partition("#")
        scope = self if not name else References(self.beside.get(name, {}), self.beside)
        found: Any = scope.document
        for step in pointer.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            found = found.get(step) if isinstance(found, Mapping) else None
        if not isinstance(found, (Mapping, bool)) or (name and name not in self.beside):
            raise UnknownSchema(f"the reference `{reference}` leads nowhere")
        return found, scope


@dataclass(frozen=True, slots=True)
class Violation:
    """One keyword of a schema that a value does not follow.

    Args:
        keyword: Its name; `false` where the schema is simply `false`.
        wanted: What the schema gives it.
        path: Keys and indices that lead to the value.
        schema: The schema in which it stands.
        scope: Where the references of that schema lead.
        value: The value, or the name where a key is at fault.
        in_key: Whether a key of the mapping at `path` is at fault.
        branches: For `anyOf` and `oneOf`, what is wrong with each of the alternatives.
    """

    keyword: str
    wanted: Any
    path: tuple[SchemaStep, ...]
    schema: Mapping[str, Any]
    scope: References
    value: Any
    in_key: bool = False
    branches: tuple[tuple[Violation, ...], ...] = ()


def accepts(data: Any, schema: Schema, beside: Mapping[str, Mapping[str, Any]] | None = None) -> bool:
    """Whether plain data follow a schema.

    Raises:
        UnknownSchema: for a keyword or a reference that is not known here.

    Examples:
        >>> accepts({"a": 1}, {"type": "object", "properties": {"a": {"type": "number"}}})
        True
        >>> accepts([1, "x"], {"items": {"type": "integer"}})
        False
        >>> accepts(2, {"$ref": "other.json#/small"}, {"other.json": {"small": {"maximum": 1}}})
        False
    """
    return _ok(data, schema, References(schema if isinstance(schema, Mapping) else {}, beside or {}))


def violations(data: Any, schema: Schema, beside: Mapping[str, Mapping[str, Any]] | None = None) -> Iterator[Violation]:
    """Everything that is wrong with plain data, in the order of the schema; arguments as for `accepts`.

    Raises:
        UnknownSchema: for a keyword or a reference that is not known here.

    Examples:
        >>> [(v.keyword, v.path) for v in violations({"a": [1, "x"]}, {"properties": {"a": {"items": {"const": 1}}}})]
        [('const', ('a', 1))]
    """
    return _violations(data, schema, References(schema if isinstance(schema, Mapping) else {}, beside or {}), ())


_MOST_REFERENCES = 16


def _ok(data: Any, schema: Schema, scope: References) -> bool:
    schema, scope = scope.follow(schema)
    if isinstance(schema, bool):
        return schema
    for keyword, value in schema.items():
        holds, parts = _known(keyword)
        if holds is not None and not holds(data, value, schema, scope):
            return False
        if parts is not None and not all(_ok(one.data, one.schema, scope) for one in parts(data, value, schema, scope)):
            return False
    return True


def _violations(data: Any, schema: Schema, scope: References, path: tuple[SchemaStep, ...]) -> Iterator[Violation]:
    schema, scope = scope.follow(schema)
    if isinstance(schema, bool):
        if not schema:
            yield Violation("false", None, path, {}, scope, data)
        return
    for keyword, value in schema.items():
        holds, parts = _known(keyword)
        if holds is not None and not holds(data, value, schema, scope):
            branches: tuple[tuple[Violation, ...], ...] = ()
            if keyword in ("anyOf", "oneOf"):
                branches = tuple(tuple(_violations(data, inner, scope, path)) for inner in value)
            yield Violation(keyword, value, path, schema, scope, data, branches=branches)
        for one in parts(data, value, schema, scope) if parts is not None else ():
            inside = path if one.step is None else (*path, one.step)
            for found in _violations(one.data, one.schema, scope, inside):
                yield replace(found, in_key=True) if keyword == "propertyNames" else found


def _known(keyword: str) -> tuple[_Holds | None, _Parts | None]:
    known = _KEYWORDS.get(keyword)
    if known is not None:
        return known
    if keyword in _SILENT or keyword.startswith("x-"):
        return None, None
    raise UnknownSchema(f"the keyword `{keyword}` is not known here")


# ---- what a value must be

_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda data: isinstance(data, str),
    "number": is_number,
    "integer": lambda data: is_number(data) and (isinstance(data, int) or data.is_integer()),
    "boolean": lambda data: isinstance(data, bool),
    "array": lambda data: isinstance(data, list),
    "object": lambda data: isinstance(data, dict),
    "null": lambda data: data is None,
}


def surplus(data: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """The keys of a mapping that its schema names neither itself nor by a pattern."""
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return [key for key in data if key not in known and not any(_compiled(each).search(key) for each in patterns)]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    # In a schema `$` is the end of the text; Python's also stands before a last line end, and names could end in one.
    return re.compile(_DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern))


# A dollar sign outside of escapes and classes of characters, or what is to be passed over on the way to one.
_DOLLAR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


# ---- the values inside a value, and what each of them must be


class _Part(NamedTuple):
    step: SchemaStep | None
    data: Any
    schema: Schema


def _of_map(data: Any) -> Iterable[tuple[str, Any]]:
    return data.items() if isinstance(data, dict) else ()


def _items(data: Any, value: Any, schema: Any, scope: References) -> Iterator[_Part]:
    if isinstance(value, list):
        raise UnknownSchema("a list of `items` is not known here")
    if isinstance(data, list):
        yield from (_Part(index, item, value) for index, item in enumerate(data))


# ---- the keywords

_Holds: TypeAlias = Callable[[Any, Any, Any, References], bool]
_Parts: TypeAlias = Callable[[Any, Any, Any, References], Iterable[_Part]]
_Bound: TypeAlias = Callable[[Any, Any], bool]


def _sized(kind: Literal["string", "array", "object"], holds: _Bound) -> _Holds:
    is_kind = _TYPES[kind]
    return lambda data, value, schema, scope: not is_kind(data) or holds(len(data), value)


def _compared(holds: _Bound) -> _Holds:
    return lambda data, value, schema, scope: not is_number(data) or holds(data, value)


_HOLDS: dict[str, _Holds] = {
    "type": lambda data, value, schema, scope: any(
        _TYPES[name](data) for name in ([value] if isinstance(value, str) else value)
    ),
    "enum": lambda data, value, schema, scope: any(key_of(data) == key_of(member) for member in value),
    "const": lambda data, value, schema, scope: bool(key_of(data) == key_of(value)),
    "required": lambda data, value, schema, scope: not isinstance(data, dict) or all(key in data for key in value),
    "additionalProperties": lambda data, value, schema, scope: (
        value is not False or not isinstance(data, dict) or not surplus(data, schema)
    ),
    "uniqueItems": lambda data, value, schema, scope: (
        not value or not isinstance(data, list) or len(set(map(key_of, data))) == len(data)
    ),
    "anyOf": lambda data, value, schema, scope: any(_ok(data, inner, scope) for inner in value),
    "oneOf": lambda data, value, schema, scope: sum(_ok(data, inner, scope) for inner in value) == 1,
    "not": lambda data, value, schema, scope: not _ok(data, value, scope),
    "pattern": lambda data, value, schema, scope: not isinstance(data, str) or bool(_compiled(value).search(data)),
    "minLength": _sized("string", ge),
    "maxLength": _sized("string", le),
    "minItems": _sized("array", ge),
    "maxItems": _sized("array", le),
    "minProperties": _sized("object", ge),
    "maxProperties": _sized("object", le),
    "minimum": _compared(ge),
    "maximum": _compared(le),
    "exclusiveMinimum": _compared(gt),
    "exclusiveMaximum": _compared(lt),
    "multipleOf": _compared(lambda data, bound: data % bound == 0),
}
_PARTS: dict[str, _Parts] = {
    "properties": lambda data, value, schema, scope: (
        _Part(key, held, value[key]) for key, held in _of_map(data) if key in value
    ),
    "additionalProperties": lambda data, value, schema, scope: (
        _Part(key, data[key], value)
        for key in (surplus(data, schema) if isinstance(value, Mapping) and isinstance(data, dict) else ())
    ),
    "patternProperties": lambda data, value, schema, scope: (
        _Part(key, held, value[one]) for one in value for key, held in _of_map(data) if _compiled(one).search(key)
    ),
    "propertyNames": lambda data, value, schema, scope: (_Part(None, key, value) for key, _ in _of_map(data)),
    "items": _items,
    "if": lambda data, value, schema, scope: (
        _Part(None, data, schema.get("then" if _ok(data, value, scope) else "else", True)),
    ),
    "allOf": lambda data, value, schema, scope: (_Part(None, data, inner) for inner in value),
}
_KEYWORDS = {name: (_HOLDS.get(name), _PARTS.get(name)) for name in chain(_HOLDS, _PARTS)}

# Keywords that say nothing about validity, or that another keyword's check reads.
_SILENT = {
    "$schema", "$id", "$comment", "title", "description", "markdownDescription", "default", "defaultSnippets",
    "examples", "definitions", "then", "else", "enumDescriptions", "markdownEnumDescriptions", "errorMessage",
    "doNotSuggest", "deprecationMessage",
}  # fmt: skip
