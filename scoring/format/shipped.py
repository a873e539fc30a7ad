"""Locate the folders of what is shipped with the package beside its code: specs and schemas."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def data_folder(kind: str) -> Path:
    """Return the folder ``specs`` or ``schemas``: next to the package in a checkout, inside it in a wheel.

    The checkout takes precedence, since an editable install may leave a stale copy inside the package.
    """
    package = Path(__file__).resolve().parents[1]
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / kind).is_dir():
        return checkout / kind
    return package / "_data" / kind
