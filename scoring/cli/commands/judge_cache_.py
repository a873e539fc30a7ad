"""`scoring judge-cache`: what a cache of judge calls holds, dropping parts of it, and taking it along as text."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from scoring.cli.console import Console, add_form
from scoring.cli.errors import CLEAN, UsageError

if TYPE_CHECKING:
    from scoring.judge.asking.cache import JudgeCache


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
    """Open the cache, do what was asked, close it."""
    import sqlite3

    from scoring.judge.asking.cache import JudgeCache
    from scoring.judge.protocol import JudgeError

    action, writes = _ACTIONS[options.action]
    if not Path(options.cache).is_file() and options.action != "import":
        raise UsageError(f"there is no judge cache {options.cache}")
    try:
        cache = JudgeCache(options.cache, read_only=not writes)
        try:
            action(cache, options, console)
        finally:
            cache.close()
    except (JudgeError, sqlite3.Error, OSError, UnicodeError) as error:
        raise UsageError(str(error)) from error
    return CLEAN


def _list(cache: JudgeCache, options: argparse.Namespace, console: Console) -> None:
    import dataclasses

    from scoring.judge.asking.cache_tools import list_cache
    from scoring.report.of.judge import cache_document

    groups = [dataclasses.asdict(group) for group in list_cache(cache)]
    console.json(groups) if options.json else console.show(cache_document(groups), options.form)


def _prune(cache: JudgeCache, options: argparse.Namespace, console: Console) -> None:
    from scoring.diagnostics.words import counted
    from scoring.judge.asking.cache_tools import prune_cache

    dropped = prune_cache(cache, model=options.model, prompt=options.prompt, older_than_days=options.older_than)
    console.print(f"{counted(dropped, 'call')} dropped from {options.cache}")


def _export(cache: JudgeCache, options: argparse.Namespace, console: Console) -> None:
    from scoring.judge.asking.cache_tools import export_cache

    if options.file is None:
        _write(export_cache(cache), console.out)
        return
    with Path(options.file).open("x", encoding="utf-8", newline="\n") as file:
        count = _write(export_cache(cache), file)
    from scoring.diagnostics.words import counted

    console.print(f"{counted(count, 'call')} written to {options.file}")


def _write(lines: Iterable[str], stream: TextIO) -> int:
    count = 0
    for line in lines:
        stream.write(line + "\n")
        count += 1
    return count


def _import(cache: JudgeCache, options: argparse.Namespace, console: Console) -> None:
    from scoring.diagnostics.words import counted
    from scoring.judge.asking.cache_tools import import_cache

    if options.file is None:
        new = import_cache(cache, sys.stdin)
    else:
        with Path(options.file).open(encoding="utf-8") as file:
            new = import_cache(cache, file)
    console.print(f"{counted(new, 'new call')} in {options.cache}")


# Each action, and whether it writes into the cache.
_ACTIONS: dict[str, tuple[Callable[[JudgeCache, argparse.Namespace, Console], None], bool]] = {
    "list": (_list, False),
    "prune": (_prune, True),
    "export": (_export, False),
    "import": (_import, True),
}
