"""`scoring upgrade`: move packs to newer versions, and say what that moves."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the pack; all by default")
    parser.add_argument("--version", metavar="RANGE", help="its new range, such as `2`")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Edit the project file where it names tags or a new range, and write lock and store."""
    from scoring.api import upgrade
    from scoring.cli.synced import show_change

    show_change(upgrade(options.name, version=options.version), options, console)
    return CLEAN
