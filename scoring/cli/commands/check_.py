"""`scoring check`: find mistakes in spec files, all of them at once."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import ACCEPT, add, add_reports, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add(parser, "specs")
    parser.add_argument("--strict", action="store_true", help="warnings are findings too")
    add(parser, "--locked", "--frozen", "--dialect", "--only-specs")
    parser.add_argument(
        "--against",
        type=named,
        metavar="OLD",
        help="another version (a file, NAME@VERSION, an address, REV:PATH): refuse a version that is raised too little",
    )
    parser.add_argument("--accept", **ACCEPT)
    parser.add_argument("--data", type=named, metavar="FILE", help="with --against: inputs to try beside drawn ones")
    add_reports(parser, "sarif", "junit")


def run(options: argparse.Namespace, console: Console) -> int:
    """Check every file and show all findings together."""
    from scoring.api.specs import check
    from scoring.cli.findings import show
    from scoring.diagnostics.words import counted

    how = picked(options, "dialect", "frozen", "only_specs", "against", "data")
    found = check(options.specs, locked=options.locked or None, accept=dict(options.accept), **how)
    console.remarks(found.skipped)
    if found.judgement is not None and options.format == "json":
        console.json(found.to_json())
        return CLEAN if found.passed and not (options.strict and found.findings) else FINDINGS
    code = show(found.findings, console, options.format, console.out, cases=lambda: found.cases(options.strict))
    if options.format == "text":
        if not found.findings:
            console.print(f"{counted(len(found.files), 'file')} checked, nothing found")
        if found.judgement is not None and found.judgement.suffices:
            for line in found.judgement.lines():
                console.print(line)
    return FINDINGS if options.strict and found.findings else code or CLEAN
