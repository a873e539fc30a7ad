"""Read the labels of a task from a file next to its spec, one per line."""

from __future__ import annotations

from pathlib import Path

from scoring.data.plain_files import real_path
from scoring.errors import TableFault


def listed_labels(folder: Path, name: str) -> list[str]:
    """Return the labels in the file `name`, one per line, which must be below the spec's folder.

    Raises:
        TableFault: when the path leads out of the folder, or does not exist.
        OSError: when the file can't be read.
    """
    lines = existing(folder, name, "labels").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]


def existing(folder: Path, name: str, key: str) -> Path:
    """Return the real path of what the spec's `key` names: a file or folder that exists below the spec's folder.

    Raises:
        TableFault: when the path leads out of the folder, or does not exist.
    """
    path = inside(folder, name, key)
    if not path.exists():
        raise TableFault(f"`{key}`: {name} does not exist in the spec's folder")
    return path


def inside(folder: Path, name: str, key: str) -> Path:
    """Return the real path of `name`, which the spec's `key` states, below the spec's folder.

    Raises:
        TableFault: when the path leads out of the folder: an untrusted spec must not read other files.
    """
    path = real_path(folder / name)
    if not path.is_relative_to(real_path(folder)):
        raise TableFault(f"`{key}`: {name} is outside the spec's folder")
    return path
