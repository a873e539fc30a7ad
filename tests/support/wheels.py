"""Wheels, and a folder of them that pip takes for its index."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest


def write_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str | bytes],
    *,
    packs: Mapping[str, str] | None = None,
    odd: Mapping[str, zipfile.ZipInfo] | None = None,
) -> Path:
    """A wheel of pure Python.

    Args:
        folder: Where.
        name: The distribution.
        version: Its version.
        files: Its files.
        packs: Its entry points of the group ``scoring.packs``.
        odd: Members that are made with another head, by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plain = name.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    held: dict[str, str | bytes] = dict(files)
    held[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    held[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if packs is not None:
        lines = "".join(f"{one} = {value}\n" for one, value in packs.items())
        held[f"{info}/entry_points.txt"] = f"[scoring.packs]\n{lines}"
    held[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*held, f"{info}/RECORD"])
    path = folder / f"{plain}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, text in held.items():
            archive.writestr((odd or {}).get(place, place), text)
    return path


def take_for_index(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have pip look there and nowhere else."""
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": "/dev/null"}.items():
        patch.setenv(name, value)
