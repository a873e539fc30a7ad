"""The command that finds mistakes in spec files: check."""

from __future__ import annotations

import argparse

from scoring import api
from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, command, findings_as
from scoring.cli.console import CLEAN, FINDINGS, REPORTS, Console
from scoring.cli.options import Verb
from scoring.diagnostics.words import counted

COMMANDS = {"check": "find mistakes in spec files"}

_CHECK = Verb("scoring.api.specs:check")


def accepted(text: str) -> tuple[str, str]:
    """Return a definition's name and why its change is accepted from `NAME=WHY`; raise if one of them is missing."""
    name, sign, why = text.partition("=")
    if not sign or not name.strip() or not why.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=WHY, such as `near=only its text changed`, found {text!r:.80}")
    return name.strip(), why.strip()


@command(
    "check",
    *_CHECK("specs"),
    shared.STRICT,
    *_CHECK("locked", "frozen", "dialect", "only_specs"),
    _CHECK.option("against", metavar="OLD"),
    _CHECK.option("accept", metavar="NAME=WHY", type=accepted),
    *_CHECK("data", "fix"),
    findings_as(*REPORTS),
)
def _check(options: argparse.Namespace, console: Console) -> int:
    """Run `scoring check`: check every spec file and print all findings together; return the exit code."""
    found = api.check(**api_arguments(options, "strict", accept=dict(options.accept)))
    console.remarks(found.skipped)
    is_refused = options.strict and found.findings
    for path, fixes in found.fixed.items() if options.format in ("text", "concise") else ():
        console.print(f"fixed {path}: {'; '.join(fixes)}")
    if (found.judgement is not None or found.fixed) and options.format == "json":
        console.json(found.to_json())
        return CLEAN if found.passed and not is_refused else FINDINGS
    code = console.findings(found.findings, options.format, console.out, tried=found, strict=options.strict)
    if options.format == "text":
        if not found.findings:
            console.print(f"{counted(len(found.files), 'file')} checked, nothing found")
        if found.judgement is not None and found.judgement.suffices:
            for line in found.judgement.lines():
                console.print(line)
    return FINDINGS if is_refused else code
