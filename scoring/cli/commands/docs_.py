"""`scoring docs`: a static site of packs, tasks and primitives, or one that is served here and runs definitions."""

from __future__ import annotations

import argparse
from typing import Any

from scoring.cli.console import CLEAN, Console, UsageError
from scoring.cli.options import FROM_0, add, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "specs", nargs="+", metavar="PACK", help="packs by name (`rubrics@1`), spec files, or folders of them"
    )
    parser.add_argument("-o", "--output", type=named, metavar="FOLDER", help="the folder to write the site into")
    parser.add_argument("--title", metavar="TEXT", help="what the site is called")
    parser.add_argument("--serve", action="store_true", help="serve it to this machine, with a box to try definitions")
    parser.add_argument("--port", type=FROM_0, metavar="N", help="with --serve: the port (default: one that is free)")
    parser.add_argument(
        "--allow",
        action="append",
        metavar="WHAT",
        help="also run what asks a `judge` or runs `programs`; can be given twice",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add(parser, "--force", "--dialect")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the site, or serve it until Ctrl-C."""
    given = {name: value for name, value in picked(options, "title", "allow", "dialect").items() if value is not None}
    if options.serve:
        return _serve(options, given, console)
    if options.port is not None:
        raise UsageError("--port is where --serve listens; add --serve, or leave it out")
    if options.output is None:
        raise UsageError("where to? Name a folder, `-o site`, or add --serve (see `scoring docs --help`)")
    from scoring.api.documenting import docs

    options.form = "text"
    console.result(docs(options.specs, options.output, force=options.force, **given), options)
    return CLEAN


def _serve(options: argparse.Namespace, given: dict[str, Any], console: Console) -> int:
    from scoring.api.documenting import serve_docs

    for name in ("output", "force", "json"):
        if getattr(options, name):
            raise UsageError(f"--{name} says how a site is written, and --serve writes none; leave one of them out")
    with serve_docs(options.specs, port=options.port or 0, on_note=console.remark, **given) as server:
        console.print(server.address)
        console.out.flush()
        console.remark("served to this machine until Ctrl-C")
        server.wait()
    return CLEAN
