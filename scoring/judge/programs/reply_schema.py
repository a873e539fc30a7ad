"""The part of JSON Schema in which a judge program says what a reply must look like.

A small subset on purpose: it is checked without recursion into references, without regular expressions, and every
violation has one word that reports can count. A schema with any other keyword is refused when it is loaded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from scoring.data.json_schema import Violation, violations
from scoring.judge.calls import InvalidReply

ReplySchema: TypeAlias = Mapping[str, Any]

AS_MANY_AS = "as_many_as"
_TYPES = {"object", "array", "string", "boolean", "integer", "number", "null"}
_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "enum", "const",
    "minimum", "maximum", "minLength", "maxLength", "description", "title", AS_MANY_AS,
}  # fmt: skip
_MAX_DEPTH = 20
_SPECIMENS = {"string": "text", "integer": 1, "number": 0.5, "boolean": True}


class _Anything:
    """Whatever is looked for in it is anything, too."""

    def __getitem__(self, _: object) -> _Anything:
        return self

    def __iter__(self) -> Iterator[_Anything]:
        return iter((self,))


# What stands for a value of which nothing is known before the judge is asked.
ANYTHING = _Anything()


class SchemaError(ValueError):
    """A reply schema that uses what is not supported: which keyword, and where."""


def check_schema(schema: Any, where: str = "reply", depth: int = 0) -> None:
    """Refuse a schema outside the subset.

    Raises:
        SchemaError: with the place and the keyword.

    Examples:
        >>> check_schema({"type": "object", "properties": {"n": {"type": "integer"}}})
        >>> check_schema({"$ref": "http://example.org"})
        Traceback (most recent call last):
        scoring.judge.programs.reply_schema.SchemaError: reply: the keyword `$ref` is not supported
    """
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        raise SchemaError(f"{where}: a schema is a mapping, at most {_MAX_DEPTH} deep")
    for keyword in schema:
        if keyword not in _KEYWORDS:
            raise SchemaError(f"{where}: the keyword `{keyword}` is not supported")
    kinds = schema.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind not in _TYPES:
            raise SchemaError(f"{where}: there is no type `{kind}`")
    for name, inner in schema.get("properties", {}).items():
        check_schema(inner, f"{where}.{name}", depth + 1)
    if "items" in schema:
        check_schema(schema["items"], f"{where}[]", depth + 1)


def counted(schema: ReplySchema) -> list[str]:
    """The names whose number of items a schema refers to.

    Examples:
        >>> counted({"type": "object", "properties": {"verdicts": {"as_many_as": "claims"}}})
        ['claims']
    """
    own = [str(schema[AS_MANY_AS])] if AS_MANY_AS in schema else []
    inner = [schema["items"]] if "items" in schema else []
    return own + [name for part in [*schema.get("properties", {}).values(), *inner] for name in counted(part)]


def specimen(schema: ReplySchema) -> Any:
    """A value of the kind that a schema wants, to try formulas on; ANYTHING where several kinds may come.

    Examples:
        >>> specimen({"type": "array", "items": {"enum": ["yes", "no"]}})
        ['yes']
    """
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if choices:
        return choices[0] if len({type(choice) for choice in choices}) == 1 else ANYTHING
    kind = schema.get("type")
    if kind == "object":
        found = {name: specimen(inner) for name, inner in schema.get("properties", {}).items()}
        return found if schema.get("additionalProperties") is False else defaultdict(lambda: ANYTHING, found)
    if kind == "array":
        return [specimen(schema.get("items", {}))]
    return _SPECIMENS.get(kind, ANYTHING) if isinstance(kind, str) else ANYTHING


def concrete(schema: ReplySchema, count: Callable[[str], int]) -> dict[str, Any]:
    """The schema with every ``as_many_as: name`` replaced by the number of items that the name has now.

    Examples:
        >>> concrete({"type": "array", "as_many_as": "claims"}, {"claims": 3}.__getitem__)
        {'type': 'array', 'minItems': 3, 'maxItems': 3}
    """
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == AS_MANY_AS:
            found["minItems"] = found["maxItems"] = count(value)
        elif keyword == "properties":
            found[keyword] = {name: concrete(inner, count) for name, inner in value.items()}
        elif keyword == "items":
            found[keyword] = concrete(value, count)
        else:
            found[keyword] = value
    return found


def check_reply(value: Any, schema: ReplySchema) -> None:
    """Hold a reply against its schema.

    Raises:
        InvalidReply: with the first violation; its category is one of missing_key, extra_key, wrong_type,
            wrong_length, not_allowed, out_of_range.
    """
    for found in violations(value, _ordered(schema)):
        where = "reply" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in found.path)
        raise InvalidReply(_CATEGORIES[found.keyword], _MESSAGES[found.keyword](where, found))


def _ordered(schema: ReplySchema) -> dict[str, Any]:
    """The schema with its keywords in the order in which violations are told: the kind of a value first."""
    found = {keyword: schema[keyword] for keyword in _CATEGORIES if keyword in schema}
    if found.get("additionalProperties") is not False:
        found.pop("additionalProperties", None)
    if "properties" in schema:
        found["properties"] = {name: _ordered(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        found["items"] = _ordered(schema["items"])
    return found


def _bound(word: str, what: str, size: Callable[[Any], Any]) -> Callable[[str, Violation], str]:
    return lambda where, found: f"{what}{where} is {size(found.value)}, {word} {found.wanted} wanted"


def _missing(where: str, found: Violation) -> str:
    return f"{where} has no `{next(name for name in found.wanted if name not in found.value)}`"


def _kinds(where: str, found: Violation) -> str:
    return f"{where} should be {found.wanted if isinstance(found.wanted, str) else ' or '.join(found.wanted)}"


_CATEGORIES = {
    "type": "wrong_type",
    "enum": "not_allowed",
    "const": "not_allowed",
    "required": "missing_key",
    "additionalProperties": "extra_key",
    "minItems": "wrong_length",
    "maxItems": "wrong_length",
    "minLength": "wrong_length",
    "maxLength": "wrong_length",
    "minimum": "out_of_range",
    "maximum": "out_of_range",
}
_MESSAGES: dict[str, Callable[[str, Violation], str]] = {
    "type": _kinds,
    "enum": lambda where, found: f"{where} should be one of {', '.join(map(str, found.wanted))}",
    "const": lambda where, found: f"{where} should be {found.wanted}",
    "required": _missing,
    "additionalProperties": lambda where, found: f"{where} has a key that does not belong there",
    "minItems": _bound("at least", "the number of items of ", len),
    "maxItems": _bound("at most", "the number of items of ", len),
    "minLength": _bound("at least", "the length of ", len),
    "maxLength": _bound("at most", "the length of ", len),
    "minimum": _bound("at least", "", lambda value: value),
    "maximum": _bound("at most", "", lambda value: value),
}
