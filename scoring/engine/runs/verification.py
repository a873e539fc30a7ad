"""Whether a finished run comes out the same when it is scored again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.row import InputError
from scoring.data.strict_json import canonical
from scoring.engine.runs.manifest import describe_folder
from scoring.engine.runs.read import StoredRun
from scoring.late import dataclass


def changed_inputs(
    run: StoredRun, place: Callable[[Mapping[str, Any]], str | None], known: Sequence[str] = ()
) -> list[str]:
    """The files that are gone, or no longer what was scored.

    Args:
        run: The run.
        place: Where an input is now, None where it was in no file.
        known: The roles of inputs that nobody looks for, since a bundle holds what was made of them.
    """
    entries = (entry for entry in run.manifest["inputs"] if entry["role"] not in known)
    return [problem for entry in entries if (problem := _changed(entry, place(entry))) is not None]


def _changed(entry: Mapping[str, Any], place: str | None) -> str | None:
    name, role = entry["name"], entry["role"]
    if place is None:
        came = "came through a pipe" if name == "-" else "were in memory"
        return f"the {role} {came} and were not kept"
    path, file = Path(place), InputFile(place, kind=entry["kind"])
    if "…" in place and not path.exists():
        return f"{name} ({role}) was read with credentials, which were not kept"
    shown = name if place.endswith(name) else f"{place}, given for {name}"
    try:
        if entry["kind"] != "memory" and path.is_dir() != (entry["kind"] == "folder") and file.files[0] is file:
            raise FileNotFoundError(name)
        found = describe_folder(role, path)["sha256"] if entry["kind"] == "folder" else file.sha256()
    except (OSError, InputError):
        return f"{shown} ({role}) is gone"
    # Nobody knows the digest of what was in memory: whether it is the same is seen when it is scored.
    if found != entry["sha256"] and entry["sha256"]:
        return f"{shown} ({role}) is not the file that was scored"
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
