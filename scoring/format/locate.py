"""Where shipped and installed files are: packs, examples, schemas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from scoring.registry import plugins

GROUP = "scoring.packs"


@cache
def data_folder(kind: str) -> Path:
    """The folder ``specs`` or ``schemas``: beside the package in a checkout, inside it in a wheel.

    The checkout comes first: an editable install may leave a stale copy inside the package.
    """
    package = Path(__file__).resolve().parents[1]
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / kind).is_dir():
        return checkout / kind
    return package / "_data" / kind


def bundled_packs() -> dict[str, list[Path]]:
    """The shipped packs: every version's file, by pack name."""
    folder = data_folder("specs")
    found: dict[str, list[Path]] = {}
    for path in sorted([*folder.glob("*/pack.yaml"), *folder.glob("*/*/pack.yaml")]):
        found.setdefault(path.relative_to(folder).parts[0], []).append(path)
    return found


def pack_names() -> list[str]:
    """The names of all shipped and installed packs."""
    return sorted({*bundled_packs(), *(name for name, _ in installed_packs())})


def installed_packs(name: str | None = None) -> Iterator[tuple[str, Path]]:
    """Packs of installed packages: an entry point of the group ``scoring.packs`` names a folder or a module."""
    for entry in plugins.others(GROUP):
        if name is None or entry.name == name:
            yield entry.name, _pack_file(entry.load())


def _pack_file(loaded: Any) -> Path:
    if isinstance(loaded, (str, Path)):
        path = Path(loaded)
    else:
        from importlib.resources import files

        path = Path(str(files(loaded)))
    return path if path.suffix else path / "pack.yaml"
