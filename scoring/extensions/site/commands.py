"""The command that writes or serves a site of packs."""

from __future__ import annotations

import argparse
from typing import Any

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import Console, UsageError
from scoring.cli.options import Verb

COMMANDS = {"site": "write a site of packs, tasks and primitives, or serve one that runs them"}


_BUILD, _SERVE = Verb("scoring.extensions.site.verbs:build"), Verb("scoring.extensions.site.verbs:serve")


@command(
    "site",
    _BUILD.option("specs", metavar="PACK"),
    _BUILD.option("output", "-o", "--output", default=None, required=False),
    _BUILD.option("title", default=None, metavar="TEXT"),
    argument("--serve", action="store_true", help="serve it to this machine, with a box to try definitions"),
    _SERVE.option("port", default=None),
    _BUILD.option("allow", metavar="WHAT"),
    shared.JSON,
    *_BUILD("force", "dialect"),
)
def _docs(options: argparse.Namespace, console: Console) -> None:
    """Write the site, or serve it until Ctrl-C."""
    from scoring.extensions.site.verbs import build

    how = {
        name: value for name, value in api_arguments(options, "serve", "output", "force").items() if value is not None
    }
    if options.serve:
        _serve(options, how, console)
        return
    if options.port is not None:
        raise UsageError("--port is where --serve listens; add --serve, or leave it out")
    if options.output is None:
        raise UsageError("no output folder is given; name one, `-o site`, or add --serve (see `scoring site --help`)")
    console.result(build(output=options.output, force=options.force, **how), options)


def _serve(options: argparse.Namespace, how: dict[str, Any], console: Console) -> None:
    from scoring.extensions.site.verbs import serve

    for name in ("output", "force", "json"):
        if getattr(options, name):
            raise UsageError(f"--{name} says how a site is written, and --serve writes none; leave one of them out")
    with serve(on_note=console.remark, **how) as server:
        console.print(server.address)
        console.out.flush()
        console.remark("served to this machine until Ctrl-C")
        server.wait()
