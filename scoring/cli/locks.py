"""Locks on the command line: the packs of a file of any kind, and `--locked`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.compiler.lock import Pin
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.format.load import Loaded, Loader


def add_locked(parser: argparse.ArgumentParser) -> None:
    """The option of commands that can insist on the lock."""
    parser.add_argument("--locked", action="store_true", help="refuse packs that are not as the lock file pins them")


def packs_of(loaded: Loaded, loader: Loader, dialect: str | None) -> dict[str, Pin]:
    """Every pack that a task, a pack or the tasks of a suite import.

    Raises:
        SpecError: when the spec is broken.
    """
    from scoring.compiler.lock import Pin, imported_packs
    from scoring.format.model import SuiteSpec

    if not isinstance(loaded.spec, SuiteSpec):
        return imported_packs(loaded, loader)
    from scoring.engine.suite.compile import compile_suite

    packs = compile_suite(loaded, dialect=dialect).packs
    return {name: Pin(version, digest) for name, (version, digest) in sorted(packs.items())}


def locked_findings(loaded: Loaded, path: Path, loader: Loader, dialect: str | None) -> list[Diagnostic]:
    """What keeps a spec from being as its lock says; nothing where all is as it was."""
    from scoring.compiler.lock import lock_findings, read_lock
    from scoring.diagnostics.diagnostic import SpecError

    try:
        pins = read_lock(path, loaded.spec.span)
        return list(lock_findings(loaded, loader, pins, packs_of(loaded, loader, dialect)))
    except SpecError as error:
        return list(error.diagnostics)
