"""The command that merges the parts of a run."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import argument, command, given
from scoring.cli.console import Console
from scoring.cli.runs import report_run

COMMANDS = {"merge": "join the parts of a run that were scored one by one"}


@command(
    "merge",
    argument("parts", nargs="+", metavar="FOLDER", help="what `scoring score --parts FOLDER` has written"),
    shared.RUN_FOLDER,
    shared.REPLACE_RUN,
    argument("--scores", choices=("jsonl", "parquet"), help="format of the scores (default: the parts')"),
    shared.MIN_COVERAGE,
    *shared.GATES,
    shared.FORM,
)
def _merge(options: argparse.Namespace, console: Console) -> int:
    from scoring.extensions.wide.verbs import merge

    return report_run(merge(**given(options), on_note=console.remark), options, console)
