"""The commands about spec files and their contents: explain, check, test."""

from __future__ import annotations

import argparse

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command, findings_as, judge_options
from scoring.cli.console import CLEAN, FINDINGS, REPORTS, Console
from scoring.cli.options import Verb
from scoring.diagnostics.words import counted

COMMANDS = {
    "explain": "show a record's way through the stages, a primitive, a scorer or a finding",
    "check": "find mistakes in spec files",
    "test": "run the examples that specs state",
}

_EXPLAIN, _CHECK = Verb("scoring.api.explaining:explain"), Verb("scoring.api.specs:check")
_TEST = Verb("scoring.api.specs:test")


@command(
    "explain",
    *_EXPLAIN("what"),
    argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec"),
    *_EXPLAIN("record", "references", "input_format", "dialect"),
    shared.FORM,
    judge_options,
)
def _explain(options: argparse.Namespace, console: Console) -> None:
    found = api.explain(**api_arguments(options), on_note=console.remark)
    console.findings(found.warnings)
    console.result(found, options)


@command(
    "check",
    *_CHECK("specs"),
    shared.STRICT,
    *_CHECK("locked", "frozen", "dialect", "only_specs"),
    _CHECK.option("against", metavar="OLD"),
    *_CHECK("accept", "data"),
    findings_as(*REPORTS),
)
def _check(options: argparse.Namespace, console: Console) -> int:
    """Check every file and print all findings together; return the exit code."""
    found = api.check(**api_arguments(options, "strict", accept=dict(options.accept)))
    console.remarks(found.skipped)
    is_refused = options.strict and found.findings
    if found.judgement is not None and options.format == "json":
        console.json(found.to_json())
        return CLEAN if found.passed and not is_refused else FINDINGS
    code = console.findings(found.findings, options.format, console.out, cases=lambda: found.cases(options.strict))
    if options.format == "text":
        if not found.findings:
            console.print(f"{counted(len(found.files), 'file')} checked, nothing found")
        if found.judgement is not None and found.judgement.suffices:
            for line in found.judgement.lines():
                console.print(line)
    return FINDINGS if is_refused else code


@command("test", *_TEST("specs", "frozen", "dialect", "only_specs"), findings_as(*REPORTS))
def _test(options: argparse.Namespace, console: Console) -> int:
    """Run every example of every file, and print those that fail, or how many there were; return the exit code."""
    found = api.test(**api_arguments(options))
    console.remarks(found.skipped)
    code = console.findings(found.findings, options.format, console.out, cases=found.cases)
    if options.format == "text" and not found.findings:
        files = counted(len(found.files), "file")
        tried = f"{counted(found.examples, 'example')} in {files}: all as stated"
        console.print(tried if found.examples else f"no example in {files}: nothing is tested; state some, `examples:`")
    return code
