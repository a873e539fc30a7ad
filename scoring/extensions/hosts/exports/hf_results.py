"""The figures of a run as the `model-index` of a model card of Hugging Face, which goes between its first `---`.

Source:
    Hugging Face, hub-docs, modelcard.md ("model-index").
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.output import write_file
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import STATUSES, RunFiles
from scoring.values import is_number


def _write(run: Path, out: Path) -> Sequence[Path]:
    files = RunFiles(run, "a model card")
    metrics = [line for figure in files.figures if is_number(figure.get("value")) for line in _metric(figure)]
    if not metrics:
        raise InputError(f"{run} has no figure with a value, and a model card can't say that there is none")
    left = [f"{count} {status}" for status, count in files.counts.items() if count and status != "scored"]
    about = {"meaning": files.meaning, "coverage": files.summary.get("coverage"), **files.counts}
    lines = [
        "# For the metadata of README.md; write the model's name, the task's type and the id of the data set.",
        *([f"# Records: {', '.join([f'{files.counts[STATUSES[0]]} {STATUSES[0]}', *left])}."] if left else []),
        "model-index:",
        "- name: unknown",
        "  results:",
        "  - task:",
        "      type: text-generation",
        f"      name: {_plain(files.task)}",
        "    dataset:",
        f"      type: {_plain(files.task)}",
        f"      name: {_plain(f'{files.task} {files.version}'.rstrip())}",
        f"      args: {_mapping(about)}",
        "    metrics:",
        *metrics,
    ]
    write_file(out, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    return [out]


def _metric(figure: Mapping[str, Any]) -> list[str]:
    """Return the lines of an entry of `metrics`; the interval is among its `args`, since a value is a number."""
    names = ("interval", "level", "method", "units", "better")
    args = {name: figure[name] for name in names if figure.get(name) is not None}
    name = _plain(figure["metric"])
    return [
        f"    - type: {name}",
        f"      name: {name}",
        f"      value: {_plain(figure['value'])}",
        f"      args: {_mapping(args)}",
    ]


def _mapping(values: Mapping[str, Any]) -> str:
    """Return plain values, and lists of them, on one line."""
    texts = {
        name: f"[{', '.join(map(_plain, value))}]" if isinstance(value, list) else _plain(value)
        for name, value in values.items()
    }
    return "{" + ", ".join(f"{name}: {text}" for name, text in texts.items()) + "}"


def _plain(value: Any) -> str:
    """Return a plain value as JSON that is YAML 1.1, too, which takes a number for one only if it has a dot before its
    exponent."""
    text = json.dumps(value, ensure_ascii=not str(value).isprintable())
    return text.replace("e", ".0e") if isinstance(value, float) and "e" in text and "." not in text else text


EXPORT = HostExport("a model-index for a model card of Hugging Face", "run", _write)
