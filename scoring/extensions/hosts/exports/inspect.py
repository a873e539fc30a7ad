"""The scores of a run as a file for Inspect's scorer `precomputed_scores`, which needs no package of ours.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/_precomputed.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from scoring.data.file import InputFile
from scoring.data.output import write_file
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.logs.inspect_scores import eval_score
from scoring.extensions.hosts.logs.log import json_document, json_lines

_EPOCH = re.compile(r"(.*) \(epoch ([0-9]{1,9})\)", re.DOTALL)
_FORMAT = "inspect"
_SUFFIXES = (".jsonl",)


def _write(run: Path, out: Path) -> Sequence[Path]:
    if out.suffix.lower() not in _SUFFIXES:
        raise InputError(f"can't write {out}: Inspect reads lines of JSON from files whose names end in .jsonl")
    manifest = json_document(InputFile(str(run / "manifest.json"), kind="json"))
    summary = json_document(InputFile(str(run / "summary.json"), kind="json"))
    if "signature" not in summary or "task" not in summary:
        raise InputError(f"{run} is not the run of one task, and Inspect scores samples of one")
    inputs = manifest.get("inputs") or []
    is_log = any(str(one.get("kind")).partition(",")[0] == _FORMAT for one in inputs if isinstance(one, dict))
    parts = (part for part in summary["signature"].split("|") if part.startswith("meaning:"))
    about = {"task": summary["task"].get("name"), "meaning": next(parts, "")}
    seen: set[tuple[str, int | None]] = set()

    def lines(stream: BinaryIO) -> None:
        for record in _records(run):
            id, epoch = _sample(record.get("id"), is_log)
            if id is None:
                continue  # a record that could not be read belongs to no sample
            if (id, epoch) in seen:
                raise InputError(
                    f"can't write {out}: two records have the id {id!r:.80}, and Inspect takes one for each"
                )
            seen.add((id, epoch))
            stream.write(json.dumps(_entry(id, epoch, record, about)).encode() + b"\n")

    write_file(out, lines)
    return [out]


def _sample(id: Any, is_log: bool) -> tuple[str | None, int | None]:
    """Return the id and the epoch of a sample; without an epoch the score is that of all its epochs."""
    if id is None:
        return None, None
    found = _EPOCH.fullmatch(str(id)) if is_log else None
    return (found[1], int(found[2])) if found else (str(id), None)


def _entry(id: str, epoch: int | None, record: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    fields = record.get("fields") or {}
    verdict = {
        **{key: record.get(key) for key in ("score", "status", "reason", "passed")},
        "fields": {name: one.get("score") for name, one in fields.items()},
        **about,
    }
    score = eval_score(verdict)
    # Inspect takes no reason from such files, but reads it where its logs of earlier versions have it.
    reason = {"unscored_reason": score.pop("reason")} if "reason" in score else {}
    score["metadata"] |= reason
    return {"id": id, **({} if epoch is None else {"epoch": epoch}), **score}


def _records(run: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a run folder in order."""
    paths = [run / "scores.jsonl", *sorted((run / "scores").glob("*.jsonl"))]
    found = [path for path in paths if path.is_file()]
    if not found:
        raise InputError(f"{run} has no `scores.jsonl`; score it again without `--scores parquet`")
    for path in found:
        for number, line in json_lines(InputFile(str(path), kind="jsonl")):
            if isinstance(line, ValueError):
                raise InputError(f"can't read {path}: line {number}: {line}")
            yield line


EXPORT = HostExport("scores for Inspect's precomputed_scores", "run", _write)
