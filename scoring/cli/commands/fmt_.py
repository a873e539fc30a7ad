"""`scoring fmt`: write expressions in their canonical text, and make the fixes that findings carry."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import add, add_reports, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add(parser, "specs")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file would change")
    parser.add_argument("--diff", action="store_true", help="show what would change, and change nothing")
    parser.add_argument(
        "--fix", action="store_true", help="replace what is deprecated, too, where no score can move by it"
    )
    parser.add_argument("--unsafe-fixes", action="store_true", help="with --fix: also where scores can move")
    add(parser, "--only-specs")
    add_reports(parser, "sarif")


def run(options: argparse.Namespace, console: Console) -> int:
    """Format every file that can be read; show the findings of the others."""
    from scoring.api.specs import fmt
    from scoring.cli.findings import REPORTS, show
    from scoring.diagnostics.words import counted

    dry = options.check or options.diff
    how = picked(options, "fix", "unsafe_fixes", "only_specs")
    found = fmt(options.specs, write=not dry, **how)
    console.remarks(found.skipped)
    if options.format in REPORTS:
        if options.diff:
            raise UsageError(f"--format {options.format} is the whole output; leave out --diff")
        would = [change.finding() for change in found.changes] if dry else []
        return show([*found.findings, *would], console, options.format)
    for change in found.changes:
        if options.diff:
            console.out.write(change.diff())
        else:
            fixes = f" ({counted(change.fixes, 'fix', 'fixes')})" if change.fixes else ""
            console.print(f"{'would format' if dry else 'formatted'} {change.path}{fixes}")
    show(found.findings, console, options.format)
    if not found.changes and not found.findings:
        console.print(f"{counted(len(found.files), 'file')} already formatted")
    return FINDINGS if found.findings or (dry and found.changes) else CLEAN
