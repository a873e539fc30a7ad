"""`scoring remove`: take a pack out of the project file and the lock."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("name", metavar="NAME", help="the name by which specs import it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Edit the project file and write the lock."""
    from scoring.api import remove
    from scoring.cli.synced import show_change

    show_change(remove(options.name), options, console)
    return CLEAN
