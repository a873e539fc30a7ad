"""`scoring list`: the primitives, packs and scorers there are."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add_form


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("what", nargs="?", help="a kind (transform, comparator, …), a family, `packs`, or a pack")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """List primitives, all or of one kind or family; or packs; or the scorers of a pack."""
    from scoring.api.listing import listing

    console.result(listing(options.what), options)
    return CLEAN
