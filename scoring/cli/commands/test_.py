"""`scoring test`: run the examples that specs state."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.findings import add_format
    from scoring.cli.load import add_dialect

    parser.add_argument("specs", nargs="+", metavar="SPEC", help="spec files, or folders of them")
    add_dialect(parser)
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Try every example of every file; show those that fail, and how many there were."""
    from scoring.cli.findings import show
    from scoring.cli.load import spec_files
    from scoring.diagnostics.diagnostic import Diagnostic, SpecError
    from scoring.diagnostics.words import counted
    from scoring.engine.examples import run_examples
    from scoring.format.load import Loader

    loader = Loader(dialect=options.dialect)
    findings: list[Diagnostic] = []
    tried = 0
    files = spec_files(options.specs)
    for file in files:
        try:
            results = run_examples(loader.file(file, str(file)), loader)
        except SpecError as error:
            findings.extend(error.diagnostics)
            continue
        tried += len(results)
        findings.extend(result.finding() for result in results if result.problem is not None)
    code = show(findings, console, options.format, console.out)
    if options.format == "text" and not findings:
        console.print(f"{counted(tried, 'example')} in {counted(len(files), 'file')}: all as stated")
    return code
