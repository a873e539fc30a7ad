"""What a run was made of: spec, packs, inputs, versions, seed and signature; enough to score again and compare."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

from scoring.compiler.signature import Signature, library_version
from scoring.data.file import InputFile
from scoring.data.plain_files import walked
from scoring.data.strict_json import digest
from scoring.version import VERSION

FORMAT = 2
"""Since 2 a manifest holds the digests of all other files of its folder, and a seal."""
# What every run reads and counts with; what its primitives declare is added.
LIBRARIES = ("numpy", "scipy", "jmespath", "PyYAML", "jsonschema", "pyarrow")


class Made(Protocol):
    """What a manifest says of a task or a suite."""

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
        """The whole of it as plain data."""


def manifest(
    kind: Literal["task", "suite"],
    made: Made,
    inputs: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The manifest as plain data. It names files only as the user named them.

    Args:
        kind: What was run.
        made: The task or the suite.
        inputs: The files that were read.
        settings: What else the run was told, as far as it can change its figures.
    """
    resolved = made.resolved()
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        kind: {"name": made.name, "version": made.version},
        **_signed(made),
        "digests": {
            "spec": resolved["digest"],
            "program": resolved["meaning"],
            **_tasks(resolved),
            "packs": {name: pack["digest"] for name, pack in sorted(resolved["packs"].items())},
        },
        "inputs": list(inputs),
        "settings": dict(settings or {}),
        "versions": versions(resolved["libraries"]),
        "spec": resolved,
    }


def _signed(made: Made) -> dict[str, Any]:
    """What the numbers mean and what they were made with: the signature with its two parts, and the seed."""
    line = Signature(made.signature)
    return {"signature": line, "meaning": line.meaning, "env": line.env, "seed": made.seed}


def _tasks(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """The digest of each task's program in a suite."""
    if "tasks" not in resolved:
        return {}
    return {"tasks": {name: task["meaning"] for name, task in sorted(resolved["tasks"].items())}}


def describe_input(role: str, file: InputFile) -> dict[str, Any]:
    """An input file as the manifest names it; the digest is of its stored bytes, `read` says how it is written.

    One that has ``changed`` was another one already when it had been read; the digest is of what was read.
    """
    sha256 = file.sha256()
    entry = {"role": role, "name": file.name, "kind": file.kind, "bytes": file.size, "sha256": sha256}
    entry |= {"read": file.found} if file.found else {}
    return {**entry, "changed": True} if file.changed else entry


def describe_folder(role: str, path: Path) -> dict[str, Any]:
    """An input folder as the manifest names it; the digest is of the names and digests of its files."""
    files = {str(file.relative_to(path)): file for file in sorted(walked(path))}
    digests = {name: InputFile(str(file), kind="file").sha256() for name, file in files.items()}
    size = sum(file.stat().st_size for file in files.values())
    return {"role": role, "name": str(path), "kind": "folder", "bytes": size, "sha256": digest(digests)}


def versions(libraries: Iterable[str] = ()) -> dict[str, str]:
    """The versions of scoring, Python and the installed libraries.

    Args:
        libraries: Further distributions; those that are not installed are left out.
    """
    found = {name: library_version(name) for name in dict.fromkeys((*LIBRARIES, *libraries))}
    installed = {name: version for name, version in found.items() if version != "none"}
    return {"scoring": VERSION, "python": sys.version.split()[0], **installed}
