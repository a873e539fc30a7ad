"""The files that are generated from the registry by this layer: the JSON Schemas."""

from __future__ import annotations

from scoring.spec.schema import KINDS, text_of


def schema_files() -> dict[str, str]:
    """The text of each generated schema, by its path in the repository."""
    return {f"schemas/{kind}.schema.json": text_of(kind) for kind in KINDS}
