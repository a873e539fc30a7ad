"""Services of extensions that the core, or an extension below them, calls by name, so that it runs without them, and
can report a missing one.

A service is a plug-in of the group ``scoring.services``: its entry point names a function, or another object, whose
interface is defined by the caller.
"""

from __future__ import annotations

from typing import Any

from scoring.errors import InputError
from scoring.registry import plugins

GROUP = "scoring.services"


def find_service(name: str) -> Any | None:
    """Import and return the function or object that an extension provides as the service `name`; None if none does."""
    found = plugins.find_plugin(GROUP, name)
    return None if found is None else found.load()


def service(name: str, purpose: str) -> Any:
    """Import and return the function or object that an extension provides as the service `name`.

    Args:
        name: The entry point in the group ``scoring.services``.
        purpose: The feature that the user requested, such as ``--parts``; the beginning of the message.

    Raises:
        InputError: when no extension provides it.

    Examples:
        >>> service("tell-fortunes", "--oracle")
        Traceback (most recent call last):
        ...
        scoring.errors.InputError: --oracle needs an extension that provides `tell-fortunes`, and none is installed
    """
    return provided(GROUP, name, purpose)


def provided(group: str, name: str, purpose: str) -> Any:
    """Import and return the object of the plug-in `name` of a group of entry points.

    Raises:
        InputError: when there is none; the message begins with `purpose`, the feature that the user requested.
    """
    found = plugins.find_plugin(group, name)
    if found is None:
        raise InputError(f"{purpose} needs an extension that provides `{name}`, and none is installed")
    return found.load()
