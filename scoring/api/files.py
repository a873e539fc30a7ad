"""Files that are written beside run folders: whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from scoring.data.address import shown
from scoring.data.rows.row import InputError


def write_file(path: Path, text: str, *, newline: str = "\n") -> None:
    """Write a text file under a temporary name and rename it.

    Args:
        path: Where; its folder must be there.
        text: What.
        newline: How line breaks are written; an empty text leaves them as they are.

    Raises:
        InputError: when it can't be written.
    """
    # What is no file, such as /dev/null, must not be replaced by one.
    is_special = path.exists() and not path.is_file()
    partial = path if is_special else path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8", newline=newline)
        if not is_special:
            os.replace(partial, path)
    except OSError as error:
        if not is_special:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
        raise InputError(f"can't write {path}: {error.strerror}") from error


def without_credentials(name: str) -> str:
    """A path or address as it may be shown.

    Examples:
        >>> without_credentials("ftp://me:secret@host/runs/a")
        'ftp://…@host/runs/a'
    """
    return shown(name)
