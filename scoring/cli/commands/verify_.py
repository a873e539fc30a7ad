"""`scoring verify`: score a finished run again and say whether everything comes out the same."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, FINDINGS, Console
from scoring.cli.options import FROM_1, add_form


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder; its files are looked for under their recorded names")
    parser.add_argument("--processes", type=FROM_1, default=1, metavar="N", help="score in N processes (default: 1)")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Check the inputs, score again, compare."""
    from scoring.api.comparing import verify

    found = verify(options.run, processes=options.processes, on_note=console.remark)
    console.result(found, options)
    return CLEAN if found.same else FINDINGS
