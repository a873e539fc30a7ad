"""`scoring check`: find mistakes in spec files, all of them at once."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.findings import add_format
    from scoring.cli.load import add_dialect
    from scoring.cli.locks import add_locked

    parser.add_argument("specs", nargs="+", metavar="SPEC", help="spec files, or folders of them")
    parser.add_argument("--strict", action="store_true", help="warnings are findings too")
    add_locked(parser)
    add_dialect(parser)
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check every file and show all findings together."""
    from scoring.cli.errors import CLEAN, FINDINGS
    from scoring.cli.findings import show
    from scoring.cli.load import check_file, spec_files
    from scoring.diagnostics.words import counted
    from scoring.format.load import Loader

    files = spec_files(options.specs)
    loader = Loader(dialect=options.dialect)
    findings = [found for file in files for found in check_file(file, loader, options.dialect, options.locked)]
    code = show(findings, console, options.format, console.out)
    if not findings and options.format == "text":
        console.print(f"{counted(len(files), 'file')} checked, nothing found")
    if options.strict and findings:
        return FINDINGS
    return code or CLEAN
