"""The `scenario_state.json` of a run of HELM: a request state for each instance and trial.

Scores are written back as HELM's `per_instance_stats.json`.

Source:
    stanford-crfm/helm, src/helm/benchmark/adaptation/scenario_state.py, request_state.py and
    metrics/metric.py (`PerInstanceStats`), metrics/statistic.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.errors import InputError
from scoring.extensions.hosts.logs.lines import JsonObject
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, json_document, record_of

_CORRECT = "correct"


def _states(file: InputFile) -> list[Any]:
    document = json_document(file)
    states = document.get("request_states") if isinstance(document, dict) else None
    if not isinstance(states, list):
        raise InputError(f"can't read {file.name}: it has no `request_states`; give the `scenario_state.json` of a run")
    return states


def _samples(file: InputFile) -> Iterator[Sample]:
    for number, state in enumerate(_states(file), start=1):
        instance: Any = state.get("instance") if isinstance(state, dict) else None
        is_whole = isinstance(instance, dict)
        yield Sample(number, _record(state, instance) if is_whole else ValueError("it is no state of a request"))


def _record(state: JsonObject, instance: JsonObject) -> JsonObject | ValueError:
    result = state.get("result")
    completions = result.get("completions") if isinstance(result, dict) else None
    if isinstance(result, dict) and result.get("success") is False:
        return ValueError(f"the request failed: {str(result.get('error') or 'no reason was given')[:200]}")
    said = completions[0].get("text") if completions and isinstance(completions[0], dict) else None
    references = [one for one in instance.get("references") or () if isinstance(one, dict)]
    right = [_text(one.get("output")) for one in references if _CORRECT in (one.get("tags") or ())]
    more: JsonObject = {key: instance[key] for key in ("split", "sub_split", "extra_data") if key in instance}
    asked = _text(instance.get("input"))
    options = [_text(one.get("output")) for one in references]
    if state.get("output_mapping"):
        more["output_mapping"] = state["output_mapping"]
    reference: Any = right[0] if len(right) == 1 else right or None
    return record_of(_id(state, instance), said, reference, context=asked, more={**more, "references": options})


def _id(state: JsonObject, instance: JsonObject) -> Any:
    """Return the instance's id, with its perturbation and trial behind it where there are several."""
    perturbation = instance.get("perturbation")
    name = perturbation.get("name") if isinstance(perturbation, dict) else None
    trial = state.get("train_trial_index") or None
    more = [str(one) for one in (name, trial) if one is not None]
    return "-".join([str(instance.get("id")), *more]) if more else instance.get("id")


def _text(output: Any) -> Any:
    return output.get("text") if isinstance(output, dict) else output


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    found = []
    for number, state in enumerate(_states(file), start=1):
        verdict = verdicts.data_of(number)
        if verdict is None or not isinstance(state, dict) or not isinstance(state.get("instance"), dict):
            continue
        instance, trial = state["instance"], state.get("train_trial_index") or 0
        scores = {verdicts.task: verdict["score"]}
        scores |= {f"{verdicts.task}.{name}": score for name, score in verdict["fields"].items()}
        entry: JsonObject = {"instance_id": instance.get("id"), "train_trial_index": trial, "stats": []}
        if instance.get("perturbation") is not None:
            entry["perturbation"] = instance["perturbation"]
        # HELM counts a statistic without values as none, so that what has no score is in no mean.
        entry["stats"] = [_statistic(name, score, instance) for name, score in scores.items()]
        found.append({**entry, "scoring": verdict})
    path.write_text(dumps_pretty(found), encoding="utf-8")


def _statistic(name: str, score: float | None, instance: JsonObject) -> JsonObject:
    about: JsonObject = {"name": {"name": name, **({"split": instance["split"]} if instance.get("split") else {})}}
    if score is None:
        return {**about, "count": 0, "sum": 0, "sum_squared": 0}
    spread = {"min": score, "max": score, "mean": score, "variance": 0.0, "stddev": 0.0}
    return {**about, "count": 1, "sum": score, "sum_squared": score * score, **spread}


LOG = HostLog(
    "helm",
    "a scenario state of HELM",
    _samples,
    unit="request state",
    holds=(('"adapter_spec"', '"request_states"'),),
    write_back=_write_back,
)
