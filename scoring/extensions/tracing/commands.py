"""The command that shows how one record is scored, and what a name means: explain."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command, judge_options
from scoring.cli.console import Console
from scoring.cli.options import Verb

COMMANDS = {"explain": "show a record's way through the stages, a primitive, a scorer or a finding"}

_EXPLAIN = Verb("scoring.extensions.tracing.verbs:explain")


@command(
    "explain",
    *_EXPLAIN("what"),
    argument("data", nargs="?", metavar="DATA", help="the records, when WHAT is a spec"),
    *_EXPLAIN("record"),
    _EXPLAIN.option("example", metavar="N"),
    *_EXPLAIN("full"),
    _EXPLAIN.option("depth", metavar="N"),
    _EXPLAIN.option("references", action="append"),
    *_EXPLAIN("input_format", "reference_format", "layout", "dialect"),
    shared.FORM,
    judge_options,
)
def _explain(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.tracing.verbs import explain

    found = explain(**api_arguments(options), on_note=console.remark)
    console.findings(found.warnings)
    console.result(found, options)
