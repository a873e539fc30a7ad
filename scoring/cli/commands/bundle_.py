"""`scoring bundle`: make one file of a finished run, from which anyone can score it again."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import PLACES, add, add_form, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("run", metavar="RUN", help="a run folder")
    parser.add_argument(
        "-o", "--output", type=named, metavar="FILE", help="the bundle (default: the run's name with .zip)"
    )
    parser.add_argument("--no-data", action="store_true", help="leave out data and references; their digests stay")
    add(parser, *PLACES, "--force")
    add_form(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Collect, write, say what is in it."""
    from scoring.api.bundling import bundle

    how = picked(options, "spec", "data", "references", "root", "force")
    found = bundle(options.run, options.output, with_data=not options.no_data, on_note=console.remark, **how)
    console.result(found, options)
    return CLEAN
