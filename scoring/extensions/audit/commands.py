"""The command that audits a metric."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, command, findings_as, judge_options
from scoring.cli.console import CLEAN, FINDINGS, REPORTS, Console, is_report
from scoring.cli.options import Verb

COMMANDS = {"audit": "attack a metric: what must hold of any scorer, tried on its examples and data"}

_AUDIT = Verb("scoring.extensions.audit.verbs:audit")
_CHANGES = ("question", "newline", "whitespace", "case", "numbers", "marks", "order", "keys", "swapped")


@command(
    "audit",
    *_AUDIT("spec"),
    shared.DATA,
    _AUDIT.option("references", action="append"),
    *_AUDIT("input_format", "reference_format", "limit", "dialect"),
    _AUDIT.option("invariant", choices=_CHANGES, metavar="CHANGE"),
    *_AUDIT("strict", "seed"),
    shared.FORM,
    judge_options,
    findings_as(*REPORTS),
)
def _audit(options: argparse.Namespace, console: Console) -> int:
    """Audit a metric and print which laws hold; return the exit code, `CLEAN` if every required law holds."""
    from scoring.extensions.audit.verbs import audit

    found = audit(**api_arguments(options))
    if is_report(options.format):
        console.check_report(options)
        console.findings(found.diagnostics(options.spec), options.format, tried=found)
    else:
        console.findings(found.warnings, options.format)
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS
