"""`scoring fmt`: write expressions in their canonical text."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.findings import add_format

    parser.add_argument("specs", nargs="+", metavar="SPEC", help="spec files, or folders of them")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file would change")
    parser.add_argument("--diff", action="store_true", help="show what would change, and change nothing")
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Format every file that can be read; show the findings of the others."""
    from scoring.cli.errors import CLEAN, FINDINGS
    from scoring.cli.files import write_file
    from scoring.cli.findings import show
    from scoring.cli.load import spec_files
    from scoring.diagnostics.diagnostic import Diagnostic, SpecError
    from scoring.diagnostics.words import counted
    from scoring.format.formatter import format_file

    findings: list[Diagnostic] = []
    changed = 0
    dry = options.check or options.diff
    files = spec_files(options.specs)
    for file in files:
        try:
            before, after = format_file(file)
        except SpecError as error:
            findings.extend(error.diagnostics)
            continue
        if before == after:
            continue
        changed += 1
        if options.diff:
            console.out.write(_diff(str(file), before, after))
        else:
            console.print(f"{'would format' if dry else 'formatted'} {file}")
        if not dry:
            write_file(file, after, newline="")
    show(findings, console, options.format)
    if not changed and not findings:
        console.print(f"{counted(len(files), 'file')} already formatted")
    return FINDINGS if findings or (dry and changed) else CLEAN


def _diff(name: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, f"{name} (formatted)"
    )
    return "".join(lines)
