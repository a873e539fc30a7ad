"""Logs that have a JSON object on each line, one for each sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from scoring.data.file import InputFile
from scoring.data.json_write import dumps
from scoring.extensions.hosts.logs.log import Sample, Verdicts, WriteBack, json_lines

JsonObject: TypeAlias = dict[str, Any]
KEY = "scoring"
"""The key under which a score is written into objects of hosts that ignore keys they do not know."""


def samples_of_lines(
    record: Callable[[JsonObject], JsonObject | ValueError],
) -> Callable[[InputFile], Iterator[Sample]]:
    """Return the function that reads a log, given the function that makes a record of a line."""

    def samples(file: InputFile) -> Iterator[Sample]:
        for number, line in json_lines(file):
            yield Sample(number, line if isinstance(line, ValueError) else record(line))

    return samples


def with_score(line: JsonObject, verdict: JsonObject) -> JsonObject:
    """Return an object of a log with the score under a key of its own."""
    return {**line, KEY: verdict}


def write_lines(beside: Callable[[JsonObject, JsonObject], JsonObject] = with_score) -> WriteBack:
    """Return the function that writes such a log back.

    Args:
        beside: Returns the object of a sample with its score, given as the data of `Verdicts.data_of`.
    """

    def write(file: InputFile, verdicts: Verdicts, path: Path) -> None:
        with path.open("w", encoding="utf-8") as stream:
            for number, line in json_lines(file):
                if isinstance(line, dict):  # a broken line has no place for a score
                    verdict = verdicts.data_of(number)
                    stream.write(dumps(line if verdict is None else beside(line, verdict)) + "\n")

    return write
