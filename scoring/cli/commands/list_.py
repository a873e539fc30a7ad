"""`scoring list`: the primitives, packs and scorers there are."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("what", nargs="?", help="a kind (transform, comparator, …), a family, `packs`, or a pack")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """List primitives, all or of one kind or family; or packs; or the scorers of a pack."""
    from scoring.registry import registry
    from scoring.report.of.names import primitives_document
    from scoring.report.reference import KINDS, primitive_data

    primitives = list(registry)
    families = sorted({primitive.family for primitive in primitives})
    what = options.what
    if what == "packs" or (what and what not in KINDS and what not in families):
        from scoring.cli.pack_list import list_packs

        return list_packs(what, options, console, [*KINDS, *families, "packs"])
    chosen = [
        primitive
        for primitive in primitives
        if (what is None and primitive.family != "upstream") or what in (primitive.kind, primitive.family)
    ]
    if not chosen:
        raise UsageError(f"there is no primitive of kind or family `{what}`")
    data = [primitive_data(primitive) for primitive in chosen]
    if options.json:
        console.json(data)
    else:
        console.show(primitives_document(data), options.form)
    return CLEAN
