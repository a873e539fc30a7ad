"""The samples of Every Eval Ever: a line for each.

Source:
    EvalEval Coalition, every_eval_ever, schemas/instance_level_eval.schema.json, 0.3.0.
"""

from __future__ import annotations

from typing import Any

from scoring.extensions.hosts.logs.lines import JsonObject, samples_of_lines, write_lines
from scoring.extensions.hosts.logs.log import HostLog, record_of
from scoring.extensions.hosts.modules.host_task import target_text


def _record(line: JsonObject) -> JsonObject:
    asked = _mapping(line.get("input"))
    metadata = _mapping(line.get("metadata"))
    more = {**line, **metadata, "metadata": metadata}
    return record_of(
        line.get("sample_id"), _said(line), _only(asked.get("reference")), context=asked.get("raw"), more=more
    )


def _said(line: JsonObject) -> Any:
    """Return the response, several of them, or the messages of a conversation from the first of the model's on."""
    if raw := _mapping(line.get("output")).get("raw"):
        return _only(raw)
    messages = line.get("messages")
    said = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    first = next((at for at, one in enumerate(said) if one.get("role") == "assistant"), None)
    return None if first is None else said[first:]


def _only(values: Any) -> Any:
    """Return the only value of a list, the list if it has several, and None if it has none."""
    if not isinstance(values, list):
        return values
    return values[0] if len(values) == 1 else values or None


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _beside(line: JsonObject, verdict: JsonObject) -> JsonObject:
    """Replace the score, which can't be absent, where there is one; the whole verdict goes into the metadata, whose
    values are texts."""
    own = {f"scoring.{name}": target_text(value) for name, value in verdict.items() if value is not None}
    found = {**line, "metadata": {**_mapping(line.get("metadata")), **own}}
    if verdict["score"] is None:
        return found
    passed = verdict["score"] >= 1 if verdict["passed"] is None else verdict["passed"]
    evaluation = {**_mapping(line.get("evaluation")), "score": verdict["score"], "is_correct": passed}
    return {**found, "evaluation": evaluation}


LOG = HostLog(
    "every-eval-ever",
    "samples of Every Eval Ever",
    samples_of_lines(_record),
    unit="line",
    holds=(('"answer_attribution"', '"sample_id"', '"evaluation"'),),
    write_back=write_lines(_beside),
)
