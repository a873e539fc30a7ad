"""Late import of optional libraries; where one is missing, the record is unscored and its reason states what to
install."""

from __future__ import annotations

import importlib
from typing import Any

from scoring.result import Unscored


def optional(module: str, *, extra: str, purpose: str) -> Any:
    """Import and return a module that belongs to an optional extra of this package, such as `math`.

    Raises:
        Unscored: when it is not installed; the message states what needs it (``purpose``) and what to install.

    Examples:
        >>> optional("json", extra="none", purpose="reading JSON").dumps([1])
        '[1]'
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        message = f"{purpose} needs the extra `{extra}`: pip install 'scoring-dsl[{extra}]'"
        raise Unscored(message) from None
