"""The rollouts that NeMo Gym collects: a line for each, with the request, the response and the reward.

Source:
    NVIDIA-NeMo/Gym, nemo_gym/rollout_collection.py and nemo_gym/base_resources_server.py (August 2026).
"""

from __future__ import annotations

from typing import Any

from scoring.extensions.hosts.logs.lines import JsonObject, samples_of_lines, write_lines
from scoring.extensions.hosts.logs.log import HostLog, record_of

_TASK, _ROLLOUT, _FAILURE = "_ng_task_index", "_ng_rollout_index", "_ng_failure_class"
_OWN = frozenset(("response", "responses_create_params", "reward", _TASK, _ROLLOUT))


def _record(line: JsonObject) -> JsonObject | ValueError:
    if _FAILURE in line:
        return ValueError(f"the rollout failed: {str(line[_FAILURE])[:200]}")
    asked = line.get("responses_create_params")
    more = {key: value for key, value in line.items() if key not in _OWN}
    return record_of(
        _id(line),
        _said(line.get("response")),
        line.get("expected_answer"),
        context=asked.get("input") if isinstance(asked, dict) else None,
        more=more,
    )


def _id(line: JsonObject) -> Any:
    """Return the index of the task, with that of the rollout behind it for all but the first one of a task."""
    task, rollout = line.get(_TASK), line.get(_ROLLOUT)
    return f"{task}-{rollout}" if rollout else task


def _said(response: Any) -> Any:
    """Return the text of the last message of the assistant; None if there is none."""
    output = response.get("output") if isinstance(response, dict) else None
    messages = [one for one in output or () if isinstance(one, dict) and one.get("type", "message") == "message"]
    said = [one for one in messages if one.get("role", "assistant") == "assistant"]
    content = said[-1].get("content") if said else None
    if not isinstance(content, list):
        return content
    return "".join(str(one["text"]) for one in content if isinstance(one, dict) and one.get("type") == "output_text")


LOG = HostLog(
    "nemo-gym",
    "rollouts of NeMo Gym",
    samples_of_lines(_record),
    unit="line",
    holds=(('"responses_create_params"', '"response"'),),
    write_back=write_lines(),
)
