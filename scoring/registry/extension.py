"""Services of extensions that the core calls by name, so that it runs, and says what is missing, without them.

A service is a plug-in of the group ``scoring.services``: its entry point names a function, or any other object, whose
form the caller in the core describes.
"""

from __future__ import annotations

from typing import Any

from scoring.errors import InputError
from scoring.registry import plugins

GROUP = "scoring.services"


def find_service(name: str) -> Any | None:
    """Return the service of that name, imported when it is first needed; None where no extension provides it."""
    found = plugins.named(GROUP, name)
    return None if found is None else found.load()


def service(name: str, purpose: str) -> Any:
    """Return the service of that name, imported when it is first needed.

    Args:
        name: The entry point in the group ``scoring.services``.
        purpose: What the user wanted, as the message begins, such as ``--parts``.

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
    """Return the plug-in of that name in any group of entry points, as `service` does.

    Raises:
        InputError: when there is none.
    """
    found = plugins.named(group, name)
    if found is None:
        raise InputError(f"{purpose} needs an extension that provides `{name}`, and none is installed")
    return found.load()
