"""`scoring audit`: attack the metric itself, and show where it gives what it should not."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import DATA, add, add_form, given_data

_CHANGES = ("case", "whitespace", "order", "keys", "numbers")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("spec", metavar="SPEC", help="a task, or a pack with examples")
    add(parser, *DATA)
    parser.add_argument(
        "--invariant",
        action="append",
        choices=_CHANGES,
        default=[],
        metavar="CHANGE",
        help=f"a change that every scorer must overlook: {', '.join(_CHANGES)}; can be given several times",
    )
    add_form(parser)
    add(parser, "--dialect", "--format")


def run(options: argparse.Namespace, console: Console) -> int:
    """Try the laws, show what holds, and fail where one that must hold does not."""
    from scoring.api.auditing import audit
    from scoring.cli.findings import show

    found = audit(options.spec, invariant=options.invariant, dialect=options.dialect, **given_data(options))
    show(found.warnings, console, options.format)
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS
