"""The samples that lm-evaluation-harness writes with `--log_samples`: a line for each document and filter.

Source:
    EleutherAI, lm-evaluation-harness 0.4.13, lm_eval/evaluator.py and lm_eval/loggers/evaluation_tracker.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps
from scoring.diagnostics.words import listed
from scoring.errors import InputError
from scoring.extensions.hosts.logs.log import HostLog, Sample, Verdicts, json_lines, record_of


def _samples(file: InputFile) -> Iterator[Sample]:
    """Yield the samples of the chosen filter; those of the others have no record.

    Raises:
        InputError: when the file has several filters and none is chosen, or not the chosen one.
    """
    chosen = file.settings.get("filter")
    names = list(dict.fromkeys(str(line.get("filter")) for _, line in json_lines(file) if isinstance(line, dict)))
    if chosen is None and len(names) > 1:
        choice = f"{names[0]}` or `--input-format lm-eval,filter={names[1]}"
        raise InputError(
            f"{file.name} has a line for each of the filters {listed(names, 'and')}; choose one: "
            f"`--input-format lm-eval,filter={choice}`"
        )
    if chosen is not None and chosen not in names:
        raise InputError(f"{file.name} has no filter `{chosen:.80}`; it has {listed(names, 'and')}")
    for number, line in json_lines(file):
        is_other = isinstance(line, dict) and chosen is not None and line.get("filter") != chosen
        yield Sample(number, None if is_other else line if isinstance(line, ValueError) else _record(line))


def _record(line: dict[str, Any]) -> dict[str, Any]:
    doc = line.get("doc")
    return record_of(
        line.get("doc_id"), _first(line.get("resps")), line.get("target"), more=doc if isinstance(doc, dict) else None
    )


def _first(responses: Any) -> Any:
    """Return the first response of the first request, as the model gave it: filters have not been applied to it."""
    while isinstance(responses, list):
        responses = responses[0] if responses else None
    return responses


def _write_back(file: InputFile, verdicts: Verdicts, path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for number, line in json_lines(file):
            if isinstance(line, dict):  # a broken line has no place for a score
                found = verdicts.data_of(number)
                stream.write(dumps(line if found is None else {**line, "scoring": found}) + "\n")


LOG = HostLog(
    "lm-eval",
    "samples of lm-evaluation-harness",
    _samples,
    unit="line",
    holds=(('"doc_id"', '"filtered_resps"'),),
    settings=("filter",),
    write_back=_write_back,
)
