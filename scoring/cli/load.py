"""Load what a command was given: one task, or spec files to look at."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.cli.console import Console
from scoring.cli.errors import UsageError

if TYPE_CHECKING:
    from scoring.compiler.task import CompiledTask
    from scoring.format.load import Loaded, Loader


def add_dialect(parser: argparse.ArgumentParser) -> None:
    """The option for foreign formats."""
    parser.add_argument(
        "--dialect",
        type=_dialect,
        choices=_Dialects(),
        default="",  # which argparse gives to `type`, and only where the command runs
        metavar="NAME",
        help="what the names in a task file of a foreign form mean: %(choices)s (default: the first)",
    )


def _dialect(name: str) -> str:
    from scoring.format.front_ends import default_dialect

    return name or default_dialect()


class _Dialects:
    """Every dialect there is, those of other packages among them; looked up only when the option is used or shown."""

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def __iter__(self) -> Iterator[str]:
        from scoring.format.front_ends import dialects

        return iter(dialects())


def add_locked(parser: argparse.ArgumentParser) -> None:
    """The option of commands that can insist on the lock."""
    parser.add_argument("--locked", action="store_true", help="refuse a spec that is not as its lock file pins it")


def load_task(options: argparse.Namespace, console: Console) -> CompiledTask | None:
    """The compiled task; its findings are shown, and None says that one of them is an error."""
    from scoring.cli.findings import show
    from scoring.compiler.compile import compile_task
    from scoring.diagnostics.diagnostic import SpecError
    from scoring.format.load import Loader
    from scoring.format.model import Pack, SuiteSpec

    loader = Loader(dialect=options.dialect)
    layout = getattr(options, "format", "text")
    try:
        loaded = loader.file(Path(options.spec), options.spec)
        if isinstance(loaded.spec, (Pack, SuiteSpec)):
            kind = "pack" if isinstance(loaded.spec, Pack) else "suite"
            raise UsageError(f"{options.spec} is a {kind}; this command needs a task")
        more = tuple(getattr(options, "by", None) or ())
        loaded = replace(loaded, spec=replace(loaded.spec, by=tuple(dict.fromkeys((*loaded.spec.by, *more)))))
        task, warnings = compile_task(loaded, loader)
        _check_lock(loaded, loader, options)
    except SpecError as error:
        show(error.diagnostics, console, layout)
        return None
    show(warnings, console, layout) if warnings else None
    seed = getattr(options, "seed", None)
    return task if seed is None else task.seeded(seed)


def _check_lock(loaded: Loaded, loader: Loader, options: argparse.Namespace) -> None:
    from scoring.api.specs import locked_findings
    from scoring.diagnostics.diagnostic import SpecError

    if getattr(options, "locked", False):
        found = locked_findings(loaded, Path(options.spec), loader, options.dialect)
        if found:
            raise SpecError(found)
