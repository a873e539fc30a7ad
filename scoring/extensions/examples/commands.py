"""The command that runs the examples of spec files: test."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import WATCH, api_arguments, command, findings_as
from scoring.cli.console import REPORTS, Console
from scoring.cli.options import Verb
from scoring.diagnostics.words import counted

COMMANDS = {"test": "run the examples that specs state"}

_TEST = Verb("scoring.extensions.examples.verbs:test")


@command("test", *_TEST("specs", "frozen", "dialect", "only_specs"), WATCH, findings_as(*REPORTS))
def _test(options: argparse.Namespace, console: Console) -> int:
    """Run every example of every file, and print those that fail, or how many there were; return the exit code."""
    from scoring.extensions.examples.verbs import test

    found = test(**api_arguments(options))
    console.remarks(found.skipped)
    code = console.findings(found.findings, options.format, console.out, tried=found)
    if options.format == "text" and not found.findings:
        files = counted(len(found.files), "file")
        tried = f"{counted(found.examples, 'example')} in {files}: all as stated"
        console.print(tried if found.examples else f"no example in {files}: nothing is tested; state some, `examples:`")
    return code
