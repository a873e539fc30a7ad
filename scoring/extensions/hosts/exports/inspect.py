"""The scores of a run as a file for Inspect's scorer `precomputed_scores`, which needs no package of ours.

Source:
    UK AI Security Institute, Inspect 0.3.285: inspect_ai/scorer/_precomputed.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from scoring.data.output import write_file
from scoring.errors import InputError
from scoring.extensions.hosts.exports.exporting import HostExport
from scoring.extensions.hosts.exports.run_files import RunFiles
from scoring.extensions.hosts.logs.inspect_scores import eval_score
from scoring.lazy_pattern import lazy_pattern

_EPOCH = lazy_pattern(r"(.*) \(epoch ([0-9]{1,9})\)", re.DOTALL)
_FORMAT = "inspect"
_SUFFIXES = (".jsonl",)


def _write(run: Path, out: Path) -> Sequence[Path]:
    if out.suffix.lower() not in _SUFFIXES:
        raise InputError(f"can't write {out}: Inspect reads lines of JSON from files whose names end in .jsonl")
    files = RunFiles(run, "Inspect")
    is_log = any(str(one.get("kind")).partition(",")[0] == _FORMAT for one in files.inputs)
    about = {"task": files.task, "meaning": files.meaning}
    seen: set[tuple[str, int | None]] = set()

    def lines(stream: BinaryIO) -> None:
        for record in files.lines():
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


EXPORT = HostExport("scores for Inspect's precomputed_scores", "run", _write)
