"""`scoring fmt`: write expressions in their canonical text."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import add


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add(parser, "specs")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file would change")
    parser.add_argument("--diff", action="store_true", help="show what would change, and change nothing")
    add(parser, "--format")


def run(options: argparse.Namespace, console: Console) -> int:
    """Format every file that can be read; show the findings of the others."""
    from scoring.api.specs import fmt
    from scoring.cli.findings import show
    from scoring.diagnostics.words import counted

    dry = options.check or options.diff
    found = fmt(options.specs, write=not dry)
    console.remarks(found.skipped)
    for change in found.changes:
        if options.diff:
            console.out.write(change.diff())
        else:
            console.print(f"{'would format' if dry else 'formatted'} {change.path}")
    show(found.findings, console, options.format)
    if not found.changes and not found.findings:
        console.print(f"{counted(len(found.files), 'file')} already formatted")
    return FINDINGS if found.findings or (dry and found.changes) else CLEAN
