"""`scoring lock`: pin every pack that a spec imports by the digest of its content."""

from __future__ import annotations

import argparse

from scoring.cli.console import Console
from scoring.cli.errors import CLEAN
from scoring.cli.files import write_file


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    from scoring.cli.findings import add_format
    from scoring.cli.load import add_dialect

    parser.add_argument("specs", nargs="+", metavar="SPEC", help="tasks, packs or suites; each gets a lock beside it")
    add_dialect(parser)
    add_format(parser)


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the lock of each file; a broken one is shown, and gets none."""
    from pathlib import Path

    from scoring.cli.findings import show
    from scoring.cli.locks import packs_of
    from scoring.compiler.lock import lock_path, lock_text
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.diagnostics.words import counted
    from scoring.format.load import Loader

    loader = Loader(dialect=options.dialect)
    code = CLEAN
    for name in options.specs:
        path = Path(name)
        try:
            loaded = loader.file(path, name)
            packs = packs_of(loaded, loader, options.dialect)
        except SpecError as error:
            code = show(error.diagnostics, console, options.format)
            continue
        write_file(lock_path(path), lock_text(loaded.spec.name, packs))
        console.print(f"{lock_path(path)}  {counted(len(packs), 'pack')} pinned")
        for pack, pin in packs.items():
            console.print(console.style.dim(f"  {pack} {pin}"))
    return code
