"""Access to the results that finished runs recorded, for comparing two runs without scoring again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.errors import InputError
from scoring.extensions.comparison.runs.better import better_of_json
from scoring.extensions.sharing.changes.score_changes import RecordScore, ScoredData
from scoring.extensions.verification.read import StoredRun
from scoring.ranges import Better


def better_of_figures(figures: Iterable[Mapping[str, Any]]) -> dict[str, Better]:
    """Return the direction in which each figure gets better, by the name of its metric; a figure that does not state
    one is left out."""
    return {str(one.get("metric")): better_of_json(one["better"]) for one in figures if "better" in one}


def recorded_scores(stored: StoredRun) -> ScoredData:
    """Return the scores of records and the figures that a finished run recorded."""
    records = {key: _recorded(line) for key, line in stored.records.items()}
    listed = stored.summary.get("metrics")
    figures = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    return ScoredData(
        records, {str(one.get("metric")): _number(one.get("value")) for one in figures}, better_of_figures(figures)
    )


def _recorded(line: Mapping[str, Any]) -> RecordScore:
    fields = {
        str(name): (str(field.get("status")), _number(field.get("score")))
        for name, field in (line.get("fields") or {}).items()
        if isinstance(field, Mapping)
    }
    names, values = tuple(fields), tuple(fields.values())
    return str(line.get("status")), _number(line.get("score")), line.get("passed"), names, values


def _number(value: Any) -> float | None:
    """Return a value from a run's files if it is a finite number, else None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def data_of_run(run: StoredRun) -> Any:
    """Return a value that identifies the data of a run: two runs have equal values if they scored the same files with
    the same limit and settings of reading."""
    roles = ("records", "predictions", "references", "groundtruth")
    inputs = sorted((str(one["role"]), str(one["sha256"])) for one in run.manifest["inputs"] if one["role"] in roles)
    return inputs, run.manifest["settings"].get("limit"), [run.signature.parts.get(name) for name in _READ_BY]


_READ_BY = ("limits", "format")
"""The parts of a signature about how data is read."""


def read_otherwise(old: StoredRun, new: StoredRun) -> dict[str, Any]:
    """Return a line for each setting of reading data in which two runs differ, as a list under the key ``read``; an
    empty mapping if there is none."""
    sides = [[run.signature.parts.get(name, "as usual") for name in _READ_BY] for run in (old, new)]
    differing = [f"{name} {one} → {two}" for name, one, two in zip(_READ_BY, *sides, strict=True) if one != two]
    return {"read": differing} if differing else {}


def program_of_run(run: StoredRun) -> Mapping[str, Any]:
    """Return the compiled program of a run's task, as its manifest contains it.

    Raises:
        InputError: when its manifest has none.
    """
    spec = run.manifest.get("spec") or {}
    program = spec.get("program")
    if not isinstance(program, Mapping):
        raise InputError(
            f"{run.name} does not say what it was scored by: its spec is gone, and its manifest does not hold one"
        )
    return program


def reads_of_run(run: StoredRun) -> Mapping[str, Any]:
    """Return the path in a record from which a run read each part (response, reference …), by the name of the part."""
    return dict((run.manifest.get("spec") or {}).get("reads") or {})


def about_run(run: StoredRun) -> dict[str, Any]:
    """Return the name, version and kind of a run's task or suite, and the name of the run in messages."""
    name, _, version = run.signature.parts["task"].rpartition("@")
    version = "" if version == "0" else version  # a task without a version is recorded as 0
    return {
        "shown": run.name,
        "name": name,
        "version": version,
        "kind": "suite" if run.manifest.get("suite") else "task",
    }
