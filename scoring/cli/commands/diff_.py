"""`scoring diff`: say what changed between two specs, and with data which records move, and because of what."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FAILED, FINDINGS, Console
from scoring.cli.options import FROM_0, FROM_1, add, add_form, add_judge, judge_options, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    sides = "a file, NAME@VERSION, an address, REV:PATH of this git repository, or a run"
    parser.add_argument("old", metavar="OLD", type=named, help=sides)
    parser.add_argument("new", metavar="NEW", type=named, help="likewise")
    parser.add_argument("--data", metavar="FILE", type=named, help="records to score with both")
    add(parser, "--references", "--input-format", "--limit")
    parser.add_argument("--worst", type=FROM_0, default=20, metavar="N", help="how many records to show (default: 20)")
    parser.add_argument(
        "--scorings",
        type=FROM_1,
        default=18,
        metavar="N",
        help="how often the data may be scored to tell which change does what (default: 18; 2: not)",
    )
    parser.add_argument("--all", action="store_true", help="show also what is for people alone: docs, examples")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="score in N processes (default: 1)")
    add_form(parser)
    add_judge(parser)
    add(parser, "--dialect")


def run(options: argparse.Namespace, console: Console) -> int:
    """Compare; whether something moves is the exit code, and where a side is not in order nobody knows."""
    from scoring.api.differing import diff
    from scoring.cli.findings import show
    from scoring.diagnostics.diagnostic import SpecError

    how = picked(options, "data", "references", "input_format", "limit", "worst", "scorings", "dialect", "processes")
    try:
        found = diff(options.old, options.new, everything=options.all, judge=judge_options(options), **how)
    except SpecError as error:
        show(error.diagnostics, console, "text")
        return FAILED
    console.result(found, options)
    return FINDINGS if found.moves else CLEAN
