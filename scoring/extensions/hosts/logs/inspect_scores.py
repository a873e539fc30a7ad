"""Results and figures in the terms of Inspect: the scores of samples, and the metrics of a scorer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scoring.result import Status

_REASONS: Final[Mapping[Status, str]] = {
    "unparsed": "invalid_response_format",
    "unscored": "scoring_failed",
    "not_applicable": "not_applicable",
}
"""Inspect's words for why a score is abnormal; it has none for what there is nothing to score in, and takes any."""
_KEPT: Final = ("level", "method", "units", "bounds", "note", "better", "formula")


def eval_score(verdict: Mapping[str, Any], *, absence: str | None = None, answer: str | None = None) -> dict[str, Any]:
    """Return a score of Inspect for a result that is given as plain data.

    Where there is no score, its value is NaN, which Inspect counts as unscored: none of its metrics, and none of its
    reducers of epochs, reads it.

    Args:
        verdict: The result, with its ``score``, ``status``, ``reason``, ``fields`` and so on.
        absence: Why the sample has nothing to score, in a word of Inspect's, see `absence_of`.
        answer: The answer that was scored, as text.

    Examples:
        >>> found = eval_score({"score": None, "status": "unparsed", "reason": "no number was found"})
        >>> found["value"], found["reason"], found["explanation"]
        (nan, 'invalid_response_format', 'unparsed: no number was found')
    """
    status, why = verdict["status"], verdict.get("reason")
    score = verdict.get("score")
    is_scored = score is not None and status != "not_applicable"
    reason = absence if absence is not None and status == "unscored" else _REASONS.get(status)
    return {
        "value": float(score) if is_scored else math.nan,
        **({"answer": answer} if answer is not None else {}),
        "explanation": _explanation(status, why, verdict.get("fields") or {}),
        **({"reason": reason} if reason else {}),
        "metadata": {key: value for key, value in verdict.items() if key != "score" and value is not None},
    }


def absence_of(sample: Mapping[str, Any]) -> str | None:
    """Return why a sample has nothing to score, in one word; None if it has an answer.

    Examples:
        >>> absence_of({"output": {"choices": []}}), absence_of({"error": {"message": "…"}})
        ('no_response', 'sample_error')
    """
    if sample.get("error") is not None:
        return "sample_error"
    output = sample.get("output")
    if isinstance(output, dict) and output.get("choices"):
        return None
    return "no_response" if sample.get("limit") is None else "sample_limit"


def _explanation(status: str, why: str | None, fields: Mapping[str, Any]) -> str:
    parts = [] if status == "scored" and not why else [f"{status}: {why}" if why else status]
    if len(fields) > 1:
        parts += [f"{name}: {'no score' if score is None else f'{score:.4g}'}" for name, score in fields.items()]
    return "\n".join(parts)


def named_figures(metrics: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the value of each figure under its name, and the ends of its interval beside it; NaN if it has no value.

    Examples:
        >>> named_figures([{"metric": "mean", "value": 0.5, "interval": [0.25, 0.75]}])
        {'mean': 0.5, 'mean_low': 0.25, 'mean_high': 0.75}
    """
    found: dict[str, float] = {}
    for metric in metrics:
        name, value, interval = metric["metric"], metric["value"], metric.get("interval")
        found[name] = math.nan if value is None else float(value)
        if interval is not None:
            found[f"{name}_low"], found[f"{name}_high"] = map(float, interval)
    return found


def eval_results(
    results: Mapping[str, Any] | None,
    name: str,
    metrics: Sequence[Mapping[str, Any]],
    counts: tuple[int, int],
    about: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the results of a log with those of a further scorer.

    Args:
        results: The results so far, None if nothing was scored.
        name: The name of the scorer.
        metrics: Its figures as plain data.
        counts: How many samples have a score, and how many have none.
        about: What else is said about the scorer.
    """
    scored, unscored = counts
    whole = {"total_samples": scored + unscored, "completed_samples": scored + unscored, "scores": []}
    found = dict(results or whole)
    values = {key: {"name": key, "value": value, "params": {}} for key, value in named_figures(metrics).items()}
    for metric in metrics:
        values[metric["metric"]]["metadata"] = {key: metric[key] for key in _KEPT if metric.get(key) is not None}
    own = {
        "name": name,
        "scorer": name,
        "scored_samples": scored,
        "unscored_samples": unscored,
        "params": {},
        "metrics": values,
        "metadata": dict(about),
    }
    found["scores"] = [*(found.get("scores") or []), own]
    if metrics and not found.get("headline"):
        found["headline"] = {"scorer": name, "score": name, "metric": metrics[0]["metric"]}
    return found
