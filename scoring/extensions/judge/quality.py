"""Measuring the quality of a judge from finished runs: agreement with judges and people, and the best threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from scoring.data.file import InputFile
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.extensions.verification.read import StoredRun, score_of
from scoring.ranges import GREATEST
from scoring.result import Unscored

if TYPE_CHECKING:
    from scoring.extensions.calibration.reliability import Aim

PEOPLE = "people"
MOST_RATERS = 256
"""Maximum number of raters; each is compared with each other."""
_PASSES = {"true": True, "yes": True, "pass": True, "1": True, "false": False, "no": False, "fail": False, "0": False}
Raters = Mapping[str, Mapping[str, float]]


def calibration(run: StoredRun, column: str, *, field: str | None = None, aim: Aim = "kappa") -> dict[str, Any]:
    """Return, as plain data, the threshold from which a judge's scores should pass so that they agree best with labels
    of people, and its quality.

    Args:
        run: A run whose records people have labelled.
        column: The attribute or data column that contains the labels.
        field: The field (a part of an answer with its own score) to calibrate; the record's own score if not given.
        aim: The measure that the proposed threshold maximizes.

    Raises:
        InputError: when there are no labels, or they don't suffice for a calibration.
    """
    from scoring.extensions.calibration.reliability import calibrate_threshold

    labels = _read_human_labels(run, column)
    scores = _joint(run, field)
    keys = [key for key in labels if key in scores]
    try:
        found = calibrate_threshold([scores[key] for key in keys], [is_pass(labels[key]) for key in keys], aim=aim)
    except Unscored as error:
        raise InputError(str(error)) from error
    return {"aim": aim, "labels": column, "without_score": len(labels) - len(keys), **found.to_json()}


def _joint(run: StoredRun, field: str | None) -> dict[str, float]:
    """Return the score of each record (or of its field `field`, if given) by the record's key, without unscored ones;
    for a panel of judges, the combined score.
    """
    parts = {key: data if field is None else data["fields"].get(field, {}) for key, data in run.records.items()}
    return {key: score for key, part in parts.items() if (score := score_of(part)) is not None}


def measure_agreement(
    runs: Sequence[StoredRun], column: str | None = None, *, field: str | None = None, pass_at: float = 0.5
) -> dict[str, Any]:
    """Return the agreement of the judges of some runs, with one another and with people.

    Raters are the runs, or the members and samples of a panel in a run that has one. Krippendorff's alpha uses the
    scores themselves; the kappas use them as passes and fails.

    Args:
        runs: Runs of the same records.
        column: The attribute or data column with labels of people, who then are one more rater.
        field: The field to compare; the records' own scores if not given.
        pass_at: Scores of at least this value are passes.

    Raises:
        InputError: when there are fewer than two raters.
    """
    raters: dict[str, Mapping[str, float]] = {}
    for run in runs:
        for name, scores in raters_of(run, field).items():
            raters[f"{run.name}: {name}" if name in raters else name] = scores
    if column is not None:
        raters[PEOPLE] = _read_human_labels(runs[0], column)
    if len(raters) < 2:
        raise InputError("agreement needs two raters: several runs, a run with several judges or samples, or --labels")
    pairs = [_pair(one, other, raters, pass_at) for one, other in combinations(raters, 2)]
    return {"raters": list(raters), "pass_at": pass_at, **_all(raters, pass_at), "pairs": pairs}


def _all(raters: Raters, pass_at: float) -> dict[str, Any]:
    from scoring.extensions.agreement.statistics import fleiss_kappa, krippendorff_alpha

    keys = list(dict.fromkeys(key for scores in raters.values() for key in scores))
    units = [[scores[key] for scores in raters.values() if key in scores] for key in keys]
    complete = [[score >= pass_at for score in unit] for unit in units if len(unit) == len(raters)]
    return {
        "records": len(keys),
        "rated_by_all": len(complete),
        "krippendorff_alpha": _or_none(lambda: krippendorff_alpha(units, level="interval")),
        "fleiss_kappa": _or_none(lambda: fleiss_kappa(complete)),
    }


def _pair(one: str, other: str, raters: Raters, pass_at: float) -> dict[str, Any]:
    from scoring.extensions.agreement.statistics import cohen_kappa_score

    shared = [key for key in raters[one] if key in raters[other]]
    left, right = ([raters[name][key] >= pass_at for key in shared] for name in (one, other))
    same = sum(a == b for a, b in zip(left, right, strict=True))
    return {
        "raters": [one, other],
        "records": len(shared),
        "same_verdict": same / len(shared) if shared else None,
        "cohen_kappa": _or_none(lambda: cohen_kappa_score(left, right)),
    }


def _or_none(measure: Callable[[], float]) -> float | None:
    try:
        return measure()
    except Unscored:  # all ratings equal, or no shared records: agreement beyond chance is undefined
        return None


# ---- labels by people, and opinions of panels


def _read_human_labels(run: StoredRun, column: str) -> dict[str, float]:
    """Return the label of each record that has one, as a number: passes are 1, failures 0.

    Args:
        run: The run.
        column: An attribute of its breakdowns, or a column of its data.

    Raises:
        InputError: when no record has such a label, or one is neither a number nor a word for pass or fail.
    """
    attributes = {key: (data.get("attributes") or {}).get(column) for key, data in run.records.items()}
    found = {key: value for key, value in attributes.items() if value is not None}
    if not found:
        in_data = dict(_of_data(run, column))
        found = {key: in_data[data["where"]] for key, data in run.records.items() if data["where"] in in_data}
    if not found:
        raise InputError(f"no record has a label in `{column}`, neither the run's attributes nor its data")
    return {key: label_number(value) for key, value in found.items()}


def _of_data(run: StoredRun, column: str) -> Iterator[tuple[str, Any]]:
    """Yield the location and the value of each row of the run's data that has a value in the column."""
    files = {entry["role"]: entry for entry in run.manifest["inputs"]}
    entry = files.get("records")
    if entry is None:
        return
    for row in read_rows(InputFile.again(entry)):
        value = (row.record or {}).get(column)
        if value is not None and value != "":
            yield row.where, value


def label_number(value: Any) -> float:
    """Return a label that a person gave as a number: 1 for a word for pass, 0 for one for fail.

    Raises:
        InputError: when the label is neither a number nor a word for pass or fail.

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
    """Return True if a label is a pass (1), False if it is a fail (0).

    Raises:
        InputError: when the label is another number, a rating.
    """
    if label not in (0.0, 1.0):
        raise InputError(f"a calibration needs passes and fails, but the label {label:g} is a rating")
    return label == 1.0


def raters_of(run: StoredRun, field: str | None = None) -> dict[str, dict[str, float]]:
    """Return, for each rater, its score of each record by the record's key; raters are the members and samples of a
    panel if the run recorded them, else the run itself.

    Args:
        run: The run.
        field: The field to use; the record's own score if not given.

    Raises:
        InputError: when no record has such a field, or an opinion is not a score.
    """
    members: dict[str, dict[str, float]] = {}
    if field is not None and not any(field in data["fields"] for data in run.records.values()):
        raise InputError(f"no record of {run.name} has the field `{field}`")
    for key, data in run.records.items():
        for name, score in _opinions(data, field).items():
            if score is None:
                continue
            if not isinstance(score, (int, float)) or not abs(score) <= GREATEST:
                raise InputError(f"can't read the run in {run.name}: an opinion about record {key} is not a score")
            members.setdefault(name, {})[key] = float(score)
        if len(members) > MOST_RATERS:
            raise InputError(f"{run.name} has more than {MOST_RATERS} raters, too many to compare each with each other")
    return members or {run.name: _joint(run, field)}


def _opinions(data: Mapping[str, Any], field: str | None) -> Mapping[str, Any]:
    parts = data["fields"]
    if field is None and len(parts) == 1:
        (field,) = parts
    notes = parts.get(field, {}).get("notes") or {}
    found = notes.get("opinions")
    return found if isinstance(found, Mapping) else {}
