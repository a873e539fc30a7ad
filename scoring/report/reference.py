"""The page docs/primitives.md, written from the registry."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.registry.model import Primitive
from scoring.report.primitive_text import KIND_DOCS, KINDS, markdown

_HEAD = """\
<!-- Written by `scoring generate` from the declarations of the primitives; changes here are lost. -->
# Primitives

The alphabet of the language: every name that a pipeline can use without an import. `scoring list` prints this table,
`scoring explain NAME` one entry.
"""


def reference_page(primitives: Iterable[Primitive]) -> str:
    """The whole page: an overview by kind, then every primitive by family."""
    ours = [primitive for primitive in primitives if "/" not in primitive.name]
    families = sorted({primitive.family for primitive in ours}, key=lambda family: (family == "upstream", family))
    parts = [_HEAD, _overview(ours)]
    for family in families:
        members = [primitive for primitive in ours if primitive.family == family]
        parts.append(f"## {family}")
        parts += [markdown(primitive) for primitive in members]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _overview(primitives: list[Primitive]) -> str:
    lines = []
    for kind in KINDS:
        members = [primitive for primitive in primitives if primitive.kind == kind and primitive.family != "upstream"]
        if members:
            names = ", ".join(f"[`{primitive.name}`](#{primitive.name})" for primitive in members)
            lines.append(f"- **{kind}**, {KIND_DOCS[kind]} {names}")
    return "\n".join(lines)
