"""The text of locks: of `scoring.lock`, and of the lock of a spec."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from scoring.compiler.identity.lock import Lock
from scoring.data.output import write_file
from scoring.project.lock import FORMAT, LockedPack, ProjectLock


def spec_lock_text(lock: Lock, name: str) -> str:
    """Return the content of the lock file of a single spec.

    Args:
        lock: The lock: the digests of the spec's meaning and packs.
        name: The name of the spec's file.
    """
    return json.dumps(lock.data(name), indent=2, ensure_ascii=False) + "\n"


def lock_text(lock: ProjectLock) -> str:
    """Return the content of a project's `scoring.lock`: sorted, with one line per entry, so that diffs show what
    changed.

    Examples:
        >>> print(lock_text(ProjectLock()), end="")
        {
          "format": 1,
          "packs": {},
          "specs": {}
        }
    """
    packs = dict(map(_entry, sorted(lock.packs, key=lambda one: one.key)))
    parts = {"format": FORMAT, "packs": packs, "specs": dict(sorted(lock.specs.items()))}
    lines = [f"  {json.dumps(name)}: {_lines(part)}" for name, part in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_lock(lock: ProjectLock, path: Path) -> None:
    """Write a project's lock to a file, which is replaced atomically.

    Raises:
        InputError: when it can't be written.
    """
    write_file(path, lock_text(lock).encode())


def _entry(pack: LockedPack) -> tuple[str, dict[str, Any]]:
    """Return the key (name and version) and the value of a pack's entry in the lock."""
    fields = {"digest": pack.digest, "entry": pack.entry, "source": pack.where.written(), "at": pack.at}
    fields |= {"revision": pack.revision, "meanings": dict(pack.meanings), "signature": pack.signature}
    return f"{pack.name}@{pack.version}", {name: value for name, value in fields.items() if value or name == "source"}


def _lines(part: Any) -> str:
    if not isinstance(part, dict):
        return json.dumps(part)
    if not part:
        return "{}"
    line = partial(json.dumps, ensure_ascii=False, sort_keys=True)
    return "{\n" + ",\n".join(f"    {line(key)}: {line(value)}" for key, value in part.items()) + "\n  }"
