"""The commands of the command line by name: those of the core, of its extensions, and of other installed packages."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TypeAlias

from scoring.registry import plugins

GROUP = "scoring.commands"

Commands: TypeAlias = Mapping[str, tuple[str, str]]
"""The module that declares each command, and its summary, by name."""


def own_commands() -> Commands:
    """Return the commands of the core and of its extensions, in the order of the help text, importing none of them.

    Examples:
        >>> own_commands()["check"]
        ('scoring.cli.specs', 'find mistakes in spec files')
    """
    return plugins.COMMANDS


def other_commands() -> Commands:
    """Return the commands that other packages provide, except those with the name of one of our own.

    Each package has an entry point of the group ``scoring.commands``, which refers to a mapping from the names of
    commands to their summaries, in the module that declares them with ``scoring.plugin.command``.

    Raises:
        SpecError: when such a package can't be imported.
    """
    if not plugins.is_mentioned(GROUP):
        return {}
    return {
        name: (plugin.value.partition(":")[0], summary)
        for plugin in plugins.others(GROUP)
        for name, summary in plugin.load().items()
        if name not in plugins.COMMANDS
    }


def import_command(place: str) -> None:
    """Import the module named ``place``, so that the commands that it declares are registered."""
    importlib.import_module(place)
