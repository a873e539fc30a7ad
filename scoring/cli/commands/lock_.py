"""`scoring lock`: pin what a spec means, and every pack that it imports, by digest."""

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
    from scoring.cli.locks import lock_of
    from scoring.compiler.lock import lock_path
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.diagnostics.words import counted
    from scoring.format.load import Loader

    loader = Loader(dialect=options.dialect)
    code = CLEAN
    for name in options.specs:
        path = Path(name)
        try:
            loaded = loader.file(path, name)
            lock = lock_of(loaded, loader, options.dialect)
        except SpecError as error:
            code = show(error.diagnostics, console, options.format)
            continue
        write_file(lock_path(path), lock.text(loaded.spec.name))
        console.print(f"{lock_path(path)}  {counted(len(lock.packs), 'pack')} pinned")
        console.print(console.style.dim(f"  meaning {lock.meaning[:16]}\n  env {lock.env}"))
        for pack, pin in lock.packs.items():
            console.print(console.style.dim(f"  {pack} {pin}"))
    return code
