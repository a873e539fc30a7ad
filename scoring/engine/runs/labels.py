"""Labels that people gave to the records of a run: an attribute of the run, or a column of the data it was made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.data.rows.row import InputError
from scoring.engine.runs.read import StoredRun
from scoring.ranges import GREATEST

MOST_RATERS = 256
"""So many raters are compared, each with each other, at most."""
_PASSES = {"true": True, "yes": True, "pass": True, "1": True, "false": False, "no": False, "fail": False, "0": False}


def labels_of(run: StoredRun, column: str) -> dict[str, float]:
    """The label of each record that has one, as a number: passes are 1, failures 0.

    Args:
        run: The run.
        column: An attribute of its breakdowns, or a column of its data.

    Raises:
        InputError: when no record has such a label, or one is neither a number nor a word for pass or fail.
    """
    found = {key: value for key, data in run.records.items() if (value := _attribute(data, column)) is not None}
    if not found:
        places = dict(_of_data(run, column))
        found = {key: places[data["where"]] for key, data in run.records.items() if data["where"] in places}
    if not found:
        raise InputError(f"no record has a label in `{column}`, neither the run's attributes nor its data")
    return {key: label_number(value) for key, value in found.items()}


def _attribute(data: Mapping[str, Any], column: str) -> Any:
    return (data.get("attributes") or {}).get(column)


def _of_data(run: StoredRun, column: str) -> Iterator[tuple[str, Any]]:
    """The column by the places of the rows."""
    files = {entry["role"]: entry for entry in run.manifest["inputs"]}
    entry = files.get("records")
    if entry is None:
        return
    for row in read_rows(InputFile.again(entry)):
        value = (row.record or {}).get(column)
        if value is not None and value != "":
            yield row.where, value


def label_number(value: Any) -> float:
    """A label as a number.

    Raises:
        InputError: when it is neither a number nor a word for pass or fail.

    Examples:
        >>> label_number(True), label_number("no"), label_number("0.75"), label_number(4)
        (1.0, 0.0, 0.75, 4.0)
    """
    word = str(value).strip().lower()
    if word in _PASSES:
        return float(_PASSES[word])
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not abs(number) <= GREATEST:
        raise InputError(f"the label {word[:40]!r} is neither a number nor yes, no, pass or fail")
    return number


def is_pass(label: float) -> bool:
    """Whether a label is a pass, for labels that say no more than that.

    Raises:
        InputError: when the label is a rating.
    """
    if label not in (0.0, 1.0):
        raise InputError(f"a calibration needs passes and fails, and the label {label:g} is a rating")
    return label == 1.0


def raters_of(run: StoredRun, field: str | None = None) -> dict[str, dict[str, float]]:
    """The scores by rater: the members and samples of a panel where the run has kept them, else the run itself.

    Args:
        run: The run.
        field: The field that is meant; the record's own score where not given.

    Raises:
        InputError: when no record has such a field, or opinions are none.
    """
    own: dict[str, float] = {}
    members: dict[str, dict[str, float]] = {}
    if field is not None and not any(field in data["fields"] for data in run.records.values()):
        raise InputError(f"no record of {run.name} has the field `{field}`")
    for key, data in run.records.items():
        part = data if field is None else data["fields"].get(field, {})
        if isinstance(part.get("score"), (int, float)) and part["status"] != "not_applicable":
            own[key] = float(part["score"])
        for name, score in _opinions(data, field).items():
            if score is not None:
                members.setdefault(name, {})[key] = _score(score, run, key)
        if len(members) > MOST_RATERS:
            raise InputError(f"{run.name} has more than {MOST_RATERS} raters, too many to compare each with each other")
    return members or {run.name: own}


def _score(value: Any, run: StoredRun, key: str) -> float:
    if isinstance(value, (int, float)) and abs(value) <= GREATEST:
        return float(value)
    raise InputError(f"can't read the run in {run.name}: an opinion about record {key} is no score")


def _opinions(data: Mapping[str, Any], field: str | None) -> Mapping[str, Any]:
    parts = data["fields"]
    if field is None and len(parts) == 1:
        (field,) = parts
    notes = parts.get(field, {}).get("notes") or {}
    found = notes.get("opinions")
    return found if isinstance(found, Mapping) else {}
