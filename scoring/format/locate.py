"""Locate the files of shipped and installed packs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.diagnostics.diagnostic import SpecError
from scoring.format.shipped import data_folder
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES
from scoring.registry import plugins

GROUP = "scoring.packs"
_MOST_BYTES = 8_000_000
_DECLARES_PACK = lazy_pattern(rb"""kind["']?[ \t]*:[ \t]*(?:&\w+[ \t]+)?["']?pack\b""")


def bundled_packs() -> dict[str, list[Path]]:
    """Return the files of all versions of the shipped packs, by pack name."""
    folder = data_folder("specs")
    found: dict[str, list[Path]] = {}
    for path in sorted([*folder.glob("*/pack.yaml"), *folder.glob("*/*/pack.yaml")]):
        found.setdefault(path.relative_to(folder).parts[0], []).append(path)
    return found


def pack_names() -> list[str]:
    """Return the names of all shipped and installed packs."""
    return sorted({*bundled_packs(), *(name for name, _ in installed_packs())})


def installed_packs(name: str | None = None) -> Iterator[tuple[str, Path]]:
    """Yield the name and file of all versions of packs in installed packages, found through their entry points.

    An entry point of the group ``scoring.packs`` names a module or a folder, which is searched without being imported;
    one that names an attribute of a module is imported, since its value is not known otherwise.

    Args:
        name: The pack's own name; all packs by default.
    """
    for entry in plugins.others(GROUP):
        for own, path in _packs_of(entry):
            if name is None or own == name:
                yield own, path


def _packs_of(entry: plugins.PlugIn) -> list[tuple[str, Path]]:
    folder = None if ":" in entry.value else plugins.folder_of(entry)
    if folder is None:
        return [(entry.name, _pack_file(entry.load()))]
    return list(packs_below(folder, entry.name))


def packs_below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    """Yield the pack files below a folder, each with the pack's own name, or ``name`` if that can't be read."""
    from scoring.format.read import read_file

    for path in sorted(folder.rglob("*")):
        if path.suffix not in SPEC_FILES or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            continue
        if not declares_pack(path.read_bytes()):
            continue
        try:
            own = read_file(path).get("name")
        except SpecError:  # the error is reported when it is imported
            own = None
        yield (own.value if own is not None and isinstance(own.value, str) else name), path


def declares_pack(content: bytes) -> bool:
    """Return whether a file's content looks like a pack's; others need not be parsed, which is a hundred times slower.

    Examples:
        >>> declares_pack(b"kind: pack"), declares_pack(b'{"kind": "task"}')
        (True, False)
    """
    return _DECLARES_PACK.search(content) is not None


def _pack_file(loaded: Any) -> Path:
    if isinstance(loaded, (str, Path)):
        path = Path(loaded)
    else:
        from importlib.resources import files

        path = Path(str(files(loaded)))
    return path if path.suffix else path / "pack.yaml"
