"""`scoring list`: the primitives, packs and scorers there are."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError

if TYPE_CHECKING:
    from scoring.registry.model import Primitive


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("what", nargs="?", help="a kind (transform, comparator, …), a family, `packs`, or a pack")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """List primitives, all or of one kind or family; or packs; or the scorers of a pack."""
    from scoring.registry import registry
    from scoring.report.primitive_text import KINDS

    primitives = list(registry)
    families = sorted({primitive.family for primitive in primitives})
    what = options.what
    if what == "packs" or (what and what not in KINDS and what not in families):
        from scoring.cli.pack_list import list_packs

        return list_packs(what, options.json, console, [*KINDS, *families, "packs"])
    chosen = [
        primitive
        for primitive in primitives
        if (what is None and primitive.family != "upstream") or what in (primitive.kind, primitive.family)
    ]
    if not chosen:
        raise UsageError(f"there is no primitive of kind or family `{what}`")
    if options.json:
        console.json([primitive_data(primitive) for primitive in chosen])
    else:
        console.print(_table(chosen, console))
    return CLEAN


def _table(primitives: list[Primitive], console: Console) -> str:
    from scoring.report.primitive_text import arrow
    from scoring.report.table import table

    rows = [[found.name, found.kind, found.family, arrow(found), found.doc.summary] for found in primitives]
    return table(rows, ["name", "kind", "family", "type", ""], style=console.style)


def primitive_data(primitive: Primitive) -> dict[str, object]:
    """A primitive as plain data."""
    from scoring.report.primitive_text import arrow, param_default, param_kind

    return {
        "name": primitive.name,
        "kind": primitive.kind,
        "family": primitive.family,
        "type": arrow(primitive),
        "summary": primitive.doc.summary,
        "source": primitive.doc.source,
        "parameters": [
            {"name": param.name, "takes": param_kind(param), "default": param_default(param), "doc": param.doc}
            for param in primitive.params
        ],
    }
