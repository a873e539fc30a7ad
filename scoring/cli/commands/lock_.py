"""`scoring lock`: pin what a spec means, and every pack that it imports, by digest."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console
from scoring.cli.options import add


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    what = "tasks, packs or suites; each is pinned in the lock of its project, or in one beside it"
    parser.add_argument("specs", nargs="*", metavar="SPEC", help=what)
    upgrade = "move the packs of the project to the newest versions within their ranges, and pin anew what it pins"
    parser.add_argument("--upgrade", action="store_true", help=upgrade)
    add(parser, "--dialect", "--format")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the lock of each file; a broken one is shown, and gets none."""
    from scoring.api import lock
    from scoring.cli.findings import show
    from scoring.diagnostics.words import counted

    found = lock(options.specs, dialect=options.dialect, upgrade=options.upgrade)
    console.remarks(found.skipped)
    code = show(found.findings, console, options.format)
    for path, pinned in (*found.pinned.items(), *found.locks.items()):
        console.print(f"{path}  {counted(len(pinned.packs), 'pack')} pinned")
        console.print(f"  meaning {pinned.meaning[:16]}", "dim")
        console.print(f"  env {pinned.env}", "dim")
        for pack, pin in pinned.packs.items():
            console.print(f"  {pack} {pin}", "dim")
    return code
