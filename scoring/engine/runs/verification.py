"""Whether a finished run comes out the same when it is scored again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.row import InputError
from scoring.data.strict_json import canonical
from scoring.engine.runs.manifest import describe_folder
from scoring.engine.runs.read import StoredRun
from scoring.late import dataclass


def changed_inputs(run: StoredRun) -> list[str]:
    """The files that are gone, or no longer what was scored."""
    return [problem for entry in run.manifest["inputs"] if (problem := _changed(entry)) is not None]


def _changed(entry: Mapping[str, Any]) -> str | None:
    name, role = entry["name"], entry["role"]
    if name == "-":
        return f"the {role} came through a pipe and were not kept"
    if entry["kind"] == "memory":
        return f"the {role} were in memory and were not kept"
    path, file = Path(name), InputFile(name, kind=entry["kind"])
    if "…" in name and not path.exists():
        return f"{name} ({role}) was read with credentials, which were not kept"
    try:
        if path.is_dir() != (entry["kind"] == "folder"):
            raise FileNotFoundError(name)
        found = describe_folder(role, path)["sha256"] if path.is_dir() else file.sha256()
    except (OSError, InputError):
        return f"{name} ({role}) is gone"
    if found != entry["sha256"]:
        return f"{name} ({role}) is not the file that was scored"
    return None


@dataclass(frozen=True, slots=True)
class Verification:
    """What differs between a run and the same run scored again.

    Args:
        signature: The two signatures, where they mean different things.
        versions: Programs and libraries of another version; no failure by itself.
        records: The keys of records whose line of scores differs.
        summary: The parts of the summary that differ.
        total: How many records the run has.
    """

    signature: tuple[str, str] | None
    versions: tuple[str, ...]
    records: tuple[str, ...]
    summary: tuple[str, ...]
    total: int

    @property
    def same(self) -> bool:
        """Whether every score and every figure came out again."""
        return not (self.signature or self.records or self.summary)


def verify(stored: StoredRun, again: StoredRun) -> Verification:
    """Compare a run with the same run scored again."""
    before, now = stored.manifest["versions"], again.manifest["versions"]
    return Verification(
        (stored.signature, again.signature) if _means_otherwise(stored, again) else None,
        tuple(
            f"{name} {before.get(name, 'absent')} → {now.get(name, 'absent')}"
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ),
        tuple(
            key
            for key in {**stored.records, **again.records}
            if canonical(stored.records.get(key)) != canonical(again.records.get(key))
        ),
        tuple(
            part
            for part in {**stored.summary, **again.summary}
            if part != "signature" and canonical(stored.summary.get(part)) != canonical(again.summary.get(part))
        ),
        len(stored.records),
    )


def _means_otherwise(stored: StoredRun, again: StoredRun) -> bool:
    return bool(stored.means(again)) or stored.manifest["seed"] != again.manifest["seed"]
