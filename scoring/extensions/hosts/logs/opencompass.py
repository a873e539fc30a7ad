"""The predictions that OpenCompass writes for a data set: an object whose entries are the samples, by their number.

Source:
    open-compass/opencompass, opencompass/openicl/icl_inferencer/icl_base_inferencer.py, `GenInferencerOutputHandler`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.errors import InputError
from scoring.extensions.hosts.logs.lines import JsonObject, with_score
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, json_document, record_of


def _entries(file: InputFile) -> dict[str, Any]:
    document = json_document(file)
    if not isinstance(document, dict):
        raise InputError(f"can't read {file.name}: predictions of OpenCompass are an object with an entry each")
    return document


def _samples(file: InputFile) -> Iterator[Sample]:
    for name, entry in _entries(file).items():
        yield Sample(name, _record(name, entry) if isinstance(entry, dict) else ValueError("it is no prediction"))


def _record(name: str, entry: JsonObject) -> JsonObject:
    asked, said = entry.get("origin_prompt"), entry.get("prediction")
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    return record_of(name, said, entry.get("gold"), context=asked, more=entry)


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    document = _entries(file)
    for name, entry in document.items():
        verdict = verdicts.data_of(name)
        if verdict is not None and isinstance(entry, dict):
            document[name] = with_score(entry, verdict)
    path.write_text(dumps_pretty(document), encoding="utf-8")


LOG = HostLog(
    "opencompass",
    "predictions of OpenCompass",
    _samples,
    unit="entry",
    holds=(('"origin_prompt"', '"prediction"'),),
    write_back=_write_back,
)
