"""The spec files that names stand for: files as they are, and folders with what lies below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from scoring.api.verb import verb
from scoring.data.plain_files import real_path, walked
from scoring.data.rows.row import InputError

Names: TypeAlias = str | Path | Iterable[str | Path]
SUFFIXES = (".yaml", ".yml")


@verb
def spec_files(specs: Names) -> list[Path]:
    """The files that some names stand for; a folder stands for the YAML files below it.

    Raises:
        InputError: when a folder holds none, or nothing is named.
    """
    return looked_at(specs)[0]


def looked_at(specs: Names) -> tuple[list[Path], tuple[str, ...]]:
    """The same, and what was not looked into."""
    found: list[Path] = []
    skipped: list[str] = []
    for name in [specs] if isinstance(specs, (str, Path)) else specs:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_inside(path, skipped))
            if not inside:
                raise InputError("; ".join([f"there are no spec files in {name}", *skipped]))
            found += inside
        else:
            found.append(path)
    if not found:
        raise InputError("which specs? None is named")
    return list(dict.fromkeys(found)), tuple(skipped)


def _inside(folder: Path, skipped: list[str]) -> Iterator[Path]:
    """The spec files below a folder, each once; what leads out of it is somebody else's."""
    links = []
    files = set()
    for path in walked(folder, lambda path, why: skipped.append(f"{path} is not looked into: {why}")):
        if path.suffix not in SUFFIXES:
            continue
        if path.is_symlink():
            links.append(path)
        else:
            files.add(real_path(path))
            yield path
    root = real_path(folder)
    for path in links:
        target = real_path(path)
        if not target.is_relative_to(root):
            skipped.append(f"{path} is not looked into: it is a link to a file that lies elsewhere")
        elif target not in files:
            yield path
