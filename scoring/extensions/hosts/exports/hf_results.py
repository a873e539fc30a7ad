"""The figures of a run for a model on Hugging Face: a result of its repository, or the `model-index` of its card.

A result is a file of `.eval_results/`, which goes to the leaderboard of a benchmark; the `model-index` goes between the
first two `---` of the card.

Source:
    Hugging Face, hub-docs, eval-results.md and eval_results.yaml; modelcard.md ("model-index").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring.data.output import write_file
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import STATUSES, RunFiles
from scoring.lazy_pattern import lazy_pattern
from scoring.values import is_number

_FOLDER = ".eval_results"
_DATASET = lazy_pattern(r"[\w.-]+/[\w.-]+")


def _is_card(out: Path) -> bool:
    return out.suffix in (".yaml", ".yml", ".md") and not out.is_dir()


def _place(out: Path, settings: Mapping[str, str]) -> Path:
    """Return the file that is written: that of the output, or in the repository that it is the file of the task."""
    if _is_card(out):
        return out
    word = settings.get("task") or settings.get("dataset") or "results"
    return out / _FOLDER / f"{re.sub('[^A-Za-z0-9_.-]+', '-', word).strip('.-') or 'results'}.yaml"


def _write(run: Path, out: Path, settings: Mapping[str, str]) -> Sequence[Path]:
    """Write the result of a run into a model's repository, or the `model-index` of its card into a file.

    Raises:
        InputError: when a setting is missing or has no effect, or the run has no figure with a value.
    """
    if not _is_card(out):
        return [_write_result(run, _place(out, settings), settings)]
    if settings:
        raise InputError(
            f"{listed(settings, 'and')} belong to `{_FOLDER}/` of a model's repository, and {out} is a model card; "
            "name the repository's folder, or leave them out"
        )
    return _write_card(run, out)


def _write_result(run: Path, path: Path, settings: Mapping[str, str]) -> Path:
    """Write the headline of a run as a result for the leaderboard of a benchmark."""
    dataset, task = settings.get("dataset"), settings.get("task")
    if dataset is None or task is None:
        raise InputError(
            "a result names the benchmark and its task, which a run does not; write "
            "`hf-results,dataset=ORG/NAME,task=ID`, the ID as in the benchmark's eval.yaml"
        )
    if not _DATASET.fullmatch(dataset):
        raise InputError(f"`dataset` is the id of a data set, such as openai/gsm8k, not {shown(dataset)}")
    files = RunFiles(run, "a result on Hugging Face")
    headline = next((one for one in files.figures if is_number(one.get("value"))), None)
    if headline is None:
        raise InputError(f"{run} has no figure with a value, and a result has to have one")
    scale = {"1": 1, "100": 100}.get(settings.get("scale", "1"))
    if scale is None:
        raise InputError("`scale` of `hf-results` is 1, or 100 where the leaderboard counts in percent")
    lines = [
        "- dataset:",
        f"    id: {_plain(dataset)}",
        f"    task_id: {_plain(task)}",
        *([f"    revision: {_plain(settings['revision'])}"] if "revision" in settings else []),
        f"  value: {_plain(headline['value'] * scale)}",
        *([f"  date: {_plain(files.manifest['created'])}"] if "created" in files.manifest else []),
        *([f"  source: {{url: {_plain(settings['source'])}}}"] if "source" in settings else []),
        f"  notes: {_plain(_notes(files, headline))}",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    return path


def _notes(files: RunFiles, headline: Mapping[str, Any]) -> str:
    """Return what else a run says of its headline: which figure it is, its interval, and what the records came to."""
    parts = [f"{headline['metric']} of {files.task} {files.version}".rstrip()]
    if headline.get("interval") is not None:
        parts.append(
            f"95% {headline['interval']}" if headline.get("level") == 0.95 else f"interval {headline['interval']}"
        )
    parts += [f"{count} {status}" for status, count in files.counts.items() if count]
    return "; ".join([*parts, f"meaning {files.meaning}"])


def _write_card(run: Path, out: Path) -> Sequence[Path]:
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


EXPORT = HostExport(
    "a result for a model on Hugging Face",
    "run",
    _write,
    settings=("dataset", "task", "revision", "source", "scale"),
    place=_place,
)
