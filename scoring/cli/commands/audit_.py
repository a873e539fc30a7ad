"""`scoring audit`: attack the metric itself, and show where it gives what it should not."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import DATA, FROM_0, add, add_form, add_judge, add_reports, given_data, judge_options

_CHANGES = ("newline", "whitespace", "case", "numbers", "marks", "order", "keys", "swapped")


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
        help=f"what must hold, whatever the spec excepts: {', '.join(_CHANGES)}; can be given several times",
    )
    parser.add_argument(
        "--seed",
        type=FROM_0,
        default=0,
        metavar="N",
        help="the seed by which 200 of more records are drawn (default: 0)",
    )
    add_form(parser)
    add_judge(parser)
    add(parser, "--dialect")
    add_reports(parser, "sarif", "junit")


def run(options: argparse.Namespace, console: Console) -> int:
    """Try the laws, show what holds, and fail where one that must hold does not."""
    from scoring.api.auditing import audit
    from scoring.cli.findings import REPORTS, show

    found = audit(
        options.spec,
        invariant=options.invariant,
        seed=options.seed,
        dialect=options.dialect,
        judge=judge_options(options),
        **given_data(options),
    )
    if options.format in REPORTS:
        if options.json or options.form != "text":
            raise UsageError(f"--format {options.format} is the whole output; leave out --json and --as")
        show(found.diagnostics(options.spec), console, options.format, cases=found.cases)
    else:
        show(found.warnings, console, options.format)
        console.result(found, options)
    return CLEAN if found.passed else FINDINGS
