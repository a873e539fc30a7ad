"""The summary of a suite as a terminal shows it: means over all tasks and over groups of them, then breakdowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.diagnostics.words import counted
from scoring.engine.suite.oddities import WORDS
from scoring.report import numbers
from scoring.report.judge_text import judge_text
from scoring.report.style import Style
from scoring.report.summary_text import bounds, interval, label
from scoring.report.table import table
from scoring.report.visible import shorten, visible

_MAX_GROUPS = 30
_MAX_TASKS = 20
_WIDTH = 60

Summary = Mapping[str, Any]


def suite_text(summary: Summary, style: Style) -> str:
    """The whole summary, section by section; empty sections are left out."""
    sections = [
        _title(summary, style),
        _headline(summary),
        _table("group", summary["groups"], style),
        *(_table(f"by {visible(name)}", groups, style) for name, groups in summary["by"].items() if _tells(groups)),
        _tasks(summary, style),
        _inputs(summary, style),
        judge_text(summary, style),
        style.dim(visible(str(summary["signature"]))),
    ]
    return "\n\n".join(section for section in sections if section)


def _tells(groups: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a breakdown says anything: no task may have the attribute."""
    return any(group["group"] is not None for group in groups)


def _title(summary: Summary, style: Style) -> str:
    suite, counts = summary["suite"], summary["counts"]
    name = f"{suite['name']} {suite['version']}".strip()
    sizes = f"{counted(counts['tasks'], 'task')} · {counted(counts['records'], 'record')}"
    return f"{style.bold(visible(name))}  {style.dim(sizes)}"


def _headline(summary: Summary) -> str:
    rows = [
        [visible(metric["metric"]), numbers.score(metric["value"]), interval(metric), bounds_of_tasks(metric)]
        for metric in summary["metrics"]
    ]
    counts = summary["counts"]
    left = f"{counts['scored']} scored" + (f" · {counts['unscored']} unscored" if counts["unscored"] else "")
    if counts["records_without_score"]:
        left += f" · {counted(counts['records_without_score'], 'record')} without a score"
    return table([*rows, ["coverage", numbers.percent(summary["coverage"]), left, ""]])


def bounds_of_tasks(metric: Mapping[str, Any]) -> str:
    """What a mean would be if every task without a score counted 0, and 1; nothing where all have one."""
    return bounds(metric).replace("records", "tasks")


def _table(title: str, groups: Sequence[Mapping[str, Any]], style: Style) -> str:
    if not groups:
        return ""
    metrics = [metric["metric"] for metric in groups[0]["metrics"]]
    rows = [
        [
            visible(shorten(label(group["group"]), 40)),
            str(group["counts"]["tasks"]),
            str(group["counts"]["records"]),
            numbers.percent(group["coverage"]),
            *(numbers.score(metric["value"]) for metric in group["metrics"]),
        ]
        for group in groups[:_MAX_GROUPS]
    ]
    header = [title, "tasks", "records", "coverage", *map(visible, metrics)]
    return table(rows, header, right=range(1, len(header)), style=style) + _more(len(groups), _MAX_GROUPS, style)


def _tasks(summary: Summary, style: Style) -> str:
    """The score of each task of a small suite; of a large one the tasks without a score."""
    tasks = summary["tasks"]
    shown = tasks if len(tasks) <= _MAX_TASKS else [task for task in tasks if task["score"] is None]
    if not shown:
        return ""
    rows = [
        [
            visible(shorten(task["task"], 40)),
            str(task["records"]),
            numbers.percent(task["coverage"]),
            numbers.score(task["score"]),
            visible(shorten(task.get("reason") or "", _WIDTH)),
        ]
        for task in shown[:_MAX_TASKS]
    ]
    title = "task" if len(shown) == len(tasks) else "task without a score"
    drawn = table(rows, [title, "records", "coverage", "score", ""], right=(1, 2, 3), style=style)
    return drawn + _more(len(shown), _MAX_TASKS, style)


def _inputs(summary: Summary, style: Style) -> str:
    lines = []
    for kind, found in summary["inputs"].items():
        shown = ", ".join(visible(shorten(example, 60)) for example in found["examples"][:3])
        more = ", …" if found["count"] > 3 else ""
        lines.append(f"{style.warn('input')}: {found['count']} {WORDS[kind]}: {shown}{more}")
    return "\n".join(lines)


def _more(total: int, shown: int, style: Style) -> str:
    return "\n" + style.dim(f"… and {total - shown} more in summary.json") if total > shown else ""
