"""Paths that clash on systems that ignore case or the composition of letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def twins(paths: Iterable[str]) -> tuple[str, str] | None:
    """Return two paths that clash on systems that ignore case or Unicode composition; None where there are none.

    A path that occurs twice, or as a file and as a folder, clashes with itself.

    Examples:
        >>> twins(["a/B.yaml", "A/b.yaml"]), twins(["a.yaml", "b.yaml"]), twins(["a", "A/b"]), twins(["a", "a"])
        (('a', 'A'), None, ('a', 'A'), ('a', 'a'))
    """
    folders: dict[str, str] = {}
    files: dict[str, str] = {}
    for path in paths:
        steps = path.split("/")
        for end in range(1, len(steps)):
            folder = "/".join(steps[:end])
            known = files.get(_folded(folder)) or folders.setdefault(_folded(folder), folder)
            if known != folder or _folded(folder) in files:
                return known, folder
        twin = files.get(_folded(path)) or folders.get(_folded(path))
        if twin is not None:
            return twin, path
        files[_folded(path)] = path
    return None


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
