"""`scoring generate`: write the generated schemas and pages anew; with --check only say what is stale."""

from __future__ import annotations

import argparse
from pathlib import Path

from scoring.cli.console import CLEAN, FINDINGS, Console, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a file is stale")
    parser.add_argument("--root", default=".", metavar="FOLDER", help="the checkout (default: the current folder)")


def run(options: argparse.Namespace, console: Console) -> int:
    """Write what changed."""
    from scoring.api import stale

    root = Path(options.root)
    if not (root / "pyproject.toml").is_file():
        raise UsageError(f"{options.root} is no checkout of scoring: there is no pyproject.toml")
    found = stale(root)
    for name, text in found.items():
        if options.check:
            console.out.write(_diff(root / name, name, text))
            continue
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        console.print(f"written {name}")
    if not found:
        console.print("everything is up to date")
    elif options.check:
        console.note("stale; `scoring generate` writes them anew")
    return FINDINGS if found and options.check else CLEAN


def _diff(path: Path, name: str, text: str) -> str:
    import difflib

    before = path.read_text("utf-8").splitlines(keepends=True) if path.is_file() else []
    return "".join(difflib.unified_diff(before, text.splitlines(keepends=True), name, f"{name} (generated)"))
