"""`scoring new`: write a commented starter spec."""

from __future__ import annotations

import argparse
import re
from importlib.resources import files
from pathlib import Path

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN, UsageError
from scoring.cli.files import write_file
from scoring.cli.yaml_text import schema_link


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("kind", choices=("task", "pack"), help="what to write")
    parser.add_argument("path", metavar="PATH", help="the file to write")
    parser.add_argument("--force", action="store_true", help="replace an existing file")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the file."""
    path = Path(options.path)
    if path.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{options.path} should end in .yaml")
    if path.exists() and not options.force:
        raise UsageError(f"{options.path} exists; add --force to replace it")
    template = files("scoring.cli").joinpath("templates", f"{options.kind}.yaml").read_text("utf-8")
    text = template.format(schema=schema_link(options.kind), name=_name(path), file=options.path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"can't make the folder {path.parent}: {error.strerror}") from error
    write_file(path, text)
    console.print(f"written {options.path}; next: scoring check {options.path}")
    return CLEAN


def _name(path: Path) -> str:
    """A name from the file's: letters, digits, `-` and `_`, beginning with a letter."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-")
    return name if name[:1].isalpha() else f"my-{name}".rstrip("-")
