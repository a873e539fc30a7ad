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
    lines = inside(folder, name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]


def inside(folder: Path, name: str) -> Path:
    """Return the path of `name` below the spec's folder, since an untrusted spec must not read other files.

    Raises:
        TableFault: when the path leads out of the folder, or does not exist.
    """
    path = real_path(folder / name)
    if not path.is_relative_to(real_path(folder)):
        raise TableFault(f"the spec: {name} is outside the spec's folder")
    if not path.exists():
        raise TableFault(f"the spec: {name} does not exist")
    return path
