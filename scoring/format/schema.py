"""The structure of spec files, checked against the generated JSON Schemas under ``schemas/``."""

from __future__ import annotations

import json
from functools import cache

from scoring.diagnostics.diagnostic import Diagnostic, Diagnostics, diagnostic
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import listed, shown
from scoring.format.build import file_kind
from scoring.format.forms import SHARED
from scoring.format.keys import KINDS, TABLE, JsonSchema, object_schema, search_sections
from scoring.format.model import class_of
from scoring.format.nodes import SpecNode
from scoring.format.shipped import data_folder
from scoring.format.validate import validate
from scoring.registry.extension import find_service
from scoring.registry.plugins import KIND_WORDS


def schema_name(file: str) -> str:
    """Return the name of the schema's file for one kind of file: ``task``, ``pack``, or a kind of an extension."""
    return f"{file}.schema.json"


def check_structure(node: SpecNode) -> None:
    """Check a file, given its root node, against the JSON Schema of its kind.

    Raises:
        SpecError: when there are mistakes; each is located at its key or value.
    """
    kind = file_kind(node)
    file = kind if kind in KIND_WORDS else "task"
    others = {SHARED: _committed(SHARED)}

    def in_another_kind(path: tuple[str | int, ...], name: str, value: SpecNode) -> Diagnostic | None:
        from scoring.format.table import misplaced_key

        advice = find_service("key-advice") or (lambda *_: None)
        return misplaced_key(kind, path, name, value) or advice(kind, path, name, value)

    def of_kind() -> JsonSchema:
        return {"type": "object", **object_schema(class_of(kind), kind)}

    found = validate(
        node, _committed(schema_name(file)) if kind in (*KINDS, TABLE) else of_kind(), others, in_another_kind
    )
    if found.has_errors and kind != TABLE and search_sections():
        found = validate(node, of_kind(), others, in_another_kind)
    stated = node.get("kind")
    if found.has_errors and stated is not None and isinstance(stated.value, str) and stated.value not in KIND_WORDS:
        # A schema is that of one kind of file; for an unknown kind, the message lists all kinds.
        found = Diagnostics(_no_kind(stated, stated.value) if one.span == stated.span else one for one in found)
    found.raise_errors()


def _no_kind(node: SpecNode, word: str) -> Diagnostic:
    message = f"expected {listed(KIND_WORDS)}, found the text {shown(word)}"
    return diagnostic("error", "unknown-value", message, node.span, did_you_mean(word, KIND_WORDS))


@cache
def _committed(name: str) -> JsonSchema:
    """Return the generated schema in the file `name`, so that a check need not import all primitives."""
    loaded: JsonSchema = json.loads((data_folder("schemas") / name).read_text(encoding="utf-8"))
    return loaded
