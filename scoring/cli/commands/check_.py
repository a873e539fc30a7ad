"""`scoring check`: find mistakes in spec files, all of them at once."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import add, add_reports, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add(parser, "specs")
    parser.add_argument("--strict", action="store_true", help="warnings are findings too")
    add(parser, "--locked", "--frozen", "--dialect", "--only-specs")
    add_reports(parser, "sarif", "junit")


def run(options: argparse.Namespace, console: Console) -> int:
    """Check every file and show all findings together."""
    from scoring.api.specs import check
    from scoring.cli.findings import show
    from scoring.diagnostics.words import counted

    how = picked(options, "dialect", "frozen", "only_specs")
    found = check(options.specs, locked=options.locked or None, **how)
    console.remarks(found.skipped)
    code = show(found.findings, console, options.format, console.out, cases=lambda: found.cases(options.strict))
    if not found.findings and options.format == "text":
        console.print(f"{counted(len(found.files), 'file')} checked, nothing found")
    return FINDINGS if options.strict and found.findings else code or CLEAN
