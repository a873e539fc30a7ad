"""What hosts hold of the figures of a whole run: every cell is found in what an export or a module has written."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import scoring
from scoring.extensions.hosts.exports.exporting import export
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lighteval import SpecScorer
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from tests.support.host_logs import LOG_FORMS
from tests.support.platforms import OUTCOMES

SPEC: Final = {
    **OUTCOMES, "record": {"reference": "reference"}, "metrics": ["mean", "pass_rate"], "by": ["kind"],
}  # fmt: skip
_GOLD = {"title": "", "text": "", "words": [["rome"], ["paris"]]}
_WHOLE, _HALF = '{"title": "From Rome to Paris", "text": "From Rome to Paris"}', '{"title": "Rome", "text": "Paris"}'
_TEXT = '{"title": "Oslo", "text": "From Rome to Paris"}'
_ROWS: Final = [
    *[(_WHOLE, _GOLD, "north")] * 12,
    *[(_HALF, _GOLD, "south")] * 7,
    *[(_TEXT, _GOLD, "south")] * 4,
    *[("I have no idea.", _GOLD, "north")] * 17,
    *[(_WHOLE, None, "south")] * 13,
    *[(_WHOLE, _GOLD | {"words": []}, "north")] * 11,
]
"""Answers, references and groups, of which no two figures are alike."""
Rows: TypeAlias = Sequence[Mapping[str, Any]]
FiguresOf: TypeAlias = Callable[[scoring.Task, Rows, Path], str]
"""A function that returns, as text, all that a host holds of a run of a task over rows, which lies in a folder."""


def _exported(tool: str, task: scoring.Task, rows: Rows, folder: Path) -> str:
    suffix = {"inspect": ".jsonl", "hf-results": ".yaml", "openmetrics": ".prom"}.get(tool, "")
    files = export(tool, folder / "run", folder / f"{tool}{suffix}").data["files"]
    return "\n".join(Path(path).read_text("utf-8") for path in files)


def _opencompass(task: scoring.Task, rows: Rows, folder: Path) -> str:
    return json.dumps(SpecEvaluator(task).score([row["response"] for row in rows], None, rows))


def _lighteval(task: scoring.Task, rows: Rows, folder: Path) -> str:
    scorer = SpecScorer(HostTask(task), "values")
    samples = [
        scorer.compute(SimpleNamespace(specific=row, choices=[]), SimpleNamespace(final_text=[row["response"]]))
        for row in rows
    ]
    return json.dumps([scorer.figures([one["scoring"] for one in samples]), samples])


def _inspect(task: scoring.Task, rows: Rows, folder: Path) -> str:
    path, out = folder / "log.json", folder / "back.json"
    texts = [None if row["reference"] is None else json.dumps(row["reference"]) for row in rows]
    pairs = [(row["response"], text) for row, text in zip(rows, texts, strict=True)]
    log = json.loads(LOG_FORMS["inspect"].write(pairs))
    for sample, row in zip(log["samples"], rows, strict=True):
        sample["metadata"] = {"kind": row["kind"]}
    path.write_text(json.dumps(log), encoding="utf-8")
    scoring.evaluate(task, path, input_format="inspect,reference=json", write_back=out)
    return out.read_text("utf-8")


RUN_HOSTS: Final[dict[str, FiguresOf]] = {
    "OpenCompass": _opencompass,
    "lighteval": _lighteval,
    "log of Inspect, written back": _inspect,
    **{
        f"`scoring export {tool}`": partial(_exported, tool)
        for tool in ("every-eval-ever", "hf-results", "inspect", "openmetrics")
    },
}


def wanted(summary: Mapping[str, Any], meaning: str) -> dict[str, Sequence[str]]:
    """The patterns that stand for each part of a summary in what a host holds."""
    head, rate = summary["metrics"]
    counts = {name: summary["counts"][name] for name in ("scored", "unparsed", "unscored", "not_applicable")}
    groups = [one["metrics"][0]["value"] for one in summary["by"]["kind"]]
    return {
        "headline": [_number(head["value"])],
        "interval": [_number(end) for end in head["interval"]],
        "coverage": [_number(summary["coverage"])],
        "counts by status": [rf"{name}\W{{1,8}}{count}\b" for name, count in counts.items()],
        "pass rate": [_number(rate["value"])],
        "breakdowns": [_number(value) for value in groups if value not in (0, 1)],
        "fields": [_number(one["mean"]) for one in summary["fields"] if one["mean"] not in (0, 1)],
        "meaning": [re.escape(meaning)],
    }


def _number(value: float) -> str:
    return rf"(?<![\w.]){re.escape(repr(value))}(?!\d)"


def run_table() -> str:
    """The matrix of hosts and the parts of a summary, in Markdown."""
    task = scoring.load(SPEC)
    rows = [
        {"id": f"r{place}", "response": said, "reference": gold, "kind": kind}
        for place, (said, gold, kind) in enumerate(_ROWS)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "rows.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        summary = scoring.evaluate(task, data, output=folder / "run").summary
        parts = wanted(summary, task.signature.meaning)
        lines = [["run", *parts], ["---"] * (len(parts) + 1)]
        for host, told in RUN_HOSTS.items():
            text = told(task, rows, folder)
            held = [all(re.search(one, text) for one in patterns) for patterns in parts.values()]
            lines.append([host, *("held" if one else "lost" for one in held)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
