"""Shows what became of the packs of a project."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scoring.cli.console import Console

if TYPE_CHECKING:
    from scoring.api import ProjectChange, Synced

_MOST_LINES = 8


def show_synced(found: Synced, options: argparse.Namespace, console: Console) -> None:
    """Print a line for each pack whose versions are others now, and what moved by that."""
    from scoring.api import dumps_pretty
    from scoring.diagnostics.words import counted

    console.remarks(found.notes)
    if options.json:
        console.print(dumps_pretty(found.to_json()).rstrip())
        return
    state = "" if found.moves else ", nothing changed" if not found.written else ", written"
    console.print(f"{found.path.name}  {counted(len(found.packs), 'pack')}{state}")
    for move in found.moves:
        before, after = ", ".join(move.before), ", ".join(move.after)
        what = f"{before} → {after}" if before and after else f"{after} is new" if after else f"{before} is gone"
        console.print(f"  {move.name} {what}  ({move.source})")
        if move.signed:
            console.print(f"    {move.signed}", "dim")
        for line in move.moved[:_MOST_LINES]:
            console.print(f"    {line}", "dim")
        if len(move.moved) > _MOST_LINES:
            console.print(f"    and {counted(len(move.moved) - _MOST_LINES, 'more change')}", "dim")


def show_change(found: ProjectChange, options: argparse.Namespace, console: Console) -> None:
    """Print what was done to a project file, and what became of its packs."""
    from scoring.api import dumps_pretty

    console.remarks(found.notes)
    if options.json:
        console.print(dumps_pretty(found.to_json()).rstrip())
        return
    for line in found.lines:
        console.print(f"{found.path.name}  {line}")
    show_synced(found.synced, options, console)
