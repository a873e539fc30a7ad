"""Labels that a task reads from a file next to its spec, one per line."""

from __future__ import annotations

from pathlib import Path

from scoring.data.plain_files import real_path
from scoring.errors import TableFault


def listed_labels(folder: Path, name: str) -> list[str]:
    """Return the labels of a file below the spec's folder.

    Raises:
        TableFault: for a path that leads out of the folder, or to nothing.
        OSError: when the file can't be read.
    """
    lines = inside(folder, name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]


def inside(folder: Path, name: str) -> Path:
    """Return a path below the spec's folder; a spec from elsewhere must not read other files.

    Raises:
        TableFault: for a path that leads out of it, or to nothing.
    """
    path = real_path(folder / name)
    if not path.is_relative_to(real_path(folder)):
        raise TableFault(f"the spec: {name} lies outside the spec's folder")
    if not path.exists():
        raise TableFault(f"the spec: {name} does not exist")
    return path
