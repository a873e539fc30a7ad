"""The command that serves tasks over HTTP: serve."""

from __future__ import annotations

import argparse

from scoring.cli.arguments import api_arguments, command
from scoring.cli.console import Console
from scoring.cli.options import Verb

COMMANDS = {"serve": "score by HTTP: single answers, batches, and the requests of trainers and of promptfoo"}

_SERVE = Verb("scoring.extensions.serving.verbs:scoring_service")


@command(
    "serve",
    *_SERVE("specs", "host", "port"),
    _SERVE.option("token_file", metavar="FILE"),
    *_SERVE("processes"),
    _SERVE.option("seconds", metavar="SECONDS"),
    _SERVE.option("memory", metavar="SIZE"),
    *_SERVE("max_waiting"),
    _SERVE.option("max_body", metavar="SIZE"),
    *_SERVE("max_rows", "share_port", "dialect"),
)
def _serve(options: argparse.Namespace, console: Console) -> None:
    """Serve until Ctrl-C or SIGTERM; what is under way is finished."""
    from scoring.extensions.serving.verbs import scoring_service

    with scoring_service(**api_arguments(options)) as service:
        console.print(service.address)
        for task in service.app.tasks.values():
            console.remark(f"serves {task.name} ({task.meaning}) until Ctrl-C")
        console.out.flush()
        service.wait()
