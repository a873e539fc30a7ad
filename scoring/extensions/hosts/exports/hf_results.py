"""The figures of a run as the `model-index` of a model card of Hugging Face, which goes between its first `---`.

Source:
    Hugging Face, hub-docs, modelcard.md ("model-index").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scoring.data.output import write_file
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import STATUSES, RunFiles
from scoring.values import is_number

_MODEL = "unknown"


def _write(run: Path, out: Path) -> Sequence[Path]:
    files = RunFiles(run, "a model card")
    metrics = [_metric(figure) for figure in files.figures if is_number(figure.get("value"))]
    if not metrics:
        raise InputError(f"{run} has no figure with a value, and a model card can't say that there is none")
    left = [f"{count} {status}" for status, count in files.counts.items() if count and status != "scored"]
    result = {
        "task": {"type": "text-generation", "name": files.task},
        "dataset": {
            "type": files.task,
            "name": f"{files.task} {files.version}".rstrip(),
            "args": {"meaning": files.meaning, "coverage": files.summary.get("coverage"), **files.counts},
        },
        "metrics": metrics,
    }
    text = yaml.safe_dump({"model-index": [{"name": _MODEL, "results": [result]}]}, sort_keys=False, allow_unicode=True)
    note = f"# Records: {', '.join([f'{files.counts[STATUSES[0]]} {STATUSES[0]}', *left])}.\n" if left else ""
    head = "# For the metadata of README.md; write the model's name, the task's type and the id of the data set.\n"
    write_file(out, f"{head}{note}{text}".encode("utf-8", "replace"))
    return [out]


def _metric(figure: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of `metrics`; the interval is among its `args`, since a value is a number or a text."""
    names = ("interval", "level", "method", "units", "better")
    args = {name: figure[name] for name in names if figure.get(name) is not None}
    return {"type": figure["metric"], "name": figure["metric"], "value": figure["value"], "args": args}


EXPORT = HostExport("a model-index for a model card of Hugging Face", "run", _write)
