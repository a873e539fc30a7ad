"""Libraries that only some scorers need: imported late, and where one is missing the record says what to install."""

from __future__ import annotations

import importlib
from typing import Any

from scoring.result import Unscored


def optional(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an extra.

    Raises:
        Unscored: when it is not installed.

    Examples:
        >>> optional("json", extra="none", purpose="reading JSON").dumps([1])
        '[1]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        message = f"{purpose} needs the extra `{extra}`: pip install 'scoring-dsl[{extra}]'"
        raise Unscored(message) from None
