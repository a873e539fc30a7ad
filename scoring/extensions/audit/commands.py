"""The command that audits a metric."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import FROM_0, argument, command, findings_as, given, judged
from scoring.cli.console import CLEAN, FINDINGS, REPORTS, Console

COMMANDS = {"audit": "attack a metric: what must hold of any scorer, tried on its examples and data"}


_CHANGES = ("question", "newline", "whitespace", "case", "numbers", "marks", "order", "keys", "swapped")


@command(
    "audit",
    argument("spec", metavar="SPEC", help="a task, or a pack with examples"),
    *shared.DATA,
    argument(
        "--invariant",
        action="append",
        choices=_CHANGES,
        default=[],
        metavar="CHANGE",
        help=f"what must hold, whatever the spec excepts: {', '.join(_CHANGES)}; can be given several times",
    ),
    argument("--strict", action="store_true", help="advice counts, too: laws that sound scorers may break"),
    argument(
        "--seed",
        type=FROM_0,
        default=0,
        metavar="N",
        help="the seed by which 200 of more records are drawn (default: 0)",
    ),
    shared.FORM,
    judged,
    shared.DIALECT,
    findings_as(*REPORTS),
)
def _audit(options: argparse.Namespace, console: Console) -> int:
    """Try the laws, print which hold, and fail if one that must hold does not."""
    from scoring.extensions.audit.verbs import audit

    found = audit(**given(options))
    if options.format in REPORTS:
        console.check_report(options)
        console.findings(found.diagnostics(options.spec), options.format, cases=found.cases)
    else:
        console.findings(found.warnings, options.format)
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS
