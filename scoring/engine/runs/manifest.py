"""Manifests of runs: spec, packs, inputs, versions, seed and signature; enough to score again and compare.

To detect changes, a manifest also contains the digest of every file as written, and a digest of itself, the seal. No
key is involved, so anyone who changes a folder can recompute the seal; it detects accidents and edits by hand, but does
not prove who made a run. A forger still can't make data give other figures, and `verify` checks that by scoring again.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO, Protocol

from scoring.compiler.identity.signature import Signature, library_version
from scoring.data.json_write import digest
from scoring.version import VERSION

FORMAT = 2
"""Version of the manifest format; since 2 it contains the digests of all other files of the folder, and a seal."""
KEYS = (
    *("format", "created", "task", "suite", "signature", "meaning", "env", "seed", "digests", "inputs", "settings"),
    *("versions", "spec", "records", "files", "seal"),
)
"""The keys of a manifest; `verify` reports any others."""
# The libraries that every run uses; those declared by its primitives are added.
LIBRARIES = ("numpy", "scipy", "jmespath", "PyYAML", "jsonschema", "pyarrow")


class Made(Protocol):
    """The interface of a task or a suite from which a manifest is made."""

    @property
    def name(self) -> str:
        """The name of the task or suite."""

    @property
    def version(self) -> str:
        """The version of the task or suite."""

    @property
    def signature(self) -> str:
        """The signature: everything that can change the numbers, in one line."""

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""

    def resolved(self) -> dict[str, Any]:
        """Return the complete resolved spec as plain data."""


def manifest(
    kind: str, made: Made, inputs: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the manifest as plain data, in which files have the names that the user gave.

    Args:
        kind: ``task``, or the kind of a file that joins tasks, such as ``suite``.
        made: The task or the suite.
        inputs: The entries of the files that were read.
        settings: Further settings of the run that can change its figures.
    """
    resolved, line = made.resolved(), Signature(made.signature)
    tasks = {name: task["meaning"] for name, task in sorted(resolved.get("tasks", {}).items())}
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        kind: {"name": made.name, "version": made.version},
        "signature": line,
        "meaning": line.meaning,
        "env": line.env,
        "seed": made.seed,
        "digests": {
            "spec": resolved["digest"],
            "program": resolved["meaning"],
            **({"tasks": tasks} if "tasks" in resolved else {}),
            "packs": {name: pack["digest"] for name, pack in sorted(resolved["packs"].items())},
        },
        "inputs": list(inputs),
        "settings": dict(settings or {}),
        "versions": versions(resolved["libraries"]),
        "spec": resolved,
    }


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions by name of scoring, Python, our dependencies and `libraries`, as far as installed."""
    found = {name: library_version(name) for name in dict.fromkeys((*LIBRARIES, *libraries))}
    installed = {name: version for name, version in found.items() if version != "none"}
    return {"scoring": VERSION, "python": sys.version.split()[0], **installed}


# ---- protection against changes

SEAL = "seal"


class SealedFile(io.RawIOBase):
    """A file that is written sequentially while its digest is computed."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        self._found = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write some bytes."""
        self._found.update(data)
        return self._file.write(data)

    def writable(self) -> bool:
        """Return True, as the file interface requires."""
        return True

    def tell(self) -> int:
        """Return the number of bytes written so far."""
        return self._file.tell()

    def flush(self) -> None:
        """Flush buffered bytes to the operating system."""
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def sha256(self) -> str:
        """Return the digest of the bytes written so far."""
        return self._found.hexdigest()


def sealed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest with its seal: the digest of everything else in it.

    Examples:
        >>> held = sealed({"seed": 0})
        >>> holds(held), holds({**held, "seed": 1}), holds({"seed": 0})
        (True, False, None)
    """
    content = {name: value for name, value in manifest.items() if name != SEAL}
    return {**content, SEAL: digest(content)}


def holds(manifest: Mapping[str, Any]) -> bool | None:
    """Return whether a manifest matches its seal; None if it has none, as in format 1."""
    if SEAL not in manifest:
        return None
    return bool(sealed(manifest)[SEAL] == manifest[SEAL])
