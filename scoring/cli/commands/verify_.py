"""`scoring verify`: score a finished run again and say whether everything comes out the same."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import FROM_1, PLACES, add, add_form, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder, or a bundle that `scoring bundle` made")
    add(parser, *PLACES)
    parser.add_argument("--processes", type=FROM_1, default=1, metavar="N", help="score in N processes (default: 1)")
    parser.add_argument(
        "--trust",
        type=named,
        metavar="FILE",
        help="exit 1 unless an author of this file signed it: TOML with `[trust]`, or OpenSSH's allowed signers",
    )
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, compare."""
    from scoring.api.verifying import verify

    how = picked(options, "spec", "data", "references", "root", "processes", "trust")
    found = verify(options.run, on_note=console.remark, **how)
    console.result(found, options)
    return CLEAN if found.passed else FINDINGS
