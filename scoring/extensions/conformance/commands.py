"""The command that runs the cases of the specification."""

from __future__ import annotations

import argparse

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, command
from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import Verb

COMMANDS = {"conformance": "run the cases of the specification"}

_CONFORMANCE = Verb("scoring.extensions.conformance.verbs:conformance")


@command("conformance", _CONFORMANCE.option("folder", metavar="FOLDER"), *_CONFORMANCE("rule"), shared.FORM)
def _conformance(options: argparse.Namespace, console: Console) -> int:
    """Run cases and print those that fail; return the exit code, `CLEAN` if all come out as their rules require."""
    from scoring.extensions.conformance.verbs import conformance

    found = conformance(**api_arguments(options))
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS
