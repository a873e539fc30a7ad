"""The predictions that olmo-eval writes: a line for each instance.

Source:
    allenai/olmo-eval, src/olmo_eval/runners/io/builders.py (June 2026).
"""

from __future__ import annotations

from scoring.extensions.hosts.logs.lines import JsonObject, samples_of_lines, with_score, write_lines
from scoring.extensions.hosts.logs.log import HostLog, record_of


def _record(line: JsonObject) -> JsonObject:
    outputs = line.get("model_output")
    first = outputs[0] if isinstance(outputs, list) and outputs and isinstance(outputs[0], dict) else {}
    own = first.get("text"), first.get("continuation")
    empty = "" if "" in own else None  # what a model said, be it nothing
    said = next((text for text in (line.get("final_output"), *own) if text), empty)
    return record_of(line.get("native_id", line.get("doc_id")), said, line.get("label"), more=line)


def _beside(line: JsonObject, verdict: JsonObject) -> JsonObject:
    """Add the score to the instance's metrics, which are numbers by metric and scorer, and all of it under a key."""
    metrics = line.get("instance_metrics")
    if verdict["score"] is not None:
        metrics = {**(metrics if isinstance(metrics, dict) else {}), "scoring": {verdict["task"]: verdict["score"]}}
    return {**with_score(line, verdict), "instance_metrics": metrics}


LOG = HostLog(
    "olmo-eval",
    "predictions of olmo-eval",
    samples_of_lines(_record),
    unit="line",
    holds=(('"model_output"', '"instance_metrics"'), ('"native_id"', '"model_output"')),
    write_back=write_lines(_beside),
)
