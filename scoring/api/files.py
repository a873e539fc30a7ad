"""What verbs write beside run folders, and paths as they may be shown."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scoring.data.address import shown
from scoring.data.output import check_target, is_input
from scoring.data.output import write_file as written
from scoring.data.rows.row import InputError


def write_file(path: Path, text: str, *, newline: str = "\n") -> None:
    """Write a text file, whole or not at all.

    Args:
        path: Where; its folder must be there.
        text: What.
        newline: How line breaks are written; an empty text leaves them as they are.

    Raises:
        InputError: when it can't be written.
    """
    written(path, (text.replace("\n", newline) if newline else text).encode())


FORCE = "exists; add --force to replace it"


def check_free(path: str | Path, force: bool, inputs: Iterable[str | Path] = (), there: str = FORCE) -> Path:
    """Where a verb may write a file.

    Args:
        path: The file that somebody named.
        force: Whether it may replace an older one.
        inputs: What the verb reads, which is never replaced.
        there: What is said of a file that is there already.

    Raises:
        InputError: when the file is there already, is one that is read, or is none that can be written.
    """
    target = Path(path)
    is_special = check_target(target)
    if not is_special and target.exists() and not force:
        raise InputError(f"{target} {there}")
    held = is_input(target, inputs)
    if held is not None:
        what = "a file" if str(held) == str(target) else f"the file {held}"
        raise InputError(f"{target} is {what}, which is read; choose another name")
    return target


def without_credentials(name: str) -> str:
    """A path or address as it may be shown.

    Examples:
        >>> without_credentials("ftp://me:secret@host/runs/a")
        'ftp://…@host/runs/a'
    """
    return shown(name)
