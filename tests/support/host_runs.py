"""What hosts hold of the figures of a whole run: every cell is found in what an export or a module has written.

Of platforms, `held.toml` says which figures are their own; what they hold of a single sample is in the other matrix.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import scoring
from scoring.extensions.hosts.modules.host_task import HostTask
from scoring.extensions.hosts.modules.lighteval import SpecScorer
from scoring.extensions.hosts.modules.opencompass import SpecEvaluator
from scoring.extensions.hosts.modules.vlmevalkit import evaluate_predictions
from tests.support.host_adapters import EXPORTS, as_json, exported_run, exported_task
from tests.support.host_logs import LOG_FORMS
from tests.support.host_outcomes import OUTCOMES, held_by_real_hosts
from tests.support.workbooks import workbook

SPEC: Final = {**OUTCOMES, "metrics": ["mean", "pass_rate"], "by": ["kind"]}
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
    return "\n".join(exported_run(tool, folder))


def _lm_eval(task: scoring.Task, rows: Rows, folder: Path) -> str:
    functions = exported_task(SPEC, folder)
    kept = [functions.process_results(row, [row["response"]]) for row in rows]
    functions.of_samples([one["scoring"] for one in kept])
    own = [name for name in dir(functions) if name.startswith("figure_")]
    return json.dumps([{name: getattr(functions, name)(kept) for name in own}, kept])


def _vlmevalkit(task: scoring.Task, rows: Rows, folder: Path) -> str:
    table = folder / "said.xlsx"
    lines = [[row["id"], as_json(row["reference"]), row["response"], row["kind"]] for row in rows]
    table.write_bytes(workbook([["index", "answer", "prediction", "kind"], *lines]))
    figures = evaluate_predictions(task, table, references_as="json")
    return json.dumps(figures) + table.with_name("said_scoring.jsonl").read_text("utf-8")


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
    "lm-evaluation-harness, by `export lm-eval`": _lm_eval,
    "lighteval": _lighteval,
    "OpenCompass": _opencompass,
    "VLMEvalKit": _vlmevalkit,
    "log of Inspect, written back": _inspect,
    **{f"`export {tool}`": partial(_exported, tool) for tool in EXPORTS},
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
            lines.append([host, *_words(held)])
    for row in held_by_real_hosts().values():
        if "figures" in row:
            named = [*row["figures"], *(["meaning"] if row["cells"][0] == "score; all" else [])]
            lines.append([row["title"], *_words(part in named for part in parts)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _words(held: Iterable[bool]) -> list[str]:
    return ["held" if one else "lost" for one in held]
