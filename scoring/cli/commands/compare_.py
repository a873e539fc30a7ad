"""`scoring compare`: say whether two runs differ, and which records changed; of more runs, which stands where."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import FROM_0, add_form, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folders of the same task, two or more")
    parser.add_argument("--cluster", metavar="ATTRIBUTE", help="draw whole groups of this one (default: the spec's)")
    parser.add_argument("--confidence", type=float, metavar="X", help="level of the interval (default: the spec's)")
    parser.add_argument("--resamples", type=int, default=10_000, metavar="N", help="draws (default: 10000)")
    parser.add_argument("--seed", type=FROM_0, default=0, metavar="N", help="seed of the draws (default: 0)")
    parser.add_argument("--flips", type=FROM_0, default=20, metavar="N", help="how many changed records to show")
    parser.add_argument("--force", action="store_true", help="compare although the runs measure different things")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Compare, unless the two runs measure different things."""
    from scoring.api.comparing import NotComparable, compare

    how = picked(options, "cluster", "confidence", "resamples", "seed", "flips", "force")
    try:
        found = compare(*options.runs, **how)
    except NotComparable as error:
        console.note(f"{error.headline}:")
        for line in error.reasons:
            console.note(f"  {line}")
        console.note(error.advice)
        return FINDINGS
    console.result(found, options)
    return CLEAN
