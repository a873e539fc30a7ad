"""A run as files of Every Eval Ever: an aggregate in JSON, and a line of JSON for each sample that has a score.

Source:
    EvalEval Coalition, every_eval_ever, schemas/eval.schema.json and schemas/instance_level_eval.schema.json, 0.3.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from scoring.compiler.records.record_reader import reader
from scoring.data.file import InputFile
from scoring.data.output import write_file
from scoring.data.rows.read import read_rows
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import RunFiles
from scoring.extensions.hosts.modules.host_task import python_name, target_text
from scoring.result import MISSING
from scoring.values import is_number

_SCHEMA = "0.3.0"
_UNKNOWN = "unknown"
_NAMED = 1000
"""The most ids of samples without a score that the aggregate names; it counts all."""


def _write(run: Path, out: Path) -> Sequence[Path]:
    """Write both files where the project's own store has them: data/COLLECTION/DEVELOPER/MODEL."""
    files = RunFiles(run, "Every Eval Ever")
    digest = sha256(json.dumps(files.manifest, sort_keys=True).encode()).digest()
    name = UUID(bytes=digest[:16], version=4)
    folder = Path("data", python_name(files.task), _UNKNOWN, _UNKNOWN)
    (out / folder).mkdir(parents=True, exist_ok=True)
    about = _about(files)
    written = []
    lines, left = _instances(files, about["evaluation_id"])
    details = _left_out(files, left)
    if isinstance(lines, str):
        details |= {"note": f"{details.get('note', '')} There is no file of samples: {lines}.".strip()}
    else:
        samples = folder / f"{name}_samples.jsonl"
        content = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines).encode()
        write_file(out / samples, content)
        written.append(out / samples)
        about["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": samples.as_posix(), "hash_algorithm": "sha256",
            "checksum": sha256(content).hexdigest(), "total_rows": len(lines), "additional_details": details,
        }  # fmt: skip
    about["source_metadata"]["additional_details"] = {"signature": str(files.summary["signature"]), **details}
    path = out / folder / f"{name}.json"
    write_file(path, (json.dumps(about, indent=2, allow_nan=False) + "\n").encode())
    return [path, *written]


def _about(files: RunFiles) -> dict[str, Any]:
    """Return the aggregate without what it says of samples."""
    created = str(files.manifest.get("created"))
    seconds = str(int(datetime.fromisoformat(created).timestamp()))
    model = {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN}
    return {
        "schema_version": _SCHEMA,
        "evaluation_id": f"{files.task}/{_UNKNOWN}/{seconds}",
        "evaluation_timestamp": created,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": "scoring",
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "scoring-dsl",
            "version": str(files.manifest["versions"]["scoring"]),
            "additional_details": {"meaning": files.meaning, "task_version": files.version},
        },
        "model_info": {"name": _UNKNOWN, "id": _UNKNOWN, "additional_details": model},
        "evaluation_results": [_result(files, figure) for figure in files.figures if _has_value(figure)],
    }


def _has_value(figure: dict[str, Any]) -> bool:
    return is_number(figure.get("value"))


def _result(files: RunFiles, figure: dict[str, Any]) -> dict[str, Any]:
    better = figure.get("better", "higher")
    details = {
        "coverage": json.dumps(files.summary.get("coverage")),
        "counts": json.dumps(files.counts),
        "better": json.dumps(better),
    }
    if figure.get("bounds"):
        details["bounds"] = json.dumps(figure["bounds"])
    score: dict[str, Any] = {"score": figure["value"], "details": details}
    if figure.get("interval"):
        low, high = figure["interval"]
        level, method = figure.get("level", 0.95), str(figure.get("method"))
        interval = {"lower": low, "upper": high, "confidence_level": level, "method": method}
        score["uncertainty"] = {"confidence_interval": interval, "num_samples": int(figure.get("units") or 0)}
    return {
        "evaluation_result_id": figure["metric"],
        "evaluation_name": files.task,
        "source_data": {"dataset_name": files.task, "source_type": "other", "additional_details": _inputs(files)},
        "metric_config": {
            "metric_id": f"{files.task}.{figure['metric']}",
            "metric_name": figure["metric"],
            "lower_is_better": better == "lower",
        },
        "score_details": score,
    }


def _inputs(files: RunFiles) -> dict[str, str]:
    """Return the digest of each file of data by its name without folders, which say nothing elsewhere."""
    return {Path(str(one["name"])).name: f"sha256 {one['sha256']}" for one in files.inputs if one["role"] != "spec"}


# ---- samples


def _instances(files: RunFiles, evaluation: str) -> tuple[list[dict[str, Any]] | str, list[dict[str, Any]]]:
    """Return the lines of the samples with a score, or why there are none, and the run's lines of the other samples."""
    records = _records(files)
    figures = [figure["metric"] for figure in files.figures if _has_value(figure)]
    lines, left = [], []
    reads = dict((files.manifest.get("spec") or {}).get("reads") or {})
    parts = {name: reader(str(reads.get(name, name))) for name in ("id", "response", "reference", "context")}
    for number, line in enumerate(files.lines(), 1):
        record = None if isinstance(records, str) else next(records, None)
        if not is_number(line.get("score")):
            left.append(line)
        elif record is not None:
            own = {name: read(record) for name, read in parts.items()}
            if own["id"] is not None and target_text(own["id"]) != target_text(line.get("id")):
                records = "the scores are not in the order of the records"
                continue
            entry = {**_instance(line, own, number), "evaluation_id": evaluation, "evaluation_name": files.task}
            entry["metadata"]["scoring.meaning"] = files.meaning
            lines.append({**entry, **({"evaluation_result_id": figures[0]} if figures else {})})
    return (records if isinstance(records, str) else lines), left


def _records(files: RunFiles) -> Iterator[dict[str, Any] | None] | str:
    """Return the records that were scored, or why they can't be read again: a run keeps no answers."""
    entries = [one for one in files.inputs if one["role"] == "records"]
    if not entries or len(entries) != sum(one["role"] != "spec" for one in files.inputs):
        return "the run was not scored from files that hold answers and references together"
    try:
        found = [InputFile.again(one) for one in entries]
        changed = [
            file.name for file, one in zip(found, entries, strict=True) if file.sha256(one["sha256"]) != one["sha256"]
        ]
    except InputError as error:
        return str(error)
    if changed:
        return f"{Path(changed[0]).name} has changed since it was scored"
    return (row.record for file in found for row in read_rows(file, may_be_empty=True))


def _instance(line: dict[str, Any], parts: dict[str, Any], number: int) -> dict[str, Any]:
    responses, passed, score = parts["response"], line.get("passed"), line["score"]
    said = _said(responses)
    raw = target_text(MISSING if parts["context"] is None else parts["context"])
    reference = [] if parts["reference"] is None else [target_text(parts["reference"])]
    parsed = line.get("parsed")
    turns = said["messages"] or []
    answer = {
        "turn_idx": max(len(turns) - 1, 0),
        "source": "messages[turn_idx].content" if turns else "output.raw",
        "extracted_value": target_text(parsed),
        "extraction_method": "custom",
        "is_terminal": True,
    }
    metadata = {name: target_text(value) for name, value in (line.get("attributes") or {}).items()}
    fields = {name: one.get("score") for name, one in (line.get("fields") or {}).items()}
    about = {"status": line["status"], "reason": line.get("reason"), "passed": passed, "fields": fields or None}
    metadata |= {f"scoring.{name}": target_text(value) for name, value in about.items() if value is not None}
    hashed = sha256((raw + "".join(reference)).encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "schema_version": _SCHEMA,
        "model_id": _UNKNOWN,
        "sample_id": str(number if line.get("id") is None else line["id"]),
        "sample_hash": hashed,
        **said,
        "input": {"raw": raw, "reference": reference},
        "answer_attribution": [] if parsed is None else [answer],
        "evaluation": {
            "score": score,
            "is_correct": score >= 1 if passed is None else bool(passed),
            **({"num_turns": len(turns)} if turns else {}),
        },
        "metadata": metadata,
    }


def _said(response: Any) -> dict[str, Any]:
    """Return the response as the schema has it: one text or several, or the messages of a conversation."""
    items = response if isinstance(response, list) and response else []
    if items and all(isinstance(one, dict) and "role" in one for one in items):
        messages = [
            {"turn_idx": at, "role": str(one["role"]), "content": target_text(one.get("content"))}
            for at, one in enumerate(items)
        ]
        return {"interaction_type": "multi_turn", "output": None, "messages": messages}
    is_texts = bool(items) and all(isinstance(one, str) for one in items)
    raw = items if is_texts else [] if response is None else [target_text(response)]
    return {"interaction_type": "single_turn", "output": {"raw": raw}, "messages": None}


def _left_out(files: RunFiles, left: list[dict[str, Any]]) -> dict[str, str]:
    """Return what the aggregate says of samples and figures without a number, which the schema has no place for."""
    details = {}
    if left:
        ids = [target_text(one.get("id")) for one in left[:_NAMED]]
        details["samples_without_score"] = str(len(left))
        details["samples_without_score_ids"] = json.dumps(ids)
        details["samples_without_score_statuses"] = json.dumps(
            {status: count for status in files.counts if (count := sum(one["status"] == status for one in left))}
        )
        details["note"] = f"Without a score, and so not in the file of samples: {len(left)}; none of them counts as 0."
    names = [figure["metric"] for figure in files.figures if not _has_value(figure)]
    return {**details, **({"figures_without_value": json.dumps(names)} if names else {})}


EXPORT = HostExport("files of Every Eval Ever", "run", _write)
