"""`scoring repeat`: make a finished run once more, from what its manifest says."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import FROM_1, PLACES, add, add_form, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder, or a bundle")
    parser.add_argument("-o", "--output", type=named, metavar="FOLDER", required=True, help="write the new run folder")
    add(parser, *PLACES)
    parser.add_argument("--processes", type=FROM_1, default=1, metavar="N", help="score in N processes (default: 1)")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, write, compare."""
    from scoring.api.verifying import repeat

    how = picked(options, "spec", "data", "references", "root", "processes")
    found = repeat(options.run, options.output, on_note=console.remark, **how)
    console.result(found, options)
    if not found.changed and not options.json:
        console.print(f"written to {options.output}", "dim")
    return CLEAN if found.same else FINDINGS
