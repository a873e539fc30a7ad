"""What a run was made of: spec, packs, inputs, versions, seed and signature; enough to score again and compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.strict_json import digest
from scoring.engine.road.protocol import CompiledTask
from scoring.engine.runs.versions import versions

FORMAT = 1


def manifest(
    task: CompiledTask, inputs: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The manifest as plain data. It names files only as the user named them.

    Args:
        task: What scored.
        inputs: The files that were read.
        settings: What else the run was told, as far as it can change its figures.
    """
    resolved = task.resolved()
    return {
        "format": FORMAT,
        "created": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "task": {"name": task.name, "version": task.version},
        "signature": task.signature,
        "seed": task.seed,
        "digests": {
            "spec": resolved["digest"],
            "program": digest(resolved["program"]),
            "packs": {name: pack["digest"] for name, pack in sorted(resolved["packs"].items())},
        },
        "inputs": list(inputs),
        "settings": dict(settings or {}),
        "versions": versions(),
        "spec": resolved,
    }


def describe_input(role: str, file: InputFile) -> dict[str, Any]:
    """An input file as the manifest names it; the digest is of its stored bytes, `read` says how it is written."""
    entry = {"role": role, "name": file.name, "kind": file.kind, "bytes": file.size, "sha256": file.sha256()}
    return {**entry, "read": file.found} if file.found else entry


def describe_folder(role: str, path: Path) -> dict[str, Any]:
    """An input folder as the manifest names it; the digest is of the names and digests of its files."""
    files = {str(file.relative_to(path)): file for file in sorted(path.rglob("*")) if file.is_file()}
    digests = {name: InputFile(str(file), kind="file").sha256() for name, file in files.items()}
    size = sum(file.stat().st_size for file in files.values())
    return {"role": role, "name": str(path), "kind": "folder", "bytes": size, "sha256": digest(digests)}
