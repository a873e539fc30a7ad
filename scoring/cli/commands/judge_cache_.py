"""`scoring judge-cache`: what a cache of judge calls holds, dropping parts of it, and taking it along as text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add_form


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do with the cache")
    parser.add_argument("cache", metavar="CACHE", help="the file that `--judge-cache` named")
    parser.add_argument("file", nargs="?", metavar="FILE", help="export to, or import from, here; else stdout or stdin")
    parser.add_argument("--model", metavar="NAME", help="prune: calls of this model")
    parser.add_argument("--prompt", metavar="DIGEST", help="prune: calls whose prompt's digest starts like this")
    parser.add_argument("--older-than", type=float, metavar="DAYS", help="prune: calls that were made longer ago")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Do with the cache what was asked."""
    _ACTIONS[options.action](options, console)
    return CLEAN


def _list(options: argparse.Namespace, console: Console) -> None:
    from scoring.api.judge_cache import list_calls

    console.result(list_calls(options.cache), options)


def _prune(options: argparse.Namespace, console: Console) -> None:
    from scoring.api.judge_cache import prune_calls
    from scoring.diagnostics.words import counted

    dropped = prune_calls(options.cache, model=options.model, prompt=options.prompt, older_than_days=options.older_than)
    console.print(f"{counted(dropped, 'call')} dropped from {options.cache}")


def _export(options: argparse.Namespace, console: Console) -> None:
    from scoring.api.judge_cache import export_calls
    from scoring.diagnostics.words import counted

    count = export_calls(options.cache, options.file or console.out)
    if options.file is not None:
        console.print(f"{counted(count, 'call')} written to {options.file}")


def _import(options: argparse.Namespace, console: Console) -> None:
    from scoring.api.judge_cache import import_calls
    from scoring.diagnostics.words import counted

    new = import_calls(options.cache, options.file or sys.stdin)
    console.print(f"{counted(new, 'new call')} in {options.cache}")


_ACTIONS: dict[str, Callable[[argparse.Namespace, Console], None]] = {
    "list": _list,
    "prune": _prune,
    "export": _export,
    "import": _import,
}
