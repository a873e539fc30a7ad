"""What is shown of a board: pages of its rows, its distribution, what a threshold makes of it, its figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.data.json_write import dumps
from scoring.extensions.studio.boards import BoardSet, Movement, ScoreBoard
from scoring.lazy_pattern import lazy_pattern
from scoring.outcomes import CODES, STATUSES
from scoring.report.of.summary import input_lines
from scoring.report.visible import shorten, visible

MOST_ROWS = 200
"""The most rows of a page of the table."""
BINS = 40
_LONGEST = 160
_MOST_GROUPS = 200
MOST_FIELDS = 60
"""The most fields whose scores are sent to the page."""
_AT_LEAST = lazy_pattern(r"(?<![\w.])score\s*[<>]=?\s*(\d+(?:\.\d+)?)(?![\w.])")


def chosen_rows(board: ScoreBoard, movement: Movement | None, query: Mapping[str, Any]) -> Any:
    """Return the positions of the records that a query asks for, in its order.

    Args:
        board: The board.
        movement: How its records moved from another board, if there is one.
        query: ``search`` for what the id or the response has, ``status``, ``verdict`` (``passed`` or ``failed``),
            ``moved`` (``all``, ``up``, ``down``, ``other``), ``having`` for the field that is more than 0, ``from`` and
            ``to`` of scores, ``sort`` (``row``, ``id``, ``score``, ``status``, ``change`` or ``field:NAME``) and
            ``descending``.
    """
    kept = np.ones(len(board), dtype=np.bool_)
    status, verdict, moved = query.get("status"), query.get("verdict"), query.get("moved")
    for name, code in CODES.items():
        kept &= (board.statuses == code) | (name != status)
    if verdict in ("passed", "failed"):
        kept &= board.passed == (verdict == "passed")
    if moved and movement is not None:
        kept &= movement.moved
        up, down = movement.change > 0, movement.change < 0
        kept &= {"up": up, "down": down, "other": ~(up | down)}.get(moved, movement.moved)
    having = board.fields.get(str(query.get("having")))
    if having is not None:
        kept &= having[: len(board)] > 0
    low, high = query.get("from"), query.get("to")
    if isinstance(low, int | float) and isinstance(high, int | float):
        kept &= (board.scores >= low) & (board.scores <= high)
    places = np.flatnonzero(kept)
    words = str(query.get("search") or "").lower()
    if words:
        texts = board.texts
        places = np.array([at for at in places.tolist() if words in texts[at]], dtype=np.int64)
    return _sorted(board, movement, places, str(query.get("sort") or "row"), bool(query.get("descending")))


def _sorted(board: ScoreBoard, movement: Movement | None, places: Any, sort: str, descending: bool) -> Any:
    if sort == "row":
        return places[::-1] if descending else places
    if sort == "id":
        ids = board.held.ids
        return np.array(sorted(places.tolist(), key=lambda at: ids[at], reverse=descending), dtype=np.int64)
    if sort == "change" and movement is not None:
        keys = np.abs(movement.change)
        keys = np.where(movement.moved & np.isnan(keys), np.inf, keys)
    elif sort == "status":
        keys = board.statuses.astype(np.float64)
    else:
        keys = board.fields.get(sort.removeprefix("field:")) if sort.startswith("field:") else None
        keys = board.scores if keys is None else keys
    keys = keys[places]
    order = np.argsort(-keys if descending else keys, kind="stable")  # NaN comes last in either direction
    return places[order]


def rows_shown(board: ScoreBoard, movement: Movement | None, places: Sequence[int]) -> list[dict[str, Any]]:
    """Return rows of the table as plain data."""
    return [_row(board, movement, at) for at in places[:MOST_ROWS]]


def _row(board: ScoreBoard, movement: Movement | None, at: int) -> dict[str, Any]:
    row = {
        "row": at,
        "id": short_text(board.held.ids[at]),
        "score": plain_number(board.scores[at]),
        "status": status_name(board.statuses[at]),
        "passed": {0: False, 1: True}.get(int(board.passed[at])),
        "reason": short_text(board.reasons.get(at, "")),
        "about": short_text(board.about(at)),
        "fields": [plain_number(column[at]) for column in list(board.fields.values())[:MOST_FIELDS]],
    }
    if movement is not None and movement.places[at] >= 0:
        row |= {"before": plain_number(movement.before[at]), "change": plain_number(movement.change[at])}
        row["moved"] = bool(movement.moved[at])
    return row


def status_name(code: Any) -> str:
    """Return the name of an outcome's code, "" where it is not known."""
    return STATUSES[int(code)] if int(code) < len(STATUSES) else ""


def plain_number(value: Any) -> float | None:
    """Return a number that JSON has, None in place of others."""
    return float(value) if isinstance(value, int | float | np.number) and math.isfinite(value) else None


def short_text(value: Any) -> str:
    """Return a value on one line, cut off if it is long, with what does not show escaped; "" for nothing."""
    if value is None or value is ...:
        return ""
    if not isinstance(value, str):
        value = dumps(value) if isinstance(value, dict | list | int | float | bool) else repr(value)
    return shorten(visible(value[: _LONGEST * 4]), _LONGEST)


def distribution(board: ScoreBoard) -> dict[str, Any]:
    """Return the histogram of a board's scores: its ends, the number in each bin, and how many of these passed."""
    is_scored = np.isfinite(board.scores)
    scores = board.scores[is_scored]
    low, high = _ends(board, scores)
    counts, _ = np.histogram(scores, BINS, (low, high))
    is_decided = board.passed[is_scored] <= 1
    passed, _ = np.histogram(scores[is_decided & (board.passed[is_scored] == 1)], BINS, (low, high))
    return {
        "from": low,
        "to": high,
        "counts": counts.tolist(),
        "passed": passed.tolist() if bool(is_decided.any()) else None,
        "without": int(len(board) - len(scores)),
    }


def _ends(board: ScoreBoard, scores: Any) -> tuple[float, float]:
    if board.held.is_whole:
        return 0.0, 1.0
    span = board.task.range.to_json() if board.task is not None else (None, None)
    seen = (float(scores.min()), float(scores.max())) if len(scores) else (0.0, 1.0)
    low, high = (one if given is None else float(given) for given, one in zip(span, seen, strict=True))
    return (low, high) if high > low else (low, low + 1.0)


def usual_threshold(board: ScoreBoard) -> float | None:
    """Return the threshold that the spec's own rule compares the score with, None where it compares it with none."""
    stated = board.task.spec.data.get("pass") if board.task is not None else None
    found = _AT_LEAST.search(stated) if isinstance(stated, str) else None
    return float(found[1]) if found is not None else None


def cut_at(board: ScoreBoard, threshold: float, labels: Any | None) -> dict[str, Any]:
    """Return what passes if a score of at least a threshold does: how many, and what is right about it by labels.

    Args:
        board: The board.
        threshold: The least score that passes; the greatest where lower scores are better.
        labels: 1, 0, or -1 where there is none, for each record; None without labels.
    """
    scores = board.scores
    is_scored = np.isfinite(scores)
    is_lower = not board.held.is_whole and board.task is not None and board.task.better == "lower"
    passes = is_scored & ((scores <= threshold) if is_lower else (scores >= threshold))
    found: dict[str, Any] = {"passes": int(passes.sum()), "of": int(is_scored.sum()), "is_lower": is_lower}
    found["rate"] = found["passes"] / found["of"] if found["of"] else None
    if labels is not None:
        labels = labels[: len(scores)]
        hits, wrong = int((passes & (labels == 1)).sum()), int((passes & (labels == 0)).sum())
        missed = int((is_scored & ~passes & (labels == 1)).sum())
        right = int((is_scored & ~passes & (labels == 0)).sum())
        precision = hits / (hits + wrong) if hits + wrong else None
        recall = hits / (hits + missed) if hits + missed else None
        both = (precision or 0.0) + (recall or 0.0)
        f1 = 2 * (precision or 0.0) * (recall or 0.0) / both if both else None
        found |= {"hits": hits, "wrong": wrong, "missed": missed, "right": right}
        found |= {"precision": precision, "recall": recall, "f1": f1}
    return found


def figures_shown(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures in a summary as plain data: metrics, fields, groups with their intervals, and what is odd."""
    if not summary:
        return {}
    sizes = ["tasks", "records"] if "suite" in summary else ["records"]
    named = [("", summary["groups"])] if summary.get("groups") else []  # those that a suite states by name
    breakdowns = [*named, *summary["by"].items()]
    groups = [
        {
            "by": name,
            "groups": [
                {
                    "group": short_text(row.get("group")),
                    "sizes": [row["counts"][name] for name in sizes],
                    "metrics": [_metric(one) for one in row["metrics"]],
                }
                for row in rows[:_MOST_GROUPS]
            ],
            "left_out": max(0, len(rows) - _MOST_GROUPS),
        }
        for name, rows in breakdowns
    ]
    return {
        "sizes": sizes,
        "counts": summary["counts"],
        "metrics": [_metric(one) for one in summary["metrics"]],
        "fields": [
            {"field": one["field"], "mean": plain_number(one.get("mean")), "scored": one.get("scored")}
            for one in summary.get("fields", ())[:MOST_FIELDS]
        ],
        "groups": groups,
        "reasons": [
            {"status": one.get("status"), "reason": short_text(one.get("reason")), "count": one.get("count")}
            for one in summary["reasons"][:20]
        ],
        "notes": [visible(line) for line in input_lines(summary["inputs"])][:20],
    }


def _metric(one: Mapping[str, Any]) -> dict[str, Any]:
    value, interval = one.get("value"), one.get("interval")
    return {
        "metric": one["metric"],
        "value": plain_number(value) if isinstance(value, int | float) else None,
        "interval": [plain_number(end) for end in interval] if interval else None,
        "note": one.get("note") or one.get("reason") or "",
    }


def figure_values(summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the value of each metric in a summary, which may be one that a folder holds."""
    metrics = summary.get("metrics")
    rows = [one for one in metrics if isinstance(one, Mapping)] if isinstance(metrics, list | tuple) else []
    return {str(one.get("metric")): float(one["value"]) for one in rows if _is_number(one.get("value"))}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def details_shown(summary: Mapping[str, Any], old: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the single figures among the details of metrics, each with what it was in another summary."""
    before = dict(_details(old))
    return [
        {"metric": metric, "name": name, "value": plain_number(value), "was": plain_number(before.get((metric, name)))}
        for (metric, name), value in _details(summary)
    ]


def _details(summary: Mapping[str, Any]) -> list[tuple[tuple[str, str], float]]:
    found = []
    for metric in summary.get("metrics") or () if "keys" in summary else ():
        details = metric.get("details") if isinstance(metric, Mapping) else None
        for name, value in details.items() if isinstance(details, Mapping) else ():
            if type(value) in (int, float):
                found.append(((str(metric.get("metric")), str(name)), value))
    return found[:_MOST_GROUPS]


def tasks_shown(shown: BoardSet, old: BoardSet | None, moved: Mapping[str, Movement | None]) -> list[dict[str, Any]]:
    """Return a row for each task of a suite: its score, what that was before, and how many of its records moved."""
    scores = _scores_of_tasks(shown.summary)
    before = {} if old is None else _scores_of_tasks(old.summary)
    names = dict.fromkeys((*shown.boards, *scores))
    found = []
    for name in names:
        board, task, movement = shown.boards.get(name), scores.get(name, {}), moved.get(name)
        found.append(
            {
                "task": name,
                "records": task.get("records") if board is None else len(board.held),
                "done": None if board is None else len(board),
                "coverage": plain_number(task.get("coverage")),
                "score": plain_number(task.get("score")),
                "before": plain_number(before.get(name, {}).get("score")),
                "moved": None if movement is None else int(movement.moved.sum()),
                "reason": short_text(task.get("reason")),
            }
        )
    return found


def _scores_of_tasks(summary: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    tasks = summary.get("tasks")
    rows = [one for one in tasks if isinstance(one, Mapping)] if isinstance(tasks, list | tuple) else []
    return {str(one.get("task")): one for one in rows}
