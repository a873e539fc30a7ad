"""The forms of values of keys: each with its JSON Schema and its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scoring.diagnostics.words import listed, shown
from scoring.format.keys import FileKind, JsonSchema, ReadsValues, ValueForm, keys_of, object_schema
from scoring.format.nodes import SpecNode
from scoring.registry import plugins

if TYPE_CHECKING:
    from scoring.format.front_ends import Found


VERSION_DOC = "The version: one to four numbers with dots, such as 1.2.0, perhaps with `-rc.1` or `+build` behind them"
VERSION_MEANING = f"{VERSION_DOC}. Raise it when scores may change."
WORD: JsonSchema = {"pattern": r"^[A-Za-z_]\w*$", "description": "a word of letters, digits and `_`"}
SHARED = "definitions.schema.json"
_CALL: JsonSchema = {
    "if": {"type": "object"},
    "then": {"$ref": f"{SHARED}#/definitions/call"},
    "else": {"$ref": f"{SHARED}#/definitions/steps"},
}


def plain_form(schema: JsonSchema, read: Callable[[SpecNode], Any] = SpecNode.plain) -> ValueForm:
    """Return the form of a value that matches `schema`, and that `read` reads without the rest of the file."""
    return ValueForm(lambda kind: schema, lambda building, node: read(node))


def text_of(node: SpecNode) -> str:
    """Return the text of a scalar as it is written, so that the version 1.10 does not become the number 1.1."""
    if node.value is None:
        return ""
    return node.value if isinstance(node.value, str) else node.fragment().text


def text(**schema: Any) -> ValueForm:
    """Return the form of a text; `schema` contains further keywords of its JSON Schema, such as `pattern`."""
    return plain_form({"type": "string", **schema}, text_of)


def version_text() -> ValueForm:
    """Return the form of a version; a version written as a number, such as 1.10, keeps its text."""

    def schema(kind: FileKind) -> JsonSchema:
        from scoring.project.versions import EXAMPLES, GRAMMAR, LONGEST

        bounds = {"pattern": GRAMMAR, "maxLength": LONGEST, "examples": list(EXAMPLES)}
        return {"type": ["string", "number"], **bounds}

    def read(building: ReadsValues, node: SpecNode) -> str:
        found = text_of(node)
        if isinstance(node.value, str):
            return found
        from scoring.project.versions import EXAMPLES, is_version

        if not is_version(found):  # a schema can't check a pattern of numbers such as 1e3
            message = f"{shown(found)} is not in the required form"
            examples = f"for example {listed(EXAMPLES)}"
            building.diagnostics.error("bad-text", message, node.span, VERSION_DOC, help=examples)
        return found

    return ValueForm(schema, read)


def number_form(kind: str = "number", **bounds: float) -> ValueForm:
    """Return the form of a number of the JSON type `kind`; `bounds` are keywords of JSON Schema, such as `minimum`."""
    return plain_form({"type": kind, **bounds})


def one_of(*words: str | int) -> ValueForm:
    """Return the form of a value that is one of `words`."""
    return plain_form({"enum": list(words)})


def list_of(inner: ValueForm, *, unique: bool = False) -> ValueForm:
    """Return the form of a list of `inner` values, read as a tuple; a single value, if allowed, is one item."""

    def schema(kind: FileKind) -> JsonSchema:
        return {"type": "array", "items": inner.schema(kind), **({"uniqueItems": True} if unique else {})}

    return ValueForm(schema, lambda building, node: tuple(inner.read(building, item) for item in items_of(node)))


def map_of(inner: ValueForm, *, names: JsonSchema | None = None) -> ValueForm:
    """Return the form of a mapping from names that the author chooses, of the schema `names`, to `inner` values."""

    def schema(kind: FileKind) -> JsonSchema:
        more = {"propertyNames": names} if names else {}
        return {"type": "object", "additionalProperties": inner.schema(kind), **more}

    def read(building: ReadsValues, node: SpecNode) -> dict[str, Any]:
        return {name: inner.read(building, item) for name, item in node.entries.items()}

    return ValueForm(schema, read, tuple((f"*.{way}".rstrip("."), owner) for way, owner in inner.inside))


def section(owner: type) -> ValueForm:
    """Return the form of a mapping with the keys of `owner`, a class of the model, read as an instance of it."""
    return ValueForm(
        lambda kind: {"type": "object", **object_schema(owner, kind)},
        lambda building, node: building.make(owner, node),
        (("", owner),),
    )


def short_or_long(short: ValueForm, long: ValueForm, of: Callable[[Any], Any]) -> ValueForm:
    """Return the form of a value that is a mapping (`long`) or else `short`, which `of` converts to the long result."""

    def schema(kind: FileKind) -> JsonSchema:
        then, other = dict(long.schema(kind)), dict(short.schema(kind))
        types = [other.pop("type"), then.pop("type")]
        return {"type": types, "if": {"type": "object"}, "then": then, "else": other}

    def read(building: ReadsValues, node: SpecNode) -> Any:
        return long.read(building, node) if node.is_mapping else of(short.read(building, node))

    return ValueForm(schema, read, long.inside)


def plugin_name_form(known: Callable[[Found], Iterable[str]]) -> ValueForm:
    """Return the form of the name of a plug-in, one of those that `known` finds in the installed packages."""

    def read(building: ReadsValues, node: SpecNode) -> str:
        name = text_of(node)
        # Other packages are searched only for names that are not our own.
        if name not in known(plugins.own) and name not in known(plugins.every):
            from scoring.diagnostics.suggest import did_you_mean

            names = list(known(plugins.every))
            expected = f"expected {listed(names, 'or')}, found" if names else "no installed package provides"
            help_text = f"{'or ' if names else ''}install the package that provides it"
            label = did_you_mean(name, names)
            building.diagnostics.error("unknown-value", f"{expected} {shown(name)}", node.span, label, help=help_text)
        return name

    return ValueForm(lambda kind: {"type": "string", "examples": list(known(plugins.own))}, read)


def expression(read: Callable[[ReadsValues, SpecNode], Any], *more: str) -> ValueForm:
    """Return the form of an expression as text, list or mapping, or as one of the JSON types `more`."""
    return ValueForm(lambda kind: {"type": ["string", "array", "object", *more], **_CALL}, read)


def items_of(node: SpecNode | None) -> list[SpecNode]:
    """Return the items of a list; for any other value, a list with only that; for None, an empty list."""
    if node is None:
        return []
    return node.items if node.is_list else [node]


def call_or(owner: type, kind: FileKind, word: str) -> JsonSchema:
    """Return the schema of an expression or of its long form: a mapping that has it under the key `word`.

    A mapping is taken as the long form if all its keys are keys of the class `owner`; any other mapping is a call.
    """
    keys = "|".join(key.name for key in keys_of(owner, kind))
    return {
        "type": ["string", "array", "object", "null"],
        "if": {"type": "object", "not": {"propertyNames": {"not": {"pattern": f"^({keys})$"}}}},
        "then": {**object_schema(owner, kind), "required": [word]},
        "else": _CALL,
    }


def definitions(owner: type, role: Any, word: str) -> ValueForm:
    """Return the form of a mapping from names to definitions with one role, which have the keys of `owner` and the
    expression under the key `word`, or are just the expression."""
    words = {"pipeline": word}

    def schema(kind: FileKind) -> JsonSchema:
        return named_expressions(owner, kind, word, words)

    return ValueForm(schema, lambda building, node: building.define(role, word, node), (("*", owner),), words)


def named_expressions(owner: type, kind: FileKind, word: str, words: Mapping[str, str] | None = None) -> JsonSchema:
    """Return the schema of a mapping from names to expressions, or to mappings with an expression under the key
    `word`."""
    inner = {
        "type": ["string", "array", "object"],
        "if": {"type": "object", "required": [word]},
        "then": object_schema(owner, kind, words or {}),
        "else": _CALL,
    }
    return {"type": "object", "additionalProperties": inner, "propertyNames": WORD}


NAME_PATTERN = r"^\w[\w.-]*(/\w[\w.-]*)*$"
"""The pattern of a spec's name."""
DOC = "What this is, for human readers."
TEXT = text()
PATH = text(minLength=1)
SCALAR = plain_form({"type": ["string", "boolean", "number"]})
"""A text, a boolean or a number, unchanged."""
FLAG = plain_form({"type": "boolean"}, lambda node: bool(node.value))
ANY_MAPPING = plain_form({"type": "object"})
PIPELINE = expression(lambda building, node: building.pipeline(node))
SCORED = expression(lambda building, node: building.scored(node))
COMPUTED = expression(lambda building, node: building.computed(node))
SOURCE = ValueForm(lambda kind: {"type": "string", "minLength": 1}, lambda building, node: building.source(node))
AGGREGATE = expression(lambda building, node: building.aggregate(node))
METRIC = expression(lambda building, node: building.metric(node))
CONDITION = ValueForm(lambda kind: {"type": ["string", "boolean"]}, lambda building, node: building.formula(node))
