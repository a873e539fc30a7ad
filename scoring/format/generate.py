"""The files that are generated from the registry by this layer and below: the JSON Schemas, the registry's index."""

from __future__ import annotations

from scoring.format.schema import KINDS, text_of
from scoring.registry import registry

INDEX = "scoring/registry/index.py"


def registry_files() -> dict[str, str]:
    """The text of each generated file, by its path in the repository."""
    return {INDEX: registry.index_text(), **{f"schemas/{kind}.schema.json": text_of(kind) for kind in KINDS}}
