"""`scoring merge`: join the parts of a run."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console
from scoring.cli.options import add, add_form, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("parts", nargs="+", metavar="FOLDER", help="what `scoring score --parts FOLDER` has written")
    parser.add_argument("-o", "--output", type=named, metavar="FOLDER", help="write the run folder")
    parser.add_argument("--force", action="store_true", help="replace an older run in the folder")
    parser.add_argument("--scores", choices=("jsonl", "parquet"), help="format of the scores (default: the parts')")
    add(parser, "--min-coverage")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Join, print, write."""
    from scoring.api.wide import merge

    done = merge(options.parts, **picked(options, "output", "force", "scores"))
    console.result(done, options)
    if options.output and not options.json:
        console.print(f"written to {options.output}", "dim")
    return console.covered(done, options.min_coverage)
