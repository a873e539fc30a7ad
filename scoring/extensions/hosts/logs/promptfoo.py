"""The results that promptfoo writes as JSON: one for each test, prompt and provider.

Source:
    promptfoo 0.121.20, `promptfoo eval -o results.json`, and its documentation, "Output formats".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.errors import InputError
from scoring.extensions.hosts.logs.lines import JsonObject
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, choice, json_document, record_of

_ERROR = 2
"""The `failureReason` of a result whose provider gave no answer."""


def _results(file: InputFile, document: Any) -> list[JsonObject]:
    found: Any = document
    while isinstance(found, dict) and "results" in found:
        found = found["results"]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"can't read {file.name}: it has no results; write it with `promptfoo eval -o results.json`")
    return found


def _samples(file: InputFile) -> Iterator[Sample]:
    results = _results(file, json_document(file))
    names = {key: list(dict.fromkeys(map(name, results))) for key, name in _NAMES.items()}
    chosen = {key: choice(file, key, found, "promptfoo") for key, found in names.items()}
    for number, result in enumerate(results, start=1):
        is_read = all(name is None or _NAMES[key](result) == name for key, name in chosen.items())
        yield Sample(number, _record(result) if is_read else None)


def _provider(result: JsonObject) -> str:
    provider = result.get("provider")
    return str(provider.get("label") or provider.get("id")) if isinstance(provider, dict) else str(provider)


def _prompt(result: JsonObject) -> str:
    return str(result.get("promptIdx", 0))


_NAMES = {"provider": _provider, "prompt": _prompt}


def _record(result: JsonObject) -> JsonObject | ValueError:
    case = result.get("testCase")
    variables = result.get("vars")
    metadata = case.get("metadata") if isinstance(case, dict) else None
    known = {**_mapping(metadata), **_mapping(variables)}
    response = result.get("response")
    if result.get("failureReason") == _ERROR or not isinstance(response, dict):
        return ValueError(f"the provider gave no answer: {str(result.get('error') or 'no reason was given')[:200]}")
    prompt = result.get("prompt")
    return record_of(
        known.get("id", result.get("testIdx")),
        response.get("output"),
        known.get("reference"),
        context=prompt.get("raw") if isinstance(prompt, dict) else None,
        more=known,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    """Write the document again, with named scores, which promptfoo shows and sums up, and the rest as metadata."""
    document = json_document(file)
    for number, result in enumerate(_results(file, document), start=1):
        verdict = verdicts.data_of(number)
        if verdict is None:
            continue
        scores = {verdicts.task: verdict["score"]}
        scores |= {f"{verdicts.task}.{name}": score for name, score in verdict["fields"].items()}
        named = {name: score for name, score in scores.items() if score is not None}
        result["namedScores"] = {**_mapping(result.get("namedScores")), **named}
        result["metadata"] = {**_mapping(result.get("metadata")), "scoring": verdict}
    path.write_text(dumps_pretty(document), encoding="utf-8")


LOG = HostLog(
    "promptfoo",
    "results of promptfoo",
    _samples,
    unit="result",
    holds=(('"evalId"', '"results"'),),
    settings=tuple(_NAMES),
    write_back=_write_back,
)
