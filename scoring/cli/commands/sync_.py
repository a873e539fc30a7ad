"""`scoring sync`: bring the lock and the store of a project to its project file."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("folder", nargs="?", default=".", help="a folder of the project (default: the current one)")
    parser.add_argument("--upgrade", action="store_true", help="move every pack to the newest version within its range")
    parser.add_argument("--offline", action="store_true", help="ask nothing but this machine")
    add(parser, "--frozen", "--format")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write lock and store, and say what became of the packs."""
    from scoring.api import sync
    from scoring.cli.synced import show_synced

    found = sync(options.folder, upgrade=options.upgrade, frozen=options.frozen, offline=options.offline)
    show_synced(found, options, console)
    return CLEAN
