"""The commands about judges: their agreement, their pass threshold, and the cache of their calls."""

from __future__ import annotations

import argparse
import sys

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import Console
from scoring.cli.options import Verb
from scoring.diagnostics.words import counted

COMMANDS = {
    "judge": "say how far judges agree, and propose where to pass",
    "judge-cache": "list, prune, export or import the calls of a judge cache",
}


_VERBS = "scoring.extensions.judge.verbs"
_AGREEMENT, _CALIBRATE, _PRUNE = (Verb(f"{_VERBS}:{name}") for name in ("agreement", "calibrate", "prune_calls"))


def _judge_kinds(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    calibrating = kinds.add_parser("calibrate", help="propose a pass threshold from labels that people gave")
    agreeing = kinds.add_parser("agreement", help="how far judges agree, with one another and with people")
    for_calibrating = *_CALIBRATE("run", "aim", "field"), _CALIBRATE.option("labels", "--labels", metavar="COLUMN")
    for_agreeing = *_AGREEMENT("runs", "pass_at", "field"), _AGREEMENT.option("labels", metavar="COLUMN")
    for kind, arguments in ((calibrating, for_calibrating), (agreeing, for_agreeing)):
        for add in arguments:
            add(kind)
        shared.FORM(kind)


@command("judge", _judge_kinds)
def _judge(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring judge`: measure agreement or propose a threshold, and print the result."""
    from scoring.extensions.judge.verbs import agreement, calibrate

    if options.kind == "calibrate":
        found = calibrate(**api_arguments(options, "kind"))
    else:
        found = agreement(*options.runs, **api_arguments(options, "kind", "runs"))
    console.result(found, options)


@command(
    "judge-cache",
    argument("action", choices=("list", "prune", "export", "import"), help="what to do with the cache"),
    *_PRUNE("cache"),
    argument("file", nargs="?", metavar="FILE", help="export to, or import from, here; else stdout or stdin"),
    *_PRUNE("model"),
    _PRUNE.option("prompt", metavar="DIGEST"),
    _PRUNE.option("older_than_days", "--older-than", metavar="DAYS"),
    shared.FORM,
)
def _judge_cache(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring judge-cache`: list, prune, export or import calls."""
    from scoring.extensions.judge.verbs import export_calls, import_calls, list_calls, prune_calls

    cache = options.cache
    if options.action == "list":
        console.result(list_calls(cache), options)
    elif options.action == "prune":
        older = options.older_than_days
        dropped = prune_calls(cache, model=options.model, prompt=options.prompt, older_than_days=older)
        console.print(f"{counted(dropped, 'call')} dropped from {cache}")
    elif options.action == "export":
        count = export_calls(cache, options.file or console.out)
        if options.file is not None:
            console.print(f"{counted(count, 'call')} written to {options.file}")
    else:
        new = import_calls(cache, options.file or sys.stdin)
        console.print(f"{counted(new, 'new call')} in {cache}")
