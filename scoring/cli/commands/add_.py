"""`scoring add`: name a pack in the project file, fetch it, lock it."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        help="a folder, `git+https://host/repository@v1.0.0#path`, `dist:NAME>=1`, `https://…`, `s3://…`, or `NAME@1`",
    )
    parser.add_argument("--as", dest="alias", metavar="NAME", help="the name by which specs import it")
    parser.add_argument("--pack", metavar="NAME", help="which pack, where the address has several")
    parser.add_argument("--version", metavar="RANGE", help="the range of its versions, such as `1` or `>=1.2,<2`")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Edit the project file, write lock and store, and say what to import."""
    from scoring.api import add
    from scoring.cli.synced import show_change

    found = add(options.address, alias=options.alias, pack=options.pack, version=options.version)
    show_change(found, options, console)
    return CLEAN
