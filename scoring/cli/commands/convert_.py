"""`scoring convert`: turn a task file of a foreign form into a native spec."""

from __future__ import annotations

import argparse

from scoring.cli.console import CLEAN, Console
from scoring.cli.options import add, named, picked


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("metrics", metavar="FILE", help="the file to convert")
    parser.add_argument("-o", "--output", type=named, metavar="SPEC", help="where the spec goes (default: print it)")
    parser.add_argument("--name", metavar="NAME", help="the task's name (default: the name of the file or its folder)")
    add(parser, "--force", "--dialect")


def run(options: argparse.Namespace, console: Console) -> int:
    """Convert one file, and make sure that what is written reads back as the same spec."""
    from scoring.api.specs import convert

    text = convert(options.metrics, **picked(options, "name", "dialect", "output", "force"))
    if options.output:
        console.print(f"written {options.output}")
    else:
        console.out.write(text)
    return CLEAN
