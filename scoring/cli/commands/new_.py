"""`scoring new`: write a commented starter spec."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("kind", choices=("task", "pack"), help="what to write")
    parser.add_argument("path", metavar="PATH", help="the file to write")
    add(parser, "--force")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the file."""
    from scoring.api.specs import new

    new(options.kind, options.path, force=options.force)
    console.print(f"written {options.path}; next: scoring check {options.path}")
    return CLEAN
