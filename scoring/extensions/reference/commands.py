"""The commands that list what there is, and write the generated files."""

from __future__ import annotations

import argparse
from pathlib import Path

from scoring.cli import arguments as shared
from scoring.cli.arguments import api_arguments, argument, command
from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError
from scoring.cli.options import Verb

COMMANDS = {"list": "list primitives, packs and their scorers"}
GENERATE = {"generate": "write the generated schemas and pages anew"}
"""Apart, since it stands at another place of the help text."""

_LISTING = Verb("scoring.extensions.reference.lists:listing")


@command(
    "list", *_LISTING("what"), _LISTING.option("about", metavar="WORDS"), *_LISTING("outdated", "offline"), shared.FORM
)
def _list(options: argparse.Namespace, console: Console) -> None:
    from scoring.extensions.reference.lists import listing

    console.result(listing(**api_arguments(options)), options)


@command(
    "generate",
    argument("--check", action="store_true", help="change nothing; exit 1 if a file is stale"),
    argument("--root", default=".", metavar="FOLDER", help="the checkout (default: the current folder)"),
)
def _generate(options: argparse.Namespace, console: Console) -> int:
    """Write the generated files that are out of date, or with `--check` only print the differences; return the exit
    code."""
    import difflib

    from scoring.extensions.reference.generating import stale

    root = Path(options.root)
    if not (root / "pyproject.toml").is_file():
        raise UsageError(f"{options.root} is no checkout of scoring: there is no pyproject.toml")
    found = stale(root)
    for name, text in found.items():
        path = root / name
        if options.check:
            before = path.read_text("utf-8").splitlines(keepends=True) if path.is_file() else []
            lines = difflib.unified_diff(before, text.splitlines(keepends=True), name, f"{name} (generated)")
            console.out.write("".join(lines))
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        console.print(f"written {name}")
    if not found:
        console.print("everything is up to date")
    elif options.check:
        console.note("stale; `scoring generate` writes them anew")
    return FINDINGS if found and options.check else CLEAN
