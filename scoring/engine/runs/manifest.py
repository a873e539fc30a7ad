"""The manifest of a run: spec, packs, inputs, versions, seed and signature; enough to score it again and to compare it.

A manifest also holds against change the digest of every file as it was written, and one over itself. No key is part of
such a seal: whoever changes a folder can compute it anew, so it tells of accidents and of edits by hand and never who
made a run. What a forger can't do is make figures come out again that the data does not give, which `verify` asks.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from scoring.compiler.signature import Signature, library_version
from scoring.data.file import InputFile
from scoring.data.json_write import digest
from scoring.data.plain_files import walked
from scoring.version import VERSION

FORMAT = 2
"""Since 2 a manifest holds the digests of all other files of its folder, and a seal."""
KEYS = (
    *("format", "created", "task", "suite", "signature", "meaning", "env", "seed", "digests", "inputs", "settings"),
    *("versions", "spec", "records", "files", "seal"),
)
"""The keys of a manifest; `verify` reports any other."""
# What every run reads and counts with; what its primitives declare is added.
LIBRARIES = ("numpy", "scipy", "jmespath", "PyYAML", "jsonschema", "pyarrow")


class Made(Protocol):
    """The part of a manifest that describes a task or a suite."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def version(self) -> str:
        """Its version."""

    @property
    def signature(self) -> str:
        """Everything that can change the numbers, in one line."""

    @property
    def seed(self) -> int:
        """The seed of everything that draws random numbers."""

    def resolved(self) -> dict[str, Any]:
        """Return the resolved spec as plain data."""


def manifest(
    kind: Literal["task", "suite"],
    made: Made,
    inputs: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the manifest as plain data. It names files only as the user named them.

    Args:
        kind: What was run.
        made: The task or the suite.
        inputs: The files that were read.
        settings: What else the run was told, as far as it can change its figures.
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


def describe_input(role: str, file: InputFile) -> dict[str, Any]:
    """Return an input file as the manifest names it; the digest is of its stored bytes, `read` says how it is written.

    One that has ``changed`` was another one already when it had been read; the digest is of what was read.
    """
    sha256 = file.sha256()
    entry = {"role": role, "name": file.name, "kind": file.kind, "bytes": file.size, "sha256": sha256}
    entry |= {"read": file.found} if file.found else {}
    return {**entry, "changed": True} if file.changed else entry


def describe_folder(role: str, path: Path) -> dict[str, Any]:
    """Return an input folder as the manifest names it; the digest is of the names and digests of its files."""
    files = {file.relative_to(path).as_posix(): file for file in sorted(walked(path))}
    digests = {name: InputFile(str(file), kind="file").sha256() for name, file in files.items()}
    size = sum(file.stat().st_size for file in files.values())
    return {"role": role, "name": str(path), "kind": "folder", "bytes": size, "sha256": digest(digests)}


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of scoring, Python and the installed libraries."""
    found = {name: library_version(name) for name in dict.fromkeys((*LIBRARIES, *libraries))}
    installed = {name: version for name, version in found.items() if version != "none"}
    return {"scoring": VERSION, "python": sys.version.split()[0], **installed}


# ---- what it holds against change

SEAL = "seal"


class SealedFile(io.RawIOBase):
    """A file that is written from its begin to its end, and digested on the way."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        self._found = hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write some bytes."""
        self._found.update(data)
        return self._file.write(data)

    def writable(self) -> bool:
        """Return whether the file may be written."""
        return True

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._file.tell()

    def flush(self) -> None:
        """Pass the written data to the system."""
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def sha256(self) -> str:
        """Return the digest of the data written so far."""
        return self._found.hexdigest()


def sealed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest with its seal: the digest of all else in it.

    Examples:
        >>> held = sealed({"seed": 0})
        >>> holds(held), holds({**held, "seed": 1}), holds({"seed": 0})
        (True, False, None)
    """
    content = {name: value for name, value in manifest.items() if name != SEAL}
    return {**content, SEAL: digest(content)}


def holds(manifest: Mapping[str, Any]) -> bool | None:
    """Tell whether a manifest matches its seal; None if it has none, as in the former format."""
    if SEAL not in manifest:
        return None
    return bool(sealed(manifest)[SEAL] == manifest[SEAL])
