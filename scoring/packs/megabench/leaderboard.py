"""A suite's summary in the form of MEGA-Bench's leaderboard.

Source: MEGA-Bench, released scripts `summary` and `keyword statistics`; the figures themselves come from the suite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.extensions.suites.exports import Export


def leaderboard_statistics(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the summary of a suite as the content of the leaderboard's file `summary_and_keyword_stats.json`.

    Only tasks with a score count. A group's samples are its records; a keyword's are records and demonstrations.
    The list of a keyword's ``tasks`` is empty, as in the released files.

    Args:
        summary: The summary of a suite, which must have the metric `macro`.

    Raises:
        ValueError: when `macro` is not among the metrics.
    """
    groups = {group["group"]: _group(group) for group in summary["groups"]}
    keywords = {name.removesuffix("[]"): _keywords(parts) for name, parts in summary["by"].items()}
    return {"model_summary": {**groups, "overall_score": _value(summary)}, "keyword_stats": keywords}


def _group(group: Mapping[str, Any]) -> dict[str, Any]:
    counts = group["counts"]
    return {
        "num_eval_tasks": counts["scored"],
        "num_eval_samples": counts["records_of_scored"],
        "macro_mean_score": _value(group),
    }


def _keywords(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        str(part["group"]): {
            "count": part["counts"]["scored"],
            "num_samples": part["counts"]["records_of_scored"] + part["counts"]["demos_of_scored"],
            "tasks": [],
            "average_score": _value(part),
        }
        for part in parts
    }


def _value(figures: Mapping[str, Any]) -> float | None:
    found = [metric["value"] for metric in figures["metrics"] if metric["metric"] == "macro"]
    if not found:
        raise ValueError("the leaderboard's means are `macro`: name it among the suite's metrics")
    value: float | None = found[0]
    return value


EXPORT = Export("summary_and_keyword_stats.json", leaderboard_statistics)
