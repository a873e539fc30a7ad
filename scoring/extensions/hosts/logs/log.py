"""What a log of an evaluation host is: how its samples become records, and how scores are written back beside them."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from scoring.data.file import InputFile
from scoring.data.file_format import FileFormat
from scoring.data.json_read import NotJson, check_document, not_utf8, parse
from scoring.data.readers.json_rows import read_jsonl
from scoring.data.rows.decoded import block_of
from scoring.data.rows.row import SIZE, Block
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.result import RecordResult

_REFERENCES = ("text", "json")


class Sample(NamedTuple):
    """One sample of a log: its position, such as the number of its line, and the record made of it, or what is wrong.

    A sample whose record is None is not scored, such as one of another filter; no score is written beside it.
    """

    number: Any
    record: dict[str, Any] | ValueError | None


class Verdicts(Struct, frozen=True):
    """The results of a run over a log, as they are written back into it.

    Args:
        task: The name of the task.
        version: Its version; "" if it has none.
        meaning: The part of the signature that says what the scores mean.
        metrics: The metrics of the run as plain data, each with its name, value and interval.
        results: The results of the samples that were scored.
        places: The index of each sample's result by the sample's number.
    """

    task: str
    version: str
    meaning: str
    metrics: Sequence[Mapping[str, Any]]
    results: Sequence[RecordResult]
    places: Mapping[Any, int]

    def of(self, number: Any) -> RecordResult | None:
        """Return the result of the sample with a number; None if it was not scored, as behind the run's limit."""
        place = self.places.get(number)
        return None if place is None else self.results[place]

    def data_of(self, number: Any) -> dict[str, Any] | None:
        """Return the result of the sample with a number as plain data: score, status, reason, whether it passed, the
        scores of fields, and what the score means; None if it was not scored."""
        result = self.of(number)
        return None if result is None else plain_verdict(result, self.task, self.meaning)


def plain_verdict(result: RecordResult, task: str, meaning: str) -> dict[str, Any]:
    """Return a result as the plain data that stands beside a sample in the log of a host.

    Args:
        result: The result.
        task: The name of the task.
        meaning: The part of the signature that says what the score means.
    """
    return {
        "score": result.score,
        "status": result.status,
        "reason": result.reason,
        "passed": result.passed,
        "fields": {name: outcome.score for name, outcome in result.fields.items()},
        "task": task,
        "meaning": meaning,
    }


WriteBack = Callable[[InputFile, Verdicts, Path], None]
"""Writes a copy of a log, with a score beside each of its samples, to a path."""


class HostLog(Struct, frozen=True):
    """A kind of log that an evaluation host writes, given by an entry point of ``scoring.logs`` under its name.

    Its `format` is to be an entry point of ``scoring.formats`` under the same name.

    Args:
        name: The name for `--layout`, and of the file format.
        title: The name that messages use, such as ``a log of Inspect``.
        samples: Returns the samples of a file; it raises InputError when the file as a whole is no such log.
        unit: The name of a sample in positions, such as ``line``.
        suffixes: Endings of the names of its files that no other files have, with their dot.
        holds: Alternatives by which a file is recognized, each the texts that its first bytes have to contain.
        begins: The first bytes by which a file is not taken for one of another program, such as those of a zip archive.
        settings: Further settings of the format, such as ``filter``.
        about: Returns what a file says of itself, such as the model; by default only the title is said of it.
        write_back: Writes a copy of the log with the scores; None if the host has no place for them.
        needs: The module that is required, and the distribution to install for it.
    """

    name: str
    title: str
    samples: Callable[[InputFile], Iterator[Sample]]
    unit: str = "sample"
    suffixes: tuple[str, ...] = ()
    holds: tuple[tuple[str, ...], ...] = ()
    begins: tuple[bytes, ...] = ()
    settings: tuple[str, ...] = ()
    about: Callable[[InputFile], str] | None = None
    write_back: WriteBack | None = None
    needs: tuple[str, str] | None = None

    @property
    def format(self) -> FileFormat:
        """The file format of the log, whose setting ``reference=json`` decodes references that are JSON texts."""
        return FileFormat(
            *(self.name, self.title, self.suffixes, partial(_read_log, self), self.begins),
            settings=("reference", *self.settings),
            needs=self.needs,
            # Which samples are read, and how references are carried, is no part of what a score means.
            usual=dict.fromkeys(("reference", *self.settings), ""),
            plain=lambda name, value: "",
        )


def _read_log(log: HostLog, file: InputFile) -> Iterator[Block]:
    """Yield the records of a log in blocks."""
    decodes = _decodes(file)
    found = ((one.number, one.record) for one in log.samples(file) if one.record is not None)
    samples = ((number, with_decoded_reference(record) if decodes else record) for number, record in found)
    while part := list(islice(samples, SIZE)):
        yield block_of(log.unit, part)


def _decodes(file: InputFile) -> bool:
    file.found = dict(file.settings)
    form = file.settings.get("reference", "text")
    if form not in _REFERENCES:
        raise InputError(f"`reference` of a log is {listed(_REFERENCES, 'or')}, not `{form:.40}`")
    return form == "json"


def with_decoded_reference(record: dict[str, Any] | ValueError) -> dict[str, Any] | ValueError:
    """Return a record whose reference, if it is a text, is decoded from JSON; an error if it is no JSON."""
    if isinstance(record, ValueError) or not isinstance(text := record.get("reference"), str):
        return record
    try:
        return {**record, "reference": parse(text)}
    except NotJson as error:
        return ValueError(f"the reference can't be read: {error}")


def record_of(
    id: Any, response: Any, reference: Any, *, context: Any = None, more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the record of a sample: its parts under their own names, and what else the host knows of it.

    Args:
        id: The id of the sample.
        response: The model's raw response, a text or chat messages; None if there is none.
        reference: The reference; None if there is none.
        context: What was asked; None if the log does not say.
        more: Further values, such as the columns of the data set; the parts take precedence over equal names. They are
            under their own names, and all of them under ``metadata``.

    Examples:
        >>> record_of(7, "Paris", "Paris", more={"kind": "town", "id": "x"})
        {'kind': 'town', 'id': 7, 'response': 'Paris', 'reference': 'Paris', 'metadata': {'kind': 'town', 'id': 'x'}}
    """
    further = dict(more or {})
    parts = {"id": id, "response": response, "reference": reference}
    asked = {} if context is None else {"context": context}
    return {**further, **parts, **asked, **({"metadata": further} if further else {})}


def json_document(file: InputFile) -> Any:
    """Return the value of a log that is one JSON document.

    Raises:
        InputError: when it is no JSON.
    """
    content = file.read()
    try:
        check_document(content, file.size)
        return parse(content.removeprefix(BOM_UTF8).decode())
    except UnicodeDecodeError as error:
        raise InputError(f"can't read {file.name}: {not_utf8(error)}") from error
    except NotJson as error:
        raise InputError(f"can't read {file.name}: {error}") from error


def json_lines(file: InputFile) -> Iterator[tuple[int, dict[str, Any] | ValueError]]:
    """Yield the number of each line of a log of JSON lines, and its object or what is wrong with the line."""
    for block in read_jsonl(file):
        for position, (number, record) in enumerate(zip(block.numbers, block.records, strict=True)):
            yield number, record if record is not None else ValueError(block.problems[position])


def choice(file: InputFile, setting: str, names: Sequence[str], log: str) -> str | None:
    """Return which of several names in a log is read, by a setting of its format; None if there is only one, or none.

    Args:
        file: The log.
        setting: The setting, such as ``filter``.
        names: The names that occur in the log.
        log: The name of the kind of log.

    Raises:
        InputError: when there are several and none is chosen, or the chosen one is not among them.
    """
    chosen = file.settings.get(setting)
    if chosen is not None and chosen not in names:
        known = f"it has {listed(names, 'and')}" if names else "it has none"
        raise InputError(f"{file.name} has no {setting} {shown(chosen)}; {known}")
    if chosen is None and len(names) > 1:
        raise InputError(
            f"{file.name} holds samples of each {setting} of {listed(names, 'and')}; choose one: "
            f"`--input-format {log},{setting}={names[0]}`"
        )
    return chosen
