"""The command that merges the parts of a run."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, command
from scoring.cli.console import Console
from scoring.cli.options import Verb
from scoring.cli.runs import report_run
from scoring.cli.values import folder

COMMANDS = {"merge": "join the parts of a run that were scored one by one"}


_MERGE = Verb("scoring.extensions.wide.verbs:merge")


@command(
    "merge",
    _MERGE.option("parts", metavar="FOLDER"),
    _MERGE.option("output", "-o", "--output", type=folder),
    *_MERGE("force", "scores", "html"),
    shared.MIN_COVERAGE,
    *shared.GATES,
    shared.FORM,
)
def _merge(options: argparse.Namespace, console: Console) -> int:
    from scoring.extensions.wide.verbs import merge

    return report_run(merge(**api_arguments(options), on_note=console.remark), options, console)
