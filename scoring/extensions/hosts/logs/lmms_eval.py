"""The samples that lmms-eval writes with `--log_samples`: a line for each document.

Its targets are always texts, since it writes `str(target)`: a list is the text of a Python list.

Source:
    EvolvingLMMs-Lab/lmms-eval, lmms_eval/loggers/evaluation_tracker.py, `save_results_samples` (August 2026).
"""

from __future__ import annotations

from typing import Any

from scoring.extensions.hosts.logs.lines import JsonObject, samples_of_lines, write_lines
from scoring.extensions.hosts.logs.log import HostLog, record_of


def _record(line: JsonObject) -> JsonObject:
    said = line.get("resps", line.get("filtered_resps"))  # equal responses are written once
    return record_of(line.get("doc_id"), _first(said), line.get("target"), context=line.get("input"), more=line)


def _first(responses: Any) -> Any:
    while isinstance(responses, list):
        responses = responses[0] if responses else None
    return responses


LOG = HostLog(
    "lmms-eval",
    "samples of lmms-eval",
    samples_of_lines(_record),
    unit="line",
    holds=(('"doc_id"', '"filtered_resps"', '"input"', '"doc_hash"'),),
    write_back=write_lines(),
)
