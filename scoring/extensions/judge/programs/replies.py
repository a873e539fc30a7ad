"""Reading a judge's reply: its JSON object, its first number, or its text; and checking it against a schema.

A judge program names one of the readers: ``json`` (with a schema), ``integer`` (the first signed integer of the
text), ``digit`` (the first character), ``text``. An unreadable reply is an invalid reply, never a verdict. Schemas
use a small subset of JSON Schema on purpose: they are checked without following references and without regular
expressions, and every violation has a one-word category that reports can count. A schema with any other keyword is
rejected when it is loaded.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from scoring.data.json_schema import Violation, violations
from scoring.depth import in_full_depth, nests_too_deep
from scoring.extensions.judge.calls import InvalidReply
from scoring.extensions.judge.programs.fitting import fits_of
from scoring.lazy_pattern import lazy_pattern

MAX_REPLY = 1_000_000
_INTEGER = lazy_pattern(r"[+-]?\d+")
_MAX_DIGITS = 18


class ReplyReader:
    """A reader that turns the text of a judge's reply into a value and checks it, as the `reply` of a question
    declares.

    Args:
        declared: A mapping of one entry: the reader's name (json, integer, digit or text), and its schema or bounds.

    Examples:
        >>> reader = ReplyReader({"integer": {"minimum": 1, "maximum": 5}})
        >>> reader.read("Score: 4 out of 5", {})
        4
    """

    def __init__(self, declared: Mapping[str, Any]) -> None:
        if len(declared) != 1 or next(iter(declared)) not in _READ:
            raise ValueError(f"`reply` names one of {', '.join(_READ)}, not {', '.join(map(str, declared))}")
        ((self.kind, self.schema),) = declared.items()
        check_schema(self.schema)
        # Most schemas have no list whose length depends on another list, and are the same for every record.
        self._fixed = None if names_of_counted_lists(self.schema) else concrete(self.schema, len)
        self._fits = None if self._fixed is None else fits_of(self._fixed)

    def schema_for(self, count: Callable[[str], int]) -> dict[str, Any] | None:
        """Return the JSON schema that the judge's reply must satisfy, None if the reply is not JSON; `count` returns
        the length of the list of a given name.
        """
        return self._fixed or concrete(self.schema, count) if self.kind == "json" else None

    def specimen(self, path: str) -> Any:
        """Return a sample of the value at a path in a reply; the placeholder ANYTHING if its type can't be determined.

        Raises:
            InvalidReply: when no reply that satisfies the schema has the path.
        """
        whole = specimen(self.schema) if self.kind == "json" else "text" if self.kind == "text" else 1
        return read_reply_path(whole, path)

    def read(self, text: str, schema: ReplySchema | None) -> Any:
        """Return the value that the text of a reply contains; `schema` is what `schema_for` returned.

        Raises:
            InvalidReply: when there is no value, or it does not satisfy the schema.
        """
        if len(text) > MAX_REPLY:
            raise InvalidReply("too_long", f"the reply has {len(text):,} characters")
        value = _READ[self.kind](text)
        if self._fits is None or not self._fits(value):
            check_reply(value, (schema or {}) if self.kind == "json" else self.schema)
        return value


def read_reply_path(value: Any, path: str) -> Any:
    """Return the value in a reply (`value`) at a path such as ``verdicts[].verdict``, which gives a list; ``@`` is the
    reply itself.

    Raises:
        InvalidReply: when the reply has no value at the path.
    """
    if path in ("", "@"):
        return value
    head, _, rest = path.partition(".")
    name = head.removesuffix("[]")
    try:
        inner = value[name] if name else value
        return [read_reply_path(item, rest) for item in inner] if head.endswith("[]") else read_reply_path(inner, rest)
    except (KeyError, TypeError, IndexError):
        raise InvalidReply("missing_key", f"the reply has no `{path}`") from None


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text contains from its first opening to its last closing brace; all around it is
    ignored.

    Raises:
        InvalidReply: when there are no braces (no_json_object) or no JSON between them (invalid_json).

    Examples:
        >>> json_object('Sure! {"verdicts": []} Anything else?')
        {'verdicts': []}
    """
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidReply("no_json_object", "the reply has no JSON object")
    try:
        if nests_too_deep(text[start : end + 1]):
            raise ValueError("too deep")
        found: dict[str, Any] = in_full_depth(json.loads, text[start : end + 1])
    except (ValueError, RecursionError):
        raise InvalidReply("invalid_json", "the text between the braces is not JSON") from None
    return found


def _first_integer(text: str) -> int:
    found = _INTEGER.search(text)
    if found is None:
        raise InvalidReply("no_integer", "the reply has no whole number")
    if len(found[0]) > _MAX_DIGITS:
        raise InvalidReply("out_of_range", f"the number has more than {_MAX_DIGITS} digits")
    return int(found[0])


def _first_digit(text: str) -> int:
    first = text.strip()[:1]
    if not first.isdecimal():
        raise InvalidReply("no_integer", "the reply does not start with a digit")
    return int(first)


_READ: dict[str, Callable[[str], Any]] = {
    "json": json_object,
    "integer": _first_integer,
    "digit": _first_digit,
    "text": str.strip,
}


# ---- schemas

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
    """A value of unknown type, with which formulas are tried; every item in it is unknown, too."""

    def __getitem__(self, _: object) -> _Anything:
        return self

    def __iter__(self) -> Iterator[_Anything]:
        return iter((self,))


# The sample of a value about which nothing is known before the judge is asked.
ANYTHING = _Anything()


class SchemaError(ValueError):
    """The error that a reply schema uses an unsupported keyword or type, with its location."""


def check_schema(schema: Any, where: str = "reply", depth: int = 0) -> None:
    """Check that a schema for replies uses only the supported subset of JSON Schema.

    Args:
        schema: The schema.
        where: Its location, for messages.
        depth: The number of schemas that it is nested in.

    Raises:
        SchemaError: when the schema uses anything else; the message has the location and the keyword.

    Examples:
        >>> check_schema({"type": "object", "properties": {"n": {"type": "integer"}}})
        >>> check_schema({"$ref": "http://example.org"})
        Traceback (most recent call last):
        scoring.extensions.judge.programs.replies.SchemaError: reply: the keyword `$ref` is not supported
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


def names_of_counted_lists(schema: ReplySchema) -> list[str]:
    """Return the names of the lists whose lengths a schema requires for lists in the reply (by ``as_many_as``).

    Examples:
        >>> names_of_counted_lists({"type": "object", "properties": {"verdicts": {"as_many_as": "claims"}}})
        ['claims']
    """
    own = [str(schema[AS_MANY_AS])] if AS_MANY_AS in schema else []
    inner = [schema["items"]] if "items" in schema else []
    return own + [
        name for part in [*schema.get("properties", {}).values(), *inner] for name in names_of_counted_lists(part)
    ]


def specimen(schema: ReplySchema) -> Any:
    """Return a sample value that satisfies a schema, with which formulas are tried; the placeholder ANYTHING if the
    schema allows several types.

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
    """Return the schema with every ``as_many_as: name`` replaced by a fixed number of items, which `count` returns for
    the name.

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
    """Check that the value of a reply satisfies its schema.

    Raises:
        InvalidReply: when it does not; its category, of the first violation, is one of missing_key, extra_key,
            wrong_type, wrong_length, not_allowed, out_of_range.
    """
    for found in violations(value, _ordered(schema)):
        where = "reply" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in found.path)
        raise InvalidReply(_CATEGORIES[found.keyword], _MESSAGES[found.keyword](where, found))


def _ordered(schema: ReplySchema) -> dict[str, Any]:
    """Return the schema, reduced to the supported keywords, with these in the order in which violations are reported:
    the type first.
    """
    found = {keyword: schema[keyword] for keyword in _CATEGORIES if keyword in schema}
    if found.get("additionalProperties") is not False:
        found.pop("additionalProperties", None)
    if "properties" in schema:
        found["properties"] = {name: _ordered(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        found["items"] = _ordered(schema["items"])
    return found


def _bound(word: str, what: str, size: Callable[[Any], Any]) -> Callable[[str, Violation], str]:
    return lambda where, found: f"{what}{where} is {size(found.value)}, {word} {found.wanted} expected"


_CATEGORIES = {
    "type": "wrong_type",
    **dict.fromkeys(("enum", "const"), "not_allowed"),
    "required": "missing_key",
    "additionalProperties": "extra_key",
    **dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength"), "wrong_length"),
    **dict.fromkeys(("minimum", "maximum"), "out_of_range"),
}
_MESSAGES: dict[str, Callable[[str, Violation], str]] = {
    "type": lambda where, found: (
        f"{where} should be {found.wanted if isinstance(found.wanted, str) else ' or '.join(found.wanted)}"
    ),
    "enum": lambda where, found: f"{where} should be one of {', '.join(map(str, found.wanted))}",
    "const": lambda where, found: f"{where} should be {found.wanted}",
    "required": lambda where, found: (
        f"{where} has no `{next(name for name in found.wanted if name not in found.value)}`"
    ),
    "additionalProperties": lambda where, found: f"{where} has an unexpected key",
    "minItems": _bound("at least", "the number of items of ", len),
    "maxItems": _bound("at most", "the number of items of ", len),
    "minLength": _bound("at least", "the length of ", len),
    "maxLength": _bound("at most", "the length of ", len),
    "minimum": _bound("at least", "", lambda value: value),
    "maximum": _bound("at most", "", lambda value: value),
}
