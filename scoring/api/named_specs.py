"""The spec files that names stand for: files as they are, and folders with what lies below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from scoring.api.verb import verb
from scoring.data.plain_files import read_plain, real_path, walked
from scoring.data.rows.row import InputError
from scoring.project.find import STORE

Names: TypeAlias = str | Path | Iterable[str | Path]
SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 8_000_000
# A line of YAML that begins so, or a key of JSON.
_KIND = re.compile(rb"""(?m)^\{?[ \t]*["']?kind["']?[ \t]*:[ \t]*["']?(?:task|pack|suite)\b""")
_KEY = re.compile(rb'"kind"\s*:\s*"(?:task|pack|suite)"')


@verb
def spec_files(specs: Names) -> list[Path]:
    """The files that some names stand for; a folder stands for the YAML files below it.

    Raises:
        InputError: when a folder holds none, or nothing is named.
    """
    return looked_at(specs)[0]


def looked_at(specs: Names, only_specs: bool = False) -> tuple[list[Path], tuple[str, ...]]:
    """The same, and what was not looked into.

    Args:
        specs: Files and folders.
        only_specs: Whether files are left out that say no `kind:` of ours, and folders that hold what others have
            written: those whose name begins with a dot, and what package managers fill.
    """
    found: list[Path] = []
    skipped: list[str] = []
    for name in [specs] if isinstance(specs, (str, Path)) else specs:
        path = Path(name)
        if path.is_dir():
            inside = sorted(_inside(path, skipped, only_specs))
            if not inside and not only_specs:
                raise InputError("; ".join([f"there are no spec files in {name}", *skipped]))
            found += inside
        elif not only_specs or says_kind(path) or not path.exists():  # who names what is not there is told so
            found.append(path)
    if not found and not only_specs:
        raise InputError("which specs? None is named")
    return list(dict.fromkeys(found)), tuple(skipped)


def says_kind(path: Path) -> bool:
    """Whether a file says of itself that it is a task, a pack or a suite; one that can't be read is told later.

    Examples:
        >>> says_kind(Path("specs/quickstart/invoices.yaml")), says_kind(Path("pyproject.toml"))
        (True, False)
    """
    if path.suffix.lower() not in (*SUFFIXES, ".json"):
        return False
    try:
        content = read_plain(path, _MOST_BYTES)
    except (OSError, ValueError):
        return True
    return (_KEY if path.suffix.lower() == ".json" else _KIND).search(content) is not None


def _left_out(name: str) -> bool:
    return name.startswith(".") or name in ("node_modules", "site-packages", "__pycache__")


def _inside(folder: Path, skipped: list[str], only_specs: bool = False) -> Iterator[Path]:
    """The spec files below a folder, each once; what leads out of it is somebody else's."""
    links = []
    files = set()
    # The store of a project holds what is checked where it comes from.
    leave = _left_out if only_specs else STORE.partition("/")[0].__eq__
    for path in walked(folder, lambda path, why: skipped.append(f"{path} is not looked into: {why}"), leave=leave):
        if path.suffix not in SUFFIXES or (only_specs and not says_kind(path)):
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
