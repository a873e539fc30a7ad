"""The pictures that a record names, small, for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.extensions.studio.boards import leaves_of_record
from scoring.extensions.vision.files.pictures import STEMS, PictureFiles

MOST_PICTURES = 6
"""The most pictures that are shown of one record."""


def pictures_of(record: Mapping[str, Any], folder: Path) -> list[dict[str, str]]:
    """Return the pictures that a record names, by the endings of their names, from below the folder of the data.

    Each has the ``path`` at which the record names it, its ``name``, and its ``address``, which holds the picture
    itself, or ``why`` it is not shown.
    """
    files = PictureFiles(folder)
    found = []
    for path, name in list(_named(record))[:MOST_PICTURES]:
        address, why = files.address(name)
        found.append({"path": path, "name": name[:200], "address": address, "why": why})
    return found


def _named(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, value in leaves_of_record(record):
        for one in value[:MOST_PICTURES] if isinstance(value, list) else [value]:
            if isinstance(one, str) and len(one) < 1_000 and one.lower().endswith(STEMS) and "\n" not in one:
                yield ".".join(path), one
