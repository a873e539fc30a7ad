"""Locks on the command line: the packs of a file of any kind, and `--locked`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.compiler.lock import Lock
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.format.load import Loaded, Loader


def add_locked(parser: argparse.ArgumentParser) -> None:
    """The option of commands that can insist on the lock."""
    parser.add_argument("--locked", action="store_true", help="refuse a spec that is not as its lock file pins it")


def lock_of(loaded: Loaded, loader: Loader, dialect: str | None) -> Lock:
    """The lock of a task, a pack or a suite as it is now.

    Raises:
        SpecError: when the spec is broken.
    """
    from scoring.compiler.compile import recipe_of
    from scoring.compiler.lock import Lock
    from scoring.engine.suite.compile import compile_suite
    from scoring.format.model import SuiteSpec

    if isinstance(loaded.spec, SuiteSpec):
        return Lock.of(compile_suite(loaded, dialect=dialect).recipe)
    return Lock.of(recipe_of(loaded, loader))


def locked_findings(loaded: Loaded, path: Path, loader: Loader, dialect: str | None) -> list[Diagnostic]:
    """What keeps a spec from being as its lock says; nothing where all is as it was."""
    from scoring.compiler.lock import lock_findings, read_lock
    from scoring.diagnostics.diagnostic import SpecError

    try:
        locked = read_lock(path, loaded.spec.span)
        return list(lock_findings(loaded, loader, locked, lock_of(loaded, loader, dialect)))
    except SpecError as error:
        return list(error.diagnostics)
