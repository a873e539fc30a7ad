"""The commands about judges: their agreement, their pass threshold, and the cache of their calls."""

from __future__ import annotations

import argparse
import sys

from scoring.cli import arguments as shared
from scoring.cli.arguments import argument, command, given
from scoring.cli.console import Console
from scoring.diagnostics.words import counted

COMMANDS = {
    "judge": "say how far judges agree, and propose where to pass",
    "judge-cache": "list, prune, export or import the calls of a judge cache",
}


def _judge_kinds(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    calibrating = kinds.add_parser("calibrate", help="propose a pass threshold from labels that people gave")
    calibrating.add_argument("run", metavar="RUN", help="a run folder")
    labels = "labels of people: an attribute or a column of the data"
    calibrating.add_argument("--labels", required=True, metavar="COLUMN", help=labels)
    calibrating.add_argument(
        "--aim", choices=("kappa", "accuracy", "f1"), default="kappa", help="what is to be best (default: kappa)"
    )
    agreeing = kinds.add_parser("agreement", help="how far judges agree, with one another and with people")
    agreeing.add_argument("runs", nargs="+", metavar="RUN", help="run folders of the same records")
    agreeing.add_argument("--labels", metavar="COLUMN", help=labels)
    agreeing.add_argument("--pass-at", type=float, default=0.5, metavar="X", help="scores from here on pass (0.5)")
    for kind in (calibrating, agreeing):
        kind.add_argument("--field", metavar="NAME", help="a field's score instead of the record's")
        shared.FORM(kind)


@command("judge", _judge_kinds)
def _judge(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring judge`: measure agreement or propose a threshold, and print the result."""
    from scoring.extensions.judge.verbs import agreement, calibrate

    if options.kind == "calibrate":
        found = calibrate(**given(options, "kind"))
    else:
        found = agreement(*options.runs, **given(options, "kind", "runs"))
    console.result(found, options)


@command(
    "judge-cache",
    argument("action", choices=("list", "prune", "export", "import"), help="what to do with the cache"),
    argument("cache", metavar="CACHE", help="the file that `--judge-cache` named"),
    argument("file", nargs="?", metavar="FILE", help="export to, or import from, here; else stdout or stdin"),
    argument("--model", metavar="NAME", help="prune: calls of this model"),
    argument("--prompt", metavar="DIGEST", help="prune: calls whose prompt's digest starts like this"),
    argument("--older-than", type=float, metavar="DAYS", help="prune: calls that were made longer ago"),
    shared.FORM,
)
def _judge_cache(options: argparse.Namespace, console: Console) -> None:
    """Run `scoring judge-cache`: list, prune, export or import calls."""
    from scoring.extensions.judge.verbs import export_calls, import_calls, list_calls, prune_calls

    cache = options.cache
    if options.action == "list":
        console.result(list_calls(cache), options)
    elif options.action == "prune":
        older = options.older_than
        dropped = prune_calls(cache, model=options.model, prompt=options.prompt, older_than_days=older)
        console.print(f"{counted(dropped, 'call')} dropped from {cache}")
    elif options.action == "export":
        count = export_calls(cache, options.file or console.out)
        if options.file is not None:
            console.print(f"{counted(count, 'call')} written to {options.file}")
    else:
        new = import_calls(cache, options.file or sys.stdin)
        console.print(f"{counted(new, 'new call')} in {cache}")
