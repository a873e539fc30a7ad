"""`scoring list`: the primitives, packs and scorers there are."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add_form


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "what",
        nargs="?",
        help="a kind (transform, comparator, …), a topic, a family, `topics`, `recipes`, `packs`, or a pack",
    )
    parser.add_argument("--about", metavar="WORDS", help="look for words, such as `word error rate`: best first")
    parser.add_argument("--outdated", action="store_true", help="of packs: what is locked, and what newer versions are")
    parser.add_argument("--offline", action="store_true", help="with that, ask nothing but this machine")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """List primitives, all or of one kind, topic or family; or packs; or the scorers of a pack; or look for words."""
    from scoring.api.listing import listing

    console.result(
        listing(options.what, about=options.about, outdated=options.outdated, offline=options.offline), options
    )
    return CLEAN
