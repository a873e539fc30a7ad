"""`scoring test`: run the examples that specs state."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console
from scoring.cli.options import add, add_reports


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    add(parser, "specs", "--frozen", "--dialect", "--only-specs")
    add_reports(parser, "sarif", "junit")


def run(options: argparse.Namespace, console: Console) -> int:
    """Try every example of every file; show those that fail, and how many there were."""
    from scoring.api.specs import test
    from scoring.cli.findings import show
    from scoring.diagnostics.words import counted

    found = test(options.specs, dialect=options.dialect, frozen=options.frozen, only_specs=options.only_specs)
    console.remarks(found.skipped)
    code = show(found.findings, console, options.format, console.out, cases=found.cases)
    if options.format == "text" and not found.findings:
        files = counted(len(found.files), "file")
        tried = f"{counted(found.examples, 'example')} in {files}: all as stated"
        console.print(tried if found.examples else f"no example in {files}: nothing is tested; state some, `examples:`")
    return code
