"""How good a judge is, from finished runs: agreement with other judges and with people, and where it should pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from scoring.data.rows.row import InputError
from scoring.engine.runs.labels import is_pass, labels_of, raters_of
from scoring.engine.runs.read import StoredRun
from scoring.result import Unscored

if TYPE_CHECKING:
    from scoring.statistics.calibration import Aim

PEOPLE = "people"
Raters = Mapping[str, Mapping[str, float]]


def calibration(run: StoredRun, column: str, *, field: str | None = None, aim: Aim = "kappa") -> dict[str, Any]:
    """The calibration report of a run as plain data.

    Args:
        run: A run whose records people have labelled.
        column: Where the labels are.
        field: The field that is calibrated; the record's own score where not given.
        aim: What the proposed threshold is best in.

    Raises:
        InputError: when there are no labels, or they can't calibrate anything.
    """
    from scoring.statistics.calibration import calibrate

    labels = labels_of(run, column)
    scores = _joint(run, field)
    keys = [key for key in labels if key in scores]
    try:
        found = calibrate([scores[key] for key in keys], [is_pass(labels[key]) for key in keys], aim=aim)
    except Unscored as error:
        raise InputError(str(error)) from error
    return {"aim": aim, "labels": column, "without_score": len(labels) - len(keys), **found.to_json()}


def _joint(run: StoredRun, field: str | None) -> dict[str, float]:
    """The scores that count, of a panel those that its members' opinions became."""
    parts = {key: data if field is None else data["fields"].get(field, {}) for key, data in run.records.items()}
    return {
        key: float(part["score"])
        for key, part in parts.items()
        if isinstance(part.get("score"), (int, float)) and part["status"] != "not_applicable"
    }


def agreement(
    runs: Sequence[StoredRun], column: str | None = None, *, field: str | None = None, pass_at: float = 0.5
) -> dict[str, Any]:
    """How far the judges of some runs agree, with one another and with people.

    Raters are the runs, or the members and samples of a panel in a run that has one. Krippendorff's alpha takes
    scores as they are; the kappas take them as passes and fails.

    Args:
        runs: Runs of the same records.
        column: Where labels of people are, who then are one more rater.
        field: The field that is meant; the records' own scores where not given.
        pass_at: Scores from here on are passes.

    Raises:
        InputError: when there are fewer than two raters.
    """
    raters: dict[str, Mapping[str, float]] = {}
    for run in runs:
        for name, scores in raters_of(run, field).items():
            raters[f"{run.name}: {name}" if name in raters else name] = scores
    if column is not None:
        raters[PEOPLE] = labels_of(runs[0], column)
    if len(raters) < 2:
        raise InputError("agreement needs two raters: several runs, a run with several judges or samples, or --labels")
    pairs = [_pair(one, other, raters, pass_at) for one, other in combinations(raters, 2)]
    return {"raters": list(raters), "pass_at": pass_at, **_all(raters, pass_at), "pairs": pairs}


def _all(raters: Raters, pass_at: float) -> dict[str, Any]:
    from scoring.statistics.agreement import fleiss_kappa, krippendorff_alpha

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
    from scoring.statistics.agreement import cohen_kappa

    shared = [key for key in raters[one] if key in raters[other]]
    left, right = ([raters[name][key] >= pass_at for key in shared] for name in (one, other))
    same = sum(a == b for a, b in zip(left, right, strict=True))
    return {
        "raters": [one, other],
        "records": len(shared),
        "same_verdict": same / len(shared) if shared else None,
        "cohen_kappa": _or_none(lambda: cohen_kappa(left, right)),
    }


def _or_none(measure: Callable[[], float]) -> float | None:
    try:
        return measure()
    except Unscored:  # all the same, or nothing that both rated: agreement beyond chance has no value
        return None
