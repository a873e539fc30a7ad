"""Whether the folder of a run still is what the run wrote: every file of it, their digests, and the manifest itself.

A seal has no key, so one who changes a folder and computes all digests anew is not found here but by scoring again.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.data.plain_files import open_plain
from scoring.data.strict_json import dumps_pretty
from scoring.engine.runs.folder import MANIFEST, SCORES, SIGNATURE, UNFINISHED
from scoring.engine.runs.lock import LOCK
from scoring.engine.runs.sealed import SEAL, holds

SEALED_FROM = 2
"""The first format of manifests that hold the digests of all files."""

ODD = "no plain file"
"""What stands for the digest of a device or a pipe, which nobody reads."""

MOST = 100_000
"""How many files of a folder are looked at; a run writes no more."""


def digests_of(folder: Path) -> dict[str, str]:
    """The digest of every file of a run's folder by its name there; of what is no plain file, what it is instead."""
    return {path.relative_to(folder).as_posix(): _digest(path) for path in islice(_held(folder), MOST)}


def _held(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name == SCORES and path.is_dir() and not path.is_symlink():
            yield from sorted(path.iterdir())
        # A signature is of the manifest, which can't name it; one that was killed at its very end has left the others.
        elif path.name not in (LOCK, UNFINISHED, SIGNATURE):
            yield path


def _digest(path: Path) -> str:
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        return "a link" if stat.S_ISLNK(mode) else "a folder" if stat.S_ISDIR(mode) else ODD
    with open_plain(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def broken(manifest: Mapping[str, Any], text: str, files: Mapping[str, str]) -> list[str]:
    """What of a run's folder is not as it was written, a line each; nothing of a run of before manifests were sealed.

    Args:
        manifest: The manifest.
        text: Its file.
        files: What `digests_of` the folder says.
    """
    if type(manifest.get("format")) is int and manifest["format"] < SEALED_FROM and SEAL not in manifest:
        return []
    found = []
    if not holds(manifest):
        found.append(f"{MANIFEST} is not what was written: its seal is of another content")
    elif dumps_pretty(manifest) != text:
        found.append(f"{MANIFEST} is not what was written: it says the same in other bytes")
    stated = manifest.get("files")
    if not isinstance(stated, dict):
        return [*found, f"{MANIFEST} does not say which files there are"]
    for name in sorted({*stated, *files} - {MANIFEST}):
        if name not in files:
            found.append(f"{name} is not there")
        elif name not in stated:
            found.append(f"{name} is no file of the run")
        elif files[name] != stated[name]:
            what = (
                "is not what was written"
                if len(files[name]) == len(hashlib.sha256().hexdigest())
                else f"is {files[name]}"
            )
            found.append(f"{name} {what}")
    if files.get(MANIFEST) == "a link":
        found.append(f"{MANIFEST} is a link")
    return found
